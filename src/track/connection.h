// SPDX-License-Identifier: BSD-3-Clause
// Connection: one or two sides, joined when it is known that they belong together. Replies of a side that is not joined
// yet are held and replayed.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "track/context.h"
#include "track/counts.h"
#include "track/flow_key.h"
#include "track/held_back.h"
#include "track/observation.h"
#include "track/packet_facts.h"
#include "track/side.h"

namespace rocetop::track {

/// What keeps connections apart, besides queue pair numbers.
struct ConnectionFacts {
  wire::Protocol protocol = wire::Protocol::kRoceV2;
  wire::NetworkKey network;
};

class Connection {
 public:
  Connection() = default;
  Connection(const Connection& other);
  /// Memory of the ordinary kind, aligned here: of what the C library aligns, it finds little again when many
  /// connections come and go.
  static void* operator new(std::size_t bytes, std::align_val_t alignment);
  static void operator delete(void* object, std::size_t bytes, std::align_val_t alignment);
  Connection& operator=(const Connection&) = delete;

  /// Adds a side that sends what `key` says; returns its index, 0 or 1.
  std::size_t add_side(const FlowKey& key);

  /// Asks for the memory that a packet of a side will touch, first behind one pointer, then behind a second one.
  void fetch(std::size_t side, const PacketFacts& packet) const;
  void fetch_further(std::size_t side, const PacketFacts& packet) const;

  /// One packet of a side.
  void on_packet(std::size_t side, const PacketFacts& packet, Context& context, Observation& observation);

  /// The same of a veRoCE packet.
  void on_veroce(std::size_t side, const PacketFacts& packet, const VeroceFacts& more, Context& context,
                 Observation& observation);
  /// Whether a veRoCE request begins another connection of the same queue pair.
  bool begins_anew(std::size_t side, const PacketFacts& packet, const VeroceFacts& more);

  /// What most packets are, in a few steps: a SEND or WRITE, next in order, that took the path of the one before it,
  /// and nothing is missing, resent or congested. A shortcut: on_packet() would do the same, and a test holds the two
  /// against each other. False, and nothing done, for every other packet.
  bool take_ordinary(std::size_t side, const PacketFacts& packet);

  /// Takes over the only side of `other`; replays the replies both held. `other` is empty afterwards.
  void join(Connection& other, PairedBy by, Context& context);
  /// Known from CM before any packet of the second side is seen.
  void announce(const CmFacts& facts, std::uint32_t path_mtu, Qpn own_qpn_of_side_0);

  /// Ends everything open and gives the result.
  ConnectionCounts finish(Context& context);
  /// As it is now, with nothing ended.
  ConnectionCounts counts() const;

  /// Replies that wait for the other side.
  std::size_t held() const;
  bool is_paired() const { return side_count_ == 2; }
  Side& side(std::size_t i) { return *sides_[i]; }
  const Side& side(std::size_t i) const { return *sides_[i]; }
  std::size_t side_count() const { return side_count_; }
  Nanos last_time() const { return last_time_; }
  FrameId first_frame() const { return first_frame_; }
  wire::Transport transport() const { return transport_; }

  /// A packet or two that nothing answered: what noise looks like, and what the beginning of a connection does.
  bool is_stray() const {
    constexpr std::uint64_t kPackets = 2;
    return side_count() == 1 && paired_by_ == PairedBy::kNone && sides_[0]->frames() <= kPackets;
  }

  /// A CNP that is taken for one of side `index`, for now (Side::Lodgers).
  void lodge_cnp(std::size_t index, const PacketFacts& cnp, Context& context, Observation& observation);
  /// They are its own.
  void keep_lodgers(std::size_t index, Context& context);
  /// They were not; gives them back.
  std::vector<PacketFacts> give_up_lodgers(std::size_t index, Context& context);
  /// CNPs that were taken for another connection's.
  void adopt_cnps(std::size_t index, const std::vector<PacketFacts>& cnps, Context& context);

  /// What it holds of the common budgets goes back, or, as it does when a copy takes its place, is taken again.
  void give_back(Context& context) const;
  void take_again(Context& context) const;

  std::uint32_t id = 0;                     ///< ConnectionCounts::id, 0 = not numbered yet
  std::uint32_t noted_bucket = 0xFFFFFFFF;  ///< Pairing's: where this side's window was noted last

