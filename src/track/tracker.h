// SPDX-License-Identifier: BSD-3-Clause
// Tracker: the core. Packets in, an observation for each; counts of every connection at the end. No I/O, no clock, no
// threads: time is the capture's.
#pragma once

#include <tsl/robin_map.h>

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "track/cnp_log.h"
#include "track/connection.h"
#include "track/context.h"
#include "track/copy_log.h"
#include "track/fast_cnp_log.h"
#include "track/flow_key.h"
#include "track/flow_table.h"
#include "track/management.h"
#include "track/pairing.h"
#include "track/pause_log.h"

namespace rocetop::track {

/// A packet that is about to be tracked.
struct Arrival {
  enum class Kind : std::uint8_t { kNone, kPlain, kPacket };
  Kind kind = Kind::kNone;
  const wire::Packet* packet = nullptr;  ///< of kPacket; must live as long
  PacketFacts facts;
  PlainKey plain_key;  ///< of kPlain
  FlowKey key;         ///< of kPacket, from look_up() on
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
  /// For a frame whose is_common() holds, which need not be decoded.
  void prepare(const wire::PlainFrame& plain, wire::IcrcStatus icrc, FrameId frame, Nanos time,
               std::uint32_t wire_bytes, Arrival& out) const {
    out.kind = Arrival::Kind::kPlain;
    take_facts(plain, icrc, frame, time, wire_bytes, out.facts);
    out.plain_key = PlainKey(plain);
    out.hash = PlainKeyHash{}(out.plain_key);
    out.flows_version = 0;
    flows_.fetch_plain(out.hash);
  }
  void look_up(Arrival& arrival);
  void look_further(const Arrival& arrival) const;
  Observation on_packet(Arrival& arrival) {
    if (take_ordinary(arrival)) return observed(Kind::kNew, SpaceName::kRequests, arrival.flow.connection->id);
    return on_other(arrival);
  }
  /// on_packet() for who does not ask what became of it.
  void pass(Arrival& arrival) {
    if (!take_ordinary(arrival)) on_other(arrival);
  }

  /// A pause frame, between packets in the order of the capture. `link_speed`: bits per second, if it is known.
  void on_pause(const wire::Pause& pause, std::uint32_t interface, FrameId frame, Nanos time,
                std::optional<std::uint64_t> link_speed) {
    pauses_.on_pause(pause, interface, frame, time, link_speed);
  }

  /// The state now, by id: nothing is ended, and what later packets can change is in no count. `meanwhile` is called
  /// every few milliseconds: there may be many.
  std::vector<ConnectionCounts> connections(const std::function<void()>& meanwhile = {}) const;
  /// Forgets the connections of which nothing was seen since `since`. Costs a look at each.
  void forget_silent(Nanos since);
  /// Missing runs, episodes and CM exchanges that began before `before` leave the lists that are half full, to make
  /// room for later ones; they are counted as before.
  void make_room_in_lists(Nanos before);
  /// `gone` is told of each connection that is forgotten, by forget_silent() or at a limit.
  void tell_gone(std::function<void(const ConnectionCounts&)> gone) { gone_ = std::move(gone); }
  /// Connections forgotten because they were silent.
  std::uint64_t silent_connections() const { return silent_; }
  /// receivers() and pauses() as of now, as often as wanted.
  std::vector<ReceiverCounts> receivers_now() const { return ReceiverLog(context_.receivers).finish(); }
  std::vector<PausingPort> pauses_now(Nanos now) const { return PauseLog(pauses_).finish(now); }

  /// Ends everything open. The tracker is empty afterwards.
  std::vector<ConnectionCounts> finish();

  /// What crosses connections, complete after finish(). Call each once.
  std::vector<CnpPacing> cnp_pacing() const { return cnps_.finish(); }
  const FastCnpLog& fast_cnps() const { return fast_cnps_; }
  std::vector<ReceiverCounts> receivers() { return context_.receivers.finish(); }
  std::vector<CaptureHole> holes(const std::vector<ConnectionCounts>& connections) const {
    return context_.holes.finish(connections);
  }
  std::vector<PausingPort> pauses(Nanos last_time) { return pauses_.finish(last_time); }

