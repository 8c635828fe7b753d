// SPDX-License-Identifier: BSD-3-Clause
// How peers and frames are named in text: "192.0.2.1 qp 17", "#128", "#2:128" (second file) when there are several
// files.
#pragma once

#include <optional>
#include <string>

#include "base/frame_id.h"
#include "base/ip_address.h"
#include "base/psn.h"
#include "track/counts.h"

namespace rocetop::present {

/// "192.0.2.1 qp 17"; "qp ?" when the number is not known. QPNs are decimal, as in the JSON.
std::string end_point_text(const IpAddress& ip, std::optional<Qpn> qpn);

/// What keeps a connection apart besides its end points, and how sure the pairing is: "UC, vlan 100"; mostly empty.
std::string connection_notes(const track::ConnectionCounts& c);

/// "#128", or "#2:128" for frame 128 of the second of several files.
std::string frame_text(FrameId id, bool several_files);

}  // namespace rocetop::present
