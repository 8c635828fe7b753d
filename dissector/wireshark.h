/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wireshark's headers, and the one place that knows how its versions differ. Written for 4.0 to 4.6; what was compiled
 * and tested is in docs/wireshark.md. One binary serves one minor series: Wireshark itself insists. */
#pragma once

#define WS_BUILD_DLL
/* glib before everything else: 4.7 includes it no more by itself. */
#include <epan/exceptions.h>
#include <epan/expert.h>
#include <epan/packet.h>
#include <epan/prefs.h>
#include <epan/proto.h>
#include <epan/proto_data.h>
#include <epan/range.h>
#include <epan/show_exception.h>
#include <epan/tap.h>
#include <epan/to_str.h>
#include <epan/wmem_scopes.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <wiretap/wtap.h>
#include <ws_version.h>
#include <wsutil/report_message.h>
#if __has_include(<wsutil/plugins.h>)
#include <wsutil/plugins.h>
#endif

#define ROCE_WIRESHARK_AT_LEAST(major, minor) \
  (WIRESHARK_VERSION_MAJOR * 100 + WIRESHARK_VERSION_MINOR >= (major) * 100 + (minor))

/* Truth values of preferences: gboolean until 4.3, bool from 4.4 on. */
#if ROCE_WIRESHARK_AT_LEAST(4, 4)
typedef bool roce_ws_bool;
#else
typedef gboolean roce_ws_bool;
#endif

/* What a plugin says it does: looked at from 4.2 on. */
#ifndef WS_PLUGIN_DESC_DISSECTOR
#define WS_PLUGIN_DESC_DISSECTOR (1UL << 0)
#endif
#ifndef WS_PLUGIN_DESC_TAP_LISTENER
#define WS_PLUGIN_DESC_TAP_LISTENER (1UL << 4)
#endif