  const std::vector<CmRejection>& rejections() const { return management_.rejections(); }
  std::vector<CmSetUp> set_ups() const { return management_.set_ups(); }
  /// Beyond the limit: counted, not kept.
  std::uint64_t rejections_omitted() const { return management_.rejections_omitted(); }
  std::uint64_t set_ups_omitted() const { return management_.set_ups_omitted(); }
  /// Places where sides waited for their other direction, forgotten at the limit.
  std::uint64_t unpaired_at_limit() const { return pairing_.forgotten(); }
  /// Connections dropped at Limits::connections.
  std::uint64_t evicted_connections() const { return evicted_; }
  /// Packets with a wrong ICRC for queue pairs that nothing else was sent to: part of no connection.
  std::uint64_t stray_damaged_packets() const { return stray_damaged_packets_; }
  /// Connections of a packet or two that nothing answered and that were left out, as they are too many, and their
  /// packets. Complete after finish().
  std::uint64_t stray_connections() const { return strays_are_noise() ? strays_ - told_strays_ : 0; }
  std::uint64_t stray_packets() const { return strays_are_noise() ? stray_packets_ - told_stray_packets_ : 0; }
  std::uint64_t management_frames() const { return management_frames_; }

 private:
  /// What CM said of a flow, and which announcement of all it was in.
  struct Announced {
    Announcement announcement;
    std::uint64_t number = 0;
  };
  struct ManagementDatagram {
    HostPair hosts;
    wire::CmMessage message = wire::CmMessage::kReq;
    std::uint64_t transaction_id = 0;
    std::uint32_t comm_id = 0;
    Nanos time = Nanos::min();

    bool is_tagged_copy_of(const ManagementDatagram& other) const;
  };
  using Flow = FlowTable::Flow;

  Flow find(const Arrival& arrival);
  bool take_ordinary(Arrival& arrival) {
    PacketFacts& facts = arrival.facts;
    if (pauses_.any()) [[unlikely]] {
      facts.paused_classes = pauses_.paused_classes(facts.time);
    }
    if (facts.time - context_.now >= HoleLog::kShortest && context_.frame) [[unlikely]] {
      context_.holes.on_silence(context_.frame, context_.now, facts.frame, facts.time);
    }
    context_.now = facts.time;
    context_.frame = facts.frame;
    if (arrival.flows_version != flows_.version()) [[unlikely]] {
      look_up(arrival);
    }
    return arrival.flow && context_.limits.shortcuts &&
           arrival.flow.connection->take_ordinary(arrival.flow.side, facts);
  }
  Observation on_other(const Arrival& arrival);
  Observation route(const FlowKey& key, const PacketFacts& packet, FlowTable::Flow flow);
  Observation route_veroce(const FlowKey& key, const wire::Packet& decoded, PacketFacts packet, FlowTable::Flow flow);
  void note_window(const Flow& flow, const HostPair& hosts, Psn first, Psn last);
  bool may_open(const FlowKey& key, const PacketFacts& packet);
  /// `identity`: of a veRoCE packet, CopyLog's.
  Flow open_flow(const FlowKey& key, const PacketFacts& packet, std::optional<std::uint64_t> identity = {});
  ConnectionIndex make_connection(const FlowKey& key);
  ConnectionIndex free_index();
  void drop(ConnectionIndex index);
  /// A flow in another VLAN that a packet belongs to, and whether that is certain.
  struct Elsewhere {
    Flow flow;
    bool is_copy = false;