  /// While open: is this still the connection it was? (A QPN may be used again.)
  struct Suspicion {
    std::unique_ptr<Connection> before;                        ///< as it was when the doubt arose
    std::vector<std::pair<std::size_t, PacketFacts>> packets;  ///< (side, packet) since then
    std::size_t side = 0;                                      ///< whose request gave rise to it
    bool far = false;            ///< what it is taken for if no reply tells: another connection
    std::uint32_t other_id = 0;  ///< of that, if it has one
    HeldBack told;               ///< what the packets since then would settle
  };
  std::unique_ptr<Suspicion> suspicion;

  /// A request that fits nothing this side sends, with its copies: noise, or the first of a connection that uses the
  /// queue pair next. One packet does not tell; until another agrees with it, it is no part of this connection.
  struct Outlier {
    std::size_t side = 0;
    std::uint32_t id = 0;             ///< of the connection that it is the first packet of
    std::uint64_t requests_seen = 0;  ///< that this side had sent by then; another one since, and it was noise
    std::vector<PacketFacts> packets;

    bool is_copy(const PacketFacts& packet) const {
      return packet.psn == packets.back().psn && packet.time - packets.back().time < kCopyWindow;
    }
  };
  std::vector<Outlier>::iterator find_outlier(std::size_t side) {
    return std::find_if(outliers.begin(), outliers.end(), [&](const Outlier& o) { return o.side == side; });
  }
  /// Whether `packet`, of the side that sent `outlier`, or of the other, may belong to the same connection.
  bool agrees(const Outlier& outlier, const PacketFacts& packet) const;
  /// Whether `reply`, sent by `side`, answers an outlier of the other side.
  bool answers_outlier(std::size_t side, const PacketFacts& reply) {
    const auto outlier = find_outlier(1 - side);
    return outlier != outliers.end() && agrees(*outlier, reply);
  }

 private:
  SenderPause pause_before(std::size_t side, const PacketFacts& packet, Nanos last_data) const;
  bool deliver_cnp(std::size_t side, const PacketFacts& cnp, Context& context);
  void take_cnp(std::size_t side, const PacketFacts& cnp, Context& context);
  void count_cnp(Side& side, const PacketFacts& cnp);
  void deliver_reply(std::size_t side, const PacketFacts& packet, Observation& observation, Context& context);
  void hold_reply(Side& side, const PacketFacts& packet, Context& context);
  void learn_path_mtu(Side& sender, const PacketFacts& packet, Context& context);
  void note_time(const PacketFacts& packet);
  SenderPause veroce_pause_before(std::size_t side, const PacketFacts& packet, Nanos last_data) const;
  void deliver_veroce(std::size_t side, const VeroceSide::Held& said, Context& context, Observation& observation);
  void hold_veroce(std::size_t side, const VeroceSide::Held& said, Context& context);
  void release_veroce(std::size_t side, Context& context);
  static void fill_veroce(const VeroceSide& side, DirectionCounts& out);
  void release_held(std::size_t side, Context& context);
  void fill_direction(std::size_t side, DirectionCounts& out) const;

  wire::Transport transport_ = wire::Transport::kCnp;  // until another packet says more
  PairedBy paired_by_ = PairedBy::kNone;
  bool headers_cut_ = false;
  std::uint8_t side_count_ = 0;  // of sides_
  std::optional<std::uint32_t> path_mtu_;
  std::uint32_t longest_payload_ = 0;  // counted while the path MTU is not known
  FrameId first_frame_;
  FrameId last_frame_;
  Nanos last_time_;

 public:
  bool has_lodgers = false;   ///< a side has, or had, some
  bool has_outliers = false;  ///< `outliers` holds, or held, some
  bool is_raw = false;        ///< of veRoCE packets that fit no layout, and no others

 private:
  std::array<std::optional<Side>, 2> sides_;  // in place: a packet finds its state behind one pointer
  Nanos first_time_;
  std::optional<Qpn> own_qpn_of_side_0_;
  std::optional<CmFacts> cm_;

 public:
  ConnectionFacts facts;
  std::uint32_t pairing_attempts = 0;
  std::vector<Outlier> outliers;  ///< one a side at most
  std::optional<Psn> veroce_far;  ///< of a veRoCE request that was far from all others, if the latest was
};

}  // namespace rocetop::track
