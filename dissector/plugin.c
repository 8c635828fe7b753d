/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Wireshark looks for in a plugin: its version, the series it was built for, and its registration. Nothing else is
 * visible outside (a test looks). */
#include "plugin.h"

WS_DLL_PUBLIC_DEF const char plugin_version[] = ROCETOP_VERSION;
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

WS_DLL_PUBLIC void plugin_register(void);
WS_DLL_PUBLIC uint32_t plugin_describe(void);

void plugin_register(void) {
  static proto_plugin roce;
  static proto_plugin veroce;
  roce.register_protoinfo = proto_register_roce;
  roce.register_handoff = proto_reg_handoff_roce;
  proto_register_plugin(&roce);
  veroce.register_protoinfo = proto_register_veroce;
  veroce.register_handoff = proto_reg_handoff_veroce;
  proto_register_plugin(&veroce);
}

uint32_t plugin_describe(void) { return WS_PLUGIN_DESC_DISSECTOR | WS_PLUGIN_DESC_TAP_LISTENER; }