    explicit operator bool() const { return static_cast<bool>(flow); }
  };
  Elsewhere flow_elsewhere(const FlowKey& key, const PacketFacts& packet, std::optional<std::uint64_t> identity = {});
  bool has_just_passed(const Side& side, const PacketFacts& packet, std::optional<std::uint64_t> identity) const;
  void note_readable(Connection& connection);
  bool is_copy(const Flow& flow, const PacketFacts& packet, const VeroceFacts& more, std::uint64_t identity);
  Flow lodge(const FlowKey& key, const Flow& flow);
  Flow settle_lodgers(const FlowKey& key, const Flow& flow, const PacketFacts& packet,
                      std::optional<std::uint64_t> identity = {});
  Flow also_known_as(const FlowKey& key, const Flow& flow);
  bool is_about_data_captured_twice(const wire::Packet& fast_cnp);
  Flow home_of_cnps(const FlowKey& key, const Flow& flow, const PacketFacts& packet);
  static std::vector<FlowKey> names_of(const Side& side);
  void bring_cnps_home();
  bool strays_are_noise() const { return noise_from_ != 0; }
  bool is_noise(const Connection& connection) const;
  void note_noise();
  void count_stray(std::uint64_t packets);
  void leave_strays_out();
  void try_to_pair(const FlowKey& key, const PacketFacts& packet);
  bool waits_for_other_side(ConnectionIndex index) const;
  void join(ConnectionIndex one, ConnectionIndex other, PairedBy by);
  bool set_aside(Connection& connection, std::size_t side, const PacketFacts& packet, Observation& observation);
  void take_up_outliers(ConnectionIndex index, std::size_t side);
  Observation open_as(std::uint32_t id, const FlowKey& key, const PacketFacts& packet);
  void tell_second_look(const FlowKey& key, const PacketFacts& packet, const Observation& observation);
  void release(const Connection& of, const Connection::Outlier& outlier);
  void release_outliers(Connection& of);
  void doubt(ConnectionIndex index, std::size_t side, const PacketFacts& packet);
  std::optional<Observation> decide_doubt(ConnectionIndex index, std::size_t side, const PacketFacts& packet);
  void lay_doubt(Connection& connection);
  bool end_doubt(ConnectionIndex index);
  std::optional<Observation> begin_anew(ConnectionIndex index, FrameId current = {});
  ResolutionSink* sink_of(Connection& connection) const;
  void retire(ConnectionIndex index);
  void make_room();
  void detach(Connection& connection, ConnectionIndex index);
  void forget(ConnectionIndex index);
  void forget_ended();
  static bool was_stray(const ConnectionCounts& counts);
  void give_back_lists(const Connection& connection);
  void give_back_lists(const ConnectionCounts& counts);
  void say_gone(const ConnectionCounts& counts);
  void on_management(const wire::Packet& packet, const FlowKey& key, FrameId frame, Nanos time);
  void announce(const Announcement& announcement);
  void join_by_ports();

  Context context_;
  Management management_;
  Pairing pairing_;
  CnpLog cnps_;
  FastCnpLog fast_cnps_;
  Lazy<CopyLog> copies_;
  PauseLog pauses_;
  FlowTable flows_;
  tsl::robin_map<FlowKey, Announced, FlowKeyHash> announced_;
  std::deque<std::pair<FlowKey, std::uint64_t>> announced_order_;  // key and number, oldest first
  std::uint64_t announcements_ = 0;
  std::vector<std::unique_ptr<Connection>> connections_;  // index = ConnectionIndex; null when gone
  std::vector<ConnectionIndex> free_;                     // of those that are gone
  std::vector<wire::NetworkKey> networks_;                // that packets were seen in, up to Limits::networks
  std::vector<ConnectionCounts> finished_;
  std::size_t live_ = 0;
  std::uint32_t next_id_ = 1;
  std::uint64_t evicted_ = 0;
  std::uint64_t silent_ = 0;
  std::function<void(const ConnectionCounts&)> gone_;
  bool at_end_ = false;       // finish() has begun
  std::uint64_t joined_ = 0;  // connections of which two directions were seen
  std::uint64_t strays_ = 0;
  std::uint64_t listed_strays_ = 0;  // of these, in finished_
  std::uint64_t stray_packets_ = 0;
  // Of these, told as gone: counted with the connections they were listed with.
  std::uint64_t told_strays_ = 0;
  std::uint64_t told_stray_packets_ = 0;
  std::uint32_t noise_from_ = 0;  // id that was next when strays became noise; 0: they are none
  std::uint64_t management_frames_ = 0;
  std::uint64_t stray_damaged_packets_ = 0;
  std::size_t raw_connections_ = 0;  // live ones that are `is_raw`
  ManagementDatagram last_management_;
  tsl::robin_map<IpAddress, bool, IpAddressHash> good_sources_;  ///< hosts whose ICRCs mean something
};

}  // namespace rocetop::track
