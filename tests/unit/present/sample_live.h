// SPDX-License-Identifier: BSD-3-Clause
// A hand-made live snapshot with something for every screen, hostile names included.
#pragma once

#include <string>

#include "model/live.h"
#include "present/screens/screen.h"
#include "sample_snapshot.h"

namespace rocetop::testing {

inline constexpr Nanos kSampleTime{1'700'000'002'000'000'000};

inline track::ConnectionCounts marked_connection(std::uint32_t id) {
  track::ConnectionCounts c = quiet_connection(id, "2001:db8::1", "2001:db8:0:1::2");
  c.a_to_b->ecn[static_cast<std::size_t>(wire::Ecn::kCe)] = 30;
  track::CongestionCounts& congestion = c.a_to_b->congestion.use();
  congestion.ce_packets = 30;
  congestion.cnps = 12;
  congestion.ce_to_cnp_ns.add(std::int64_t{4'000});
  c.a_to_b->loop = track::Loop::kReactionMissing;
  c.b_to_a->cnps = 12;
  for (int i = 1; i <= 20; ++i) c.a_to_b->round_trips.rtt_ns.add(std::int64_t{i} * 1'000);
  c.cm.emplace();
  c.cm->rdma_cm_port = 18515;
  c.cm->local_ack_timeout = 14;
  c.cm->retry_count = c.cm->rnr_retry_count = 7;
  return c;
}

inline model::ManagementMessage rejection() {
  model::ManagementMessage m;
  m.time = kSampleTime;
  m.frame = FrameId{0, 77};
  m.from = ip("192.0.2.2");
  m.to = ip("192.0.2.1");
  m.cm.message = wire::CmMessage::kRej;
  m.cm.reject_reason = 8;
  return m;
}

/// Connections 1 (resends), 2 (marked) and 3 (idle).
inline model::LiveSnapshot live_snapshot() {
  model::LiveSnapshot before;
  before.totals = snapshot();
  before.totals.capture.first_time = kSampleTime - seconds(2);
  before.totals.connections.push_back(marked_connection(2));
  before.totals.connections.push_back(quiet_connection(3, "192.0.2.3", "192.0.2.4"));
  for (auto& c : before.totals.connections) {
    c.first_time = kSampleTime - seconds(2);
    c.last_time = kSampleTime - seconds(1);
  }
  model::LiveSnapshot s;
  s.number = 7;
  s.time = kSampleTime;
  s.totals = before.totals;
  s.totals.capture.frames += 50'000;
  s.totals.capture.roce_frames += 49'000;
  s.totals.capture.bytes_on_wire += 250'000'000;
  s.totals.capture.dropped_reported = 3;
  s.totals.connections[0].a_to_b->frames += 40'000;
  s.totals.connections[0].a_to_b->bytes_on_wire += 200'000'000;
  s.totals.connections[0].a_to_b->requests.retransmitted_original_seen += 4;
  s.totals.connections[1].a_to_b->frames += 9'000;
  s.totals.connections[1].a_to_b->bytes_on_wire += 48'000'000;
  s.totals.connections[1].b_to_a->cnps += 5;
  for (std::size_t i = 0; i < 2; ++i) s.totals.connections[i].last_time = kSampleTime;
  s.totals.findings.push_back(finding(2, verdict::Severity::kWarning, "hostile \x1b[2J\u202E \u4e16\u754c title"));
  s.totals.findings.back().connections = {2, 3};
  model::add_interval(s, &before, seconds(1));
  model::LiveInterface up;
  up.name = "eth0";
  up.since = kSampleTime - seconds(2);
  up.frames = 52'000;
  up.dropped = 3;
  model::LiveInterface down;
  down.name = "eth1\x1b[2J";
  down.state = model::LinkState::kDown;
  down.since = kSampleTime - seconds(1);
  s.interfaces = {up, down};
  s.management = {rejection()};
  s.recording.file = "x\x07.pcapng";
  s.recording.frames = 12;
  return s;
}

inline model::RecentPackets recent_packets(std::uint32_t id) {
  model::RecentPackets r;
  r.id = id;
  r.directions = {{ip("192.0.2.1"), ip("192.0.2.2"), Qpn{18}}, {ip("192.0.2.2"), ip("192.0.2.1"), Qpn{17}}};
  const auto add = [&](int at_ms, std::int64_t psn, model::Mark mark, std::uint8_t direction) {
    const Nanos time = kSampleTime - seconds(1) + milliseconds(at_ms);
    const bool data = direction == 0;
    r.points.push_back({time, time, psn, psn, 1'000, 1, mark, direction,
                        data ? track::SpaceName::kRequests : track::SpaceName::kNone});
  };
  for (int i = 0; i < 100; ++i) add(i * 10, 5 + i, model::Mark::kNew, 0);
  for (int i = 40; i < 50; ++i) add(600 + i, 5 + i, model::Mark::kResentNak, 0);
  add(599, 45, model::Mark::kSequenceNak, 1);
  add(300, 0, model::Mark::kCe, 0);
  add(310, 0, model::Mark::kCnp, 1);
  r.events.push_back({kSampleTime, kSampleTime, FrameId{0, 11}, {}, model::Mark::kSequenceNak, 1, Psn{45}, 1});
  r.events.push_back(
      {kSampleTime, kSampleTime, FrameId{0, 12}, FrameId{0, 11}, model::Mark::kResentNak, 0, Psn{45}, 10});
  return r;
}

inline present::AdapterReadings adapters() {
  model::AdapterPort port;
  port.device = "mlx5_0\x1b[1m";
  port.state = "4: ACTIVE";
  port.rate = "100 Gb/sec (4X EDR)";
  port.interface = "eth0";
  port.counters = {{"duplicate_request", 0}, {"np_cnp_sent", 12}, {"out_of_sequence", 5}};
  present::AdapterReadings readings;
  readings.now = readings.before = {port};
  readings.now[0].counters[2].value = 25;
  readings.between = seconds(2);
  return readings;
}

}  // namespace rocetop::testing
