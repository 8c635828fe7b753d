// SPDX-License-Identifier: BSD-3-Clause
// Tracker: the core. Packets in, an observation for each; counts of every connection at the end. No I/O, no clock, no
// threads: time is the capture's.
#pragma once

#include <tsl/robin_map.h>

#include <memory>
#include <span>
#include <vector>

#include "track/cnp_log.h"
#include "track/connection.h"
#include "track/context.h"
#include "track/fast_cnp_log.h"
#include "track/flow_key.h"
#include "track/flow_table.h"
#include "track/management.h"
#include "track/pairing.h"
#include "track/pause_log.h"

namespace rocetop::track {

/// A packet that is about to be tracked. `packet` must live as long.
struct Arrival {
  const wire::Packet* packet = nullptr;
  PacketFacts facts;
  FlowKey key = {};
  std::size_t hash = 0;
  FlowTable::Flow flow;  ///< as look_up() found it, when the flow table had `flows_version`
  std::uint64_t flows_version = 0;
};

class Tracker {
 public:
  /// `sink` may be null; it is told what later packets settle about earlier frames.
  explicit Tracker(const Limits& limits = {}, ResolutionSink* sink = nullptr);
  ~Tracker();

  /// One decoded packet, in the order of the capture. Times may step back; they are taken as they are.
  Observation on_packet(const wire::Packet& packet, FrameId frame, Nanos time, std::uint32_t wire_bytes);

  /// The same in steps, for who has several packets at hand: after each step, the memory that the next one needs is on
  /// its way, and other packets can be worked on. prepare() must be the first step and on_packet() the last; the two
  /// between may be left out.
  void prepare(const wire::Packet& packet, FrameId frame, Nanos time, std::uint32_t wire_bytes, Arrival& out) const;
  void look_up(std::span<Arrival> arrivals);
  void look_further(std::span<const Arrival> arrivals) const;
  Observation on_packet(Arrival& arrival);

  /// A pause frame, between packets in the order of the capture. `link_speed`: bits per second, if it is known.
  void on_pause(const wire::Pause& pause, std::uint32_t interface, FrameId frame, Nanos time,
                std::optional<std::uint64_t> link_speed) {
    pauses_.on_pause(pause, interface, frame, time, link_speed);
  }

  /// Ends everything open. The tracker is empty afterwards.
  std::vector<ConnectionCounts> finish();

  /// What crosses connections, complete after finish(). Call each once.
  std::vector<CnpPacing> cnp_pacing() const { return cnps_.finish(); }
  const FastCnpLog& fast_cnps() const { return fast_cnps_; }
  std::vector<ReceiverCounts> receivers() { return context_.receivers.finish(); }
  std::vector<PausingPort> pauses(Nanos last_time) { return pauses_.finish(last_time); }

  const std::vector<CmRejection>& rejections() const { return management_.rejections(); }
  std::vector<CmSetUp> set_ups() const { return management_.set_ups(); }
  /// Beyond the limit: counted, not kept.
  std::uint64_t rejections_omitted() const { return management_.rejections_omitted(); }
  /// Connections dropped at Limits::connections.
  std::uint64_t evicted_connections() const { return evicted_; }
  /// Packets with a wrong ICRC for queue pairs that nothing else was sent to: part of no connection.
  std::uint64_t stray_damaged_packets() const { return stray_damaged_packets_; }
  std::uint64_t management_frames() const { return management_frames_; }

 private:
  Observation route(const FlowKey& key, const PacketFacts& packet, FlowTable::Flow flow);
  bool may_open(const FlowKey& key, const PacketFacts& packet);
  FlowTable::Flow open_flow(const FlowKey& key);
  void try_to_pair(const FlowKey& key, const PacketFacts& packet);
  void join(ConnectionIndex one, ConnectionIndex other, PairedBy by);
  void doubt(ConnectionIndex index, std::size_t side, const PacketFacts& packet);
  void decide_doubt(ConnectionIndex index, std::size_t side, const PacketFacts& packet);
  void begin_anew(ConnectionIndex index);
  void retire(ConnectionIndex index);
  void make_room();
  void on_management(const wire::Packet& packet, const FlowKey& key, FrameId frame, Nanos time);
  void announce(const Announcement& announcement);
  void join_by_ports();

  Context context_;
  Management management_;
  Pairing pairing_;
  CnpLog cnps_;
  FastCnpLog fast_cnps_;
  PauseLog pauses_;
  FlowTable flows_;
  tsl::robin_map<FlowKey, Announcement, FlowKeyHash> announced_;
  std::vector<std::unique_ptr<Connection>> connections_;  // index = ConnectionIndex; null when gone
  std::vector<ConnectionCounts> finished_;
  std::size_t live_ = 0;
  std::uint32_t next_id_ = 1;
  std::uint64_t evicted_ = 0;
  std::uint64_t management_frames_ = 0;
  std::uint64_t stray_damaged_packets_ = 0;
  tsl::robin_map<IpAddress, bool, IpAddressHash> good_sources_;  ///< hosts whose ICRCs mean something
};

}  // namespace rocetop::track
