// SPDX-License-Identifier: BSD-3-Clause
#include "present/peers_text.h"

#include <fmt/format.h>

#include "model/words.h"

namespace rocetop::present {

std::string end_point_text(const IpAddress& ip, std::optional<Qpn> qpn) {
  return qpn ? fmt::format("{} qp {}", ip.to_string(), qpn->value) : ip.to_string() + " qp ?";
}

std::string connection_notes(const track::ConnectionCounts& c) {
  std::string notes;
  const auto add = [&](std::string_view note) {
    if (!notes.empty()) notes += ", ";
    notes += note;
  };
  if (c.protocol != wire::Protocol::kRoceV2) add(model::word(c.protocol));
  if (c.transport != wire::Transport::kRc) add(model::word(c.transport));
  if (c.network.vlan_outer != 0xFFFF) add(fmt::format("vlan {}", c.network.vlan_outer));
  if (c.network.vlan_inner != 0xFFFF) add(fmt::format("inner vlan {}", c.network.vlan_inner));
  if (c.network.vni != 0xFFFFFFFF) add(fmt::format("vni {}", c.network.vni));
  if (c.paired_by == track::PairedBy::kUdpPort) add("paired by UDP port only");
  return notes;
}

std::string frame_text(FrameId id, bool several_files) {
  return several_files ? fmt::format("#{}:{}", id.file() + 1, id.number()) : fmt::format("#{}", id.number());
}

}  // namespace rocetop::present
