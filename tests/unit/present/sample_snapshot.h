// SPDX-License-Identifier: BSD-3-Clause
// Hand-made snapshots for the renderers: small, complete, and with every kind of entry.
#pragma once

#include <string>
#include <string_view>

#include "model/snapshot.h"

namespace rocetop::testing {

inline IpAddress ip(std::string_view text) { return *IpAddress::parse(text); }

inline track::DirectionCounts direction(std::string_view src, std::string_view dst, std::uint32_t qpn) {
  track::DirectionCounts d;
  d.src = ip(src);
  d.dst = ip(dst);
  d.dst_qpn = Qpn{qpn};
  d.frames = 1'000;
  d.bytes_on_wire = 1'100'000;
  d.first_frame = FrameId{0, 1};
  d.last_frame = FrameId{0, 99};
  return d;
}

/// A healthy connection in both directions, one second long.
inline track::ConnectionCounts quiet_connection(std::uint32_t id, std::string_view a, std::string_view b) {
  track::ConnectionCounts c;
  c.id = id;
  c.a_ip = ip(a);
  c.a_qpn = Qpn{17};
  c.b_ip = ip(b);
  c.b_qpn = Qpn{18};
  c.paired_by = track::PairedBy::kAck;
  c.first_frame = FrameId{0, 1};
  c.last_frame = FrameId{0, 99};
  c.last_time = seconds(1);
  c.path_mtu = 1024;
  c.a_to_b = direction(a, b, 18);
  c.a_to_b->requests.packets = 1'000;
  c.b_to_a = direction(b, a, 17);
  c.b_to_a->acks = 1'000;
  return c;
}

/// …with a loss before the tap, a NAK and the episode it caused.
inline track::ConnectionCounts troubled_connection(std::uint32_t id, std::string_view a, std::string_view b) {
  track::ConnectionCounts c = quiet_connection(id, a, b);
  auto& space = c.a_to_b->requests;
  space.first_psn = Psn{5};
  space.highest_psn = Psn{1'000};
  space.missing.push_back({Psn{7}, Psn{8}, FrameId{0, 9}, milliseconds(1), track::Outcome::kRetransmitted});
  space.missing_packets[0] = 2;
  space.retransmitted_original_seen = 10;
  space.retransmitted_original_unseen = 2;
  track::Episode e;
  e.cause = track::Cause::kNak;
  e.first_psn = Psn{7};
  e.last_psn = Psn{18};
  e.first_frame = FrameId{0, 12};
  e.trigger_frame = FrameId{0, 11};
  e.packets = 12;
  e.wait = microseconds(21);
  space.episodes.push_back(e);
  space.episodes_by_cause[0] = 1;
  c.b_to_a->naks[0] = 1;
  c.a_to_b->dscp.emplace_back(std::uint8_t{26}, 1'000);
  c.a_to_b->opcodes.emplace_back(std::uint8_t{6}, 100);
  return c;
}

/// A veRoCE connection over four paths, one of which loses and is slow.
inline track::ConnectionCounts sprayed_connection(std::uint32_t id, std::string_view a, std::string_view b) {
  track::ConnectionCounts c = quiet_connection(id, a, b);
  c.protocol = wire::Protocol::kVeroce;
  auto& veroce = c.a_to_b->veroce.use();
  for (int i = 0; i < 4; ++i) {
    track::VerocePath& path = veroce.paths.emplace_back();
    path.udp_src = static_cast<std::uint16_t>(49'408 + 7 * i);
    path.packets = 250;
    path.bytes_on_wire = 275'000;
    path.probe_ns.add(microseconds(12));
  }
  track::VerocePath& bad = veroce.paths[2];
  bad.lost = 30;
  bad.late = 200;
  bad.late_ns.add(microseconds(97));
  bad.slow_signals = 758;
  bad.cnps = 3;
  bad.ce_packets = 4;
  bad.trimmed = 5;
  bad.resent = 6;
  veroce.trimmed = 5;
  veroce.raw_packets = 1;
  veroce.requests.sacks = 42;
  veroce.requests.resent_psns = 30;
  veroce.requests.second_round = 1;
  veroce.requests.reorder_depth = 7;
  veroce.requests.reorder_depth_frame = FrameId{0, 77};
  veroce.requests.sack_depth.add(std::int64_t{5});
  veroce.responses.needless = 2;
  auto& space = c.a_to_b->requests;
  space.retransmitted_original_seen = 31;
  track::Episode e;
  e.cause = track::Cause::kSack;
  e.first_psn = e.last_psn = Psn{7};
  e.first_frame = FrameId{0, 12};
  e.trigger_frame = FrameId{0, 11};
  e.packets = 1;
  e.wait = microseconds(21);
  space.episodes.push_back(e);
  space.episodes_by_cause[static_cast<std::size_t>(track::Cause::kSack)] = 1;
  return c;
}

inline verdict::Finding finding(std::uint32_t id, verdict::Severity severity, std::string title) {
  verdict::Finding f;
  f.id = id;
  f.rule = "retransmit.nak";
  f.severity = severity;
  f.title = std::move(title);
  f.explanation = "12 packets were sent again after 1 NAK that names PSN 7; 10 of them had been accepted.";
  f.next_steps = {"look at the drop counters of the switch ports between 192.0.2.1 and this tap"};
  f.ruled_out = {"reordering: the sender went back"};
  f.connections = {1};
  f.frames = {FrameId{0, 11}, FrameId{0, 12}};
  f.values = {{"packets", 12}, {"wait_ms", 0.021}};
  return f;
}

inline model::Snapshot snapshot() {
  model::Snapshot s;
  s.rocetop_version = "1.2.3";
  s.files = {"a.pcap"};
  s.capture.frames = 2'002;
  s.capture.roce_frames = 2'000;
  s.capture.not_roce_frames = 2;
  s.capture.completeness_known = true;
  s.capture.first_time = Nanos{1'700'000'000'123'456'789};
  s.capture.last_time = Nanos{1'700'000'001'123'456'789};
  s.connections = {troubled_connection(1, "192.0.2.1", "192.0.2.2")};
  s.findings = {finding(1, verdict::Severity::kCritical, "192.0.2.1 qp 17 resent 12 packets after a NAK")};
  return s;
}

}  // namespace rocetop::testing
