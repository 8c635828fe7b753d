// SPDX-License-Identifier: BSD-3-Clause
// SelectiveSpace: PSNs that one side of a veRoCE connection gives its requests, or its responses, seen at one tap, and
// what the other side's ACKs, SACKs and NAKs say about them. Receivers take packets in any order and senders resend
// single PSNs, so a gap is no loss: lost is what a SACK or NAK asks for again, or a timer, and is sent again.
// (Reference: third-party readings of the veRoCE specification v2.0.4.) It knows nothing of queue pairs or pairing: the
// connection feeds it. For RoCEv2 this is RequestSpace's and ResponseSpace's work.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "track/context.h"
#include "track/counts.h"
#include "track/episode_log.h"
#include "track/fit.h"
#include "track/history.h"
#include "track/missing.h"
#include "track/observation.h"
#include "track/packet_facts.h"
#include "track/path_log.h"
#include "track/round_trips.h"
#include "track/veroce_counts.h"
#include "track/veroce_facts.h"

namespace rocetop::track {

/// What is remembered of a PSN.
struct SelectiveSlot {
  enum class State : std::uint8_t { kEmpty, kMissing, kSeen };
  enum class Asked : std::uint8_t { kNot, kSack, kRnr, kNak };  ///< the later, the better it explains a resend
  static constexpr std::size_t kShares = 3;                     ///< of SlotBudget

  Nanos first_time;  ///< first transmission seen
  Nanos last_time;   ///< latest transmission seen; of a missing one: when it was jumped over
  Nanos asked_time;
  FrameId first_frame;
  FrameId last_frame;
  FrameId asked_frame;  ///< the reply that asks for it, since it was last sent
  std::uint32_t payload_bytes = 0;
  std::uint16_t udp_src = 0;  ///< of the latest transmission
  std::uint16_t ip_id = 0;
  std::uint16_t lost_on = 0;  ///< the path that is held to have lost it, where `counted_lost`
  std::uint8_t opcode = 0;
  State state = State::kEmpty;
  Asked asked = Asked::kNot;
  std::uint8_t transmissions = 0;  ///< saturating
  std::uint8_t resends = 0;        ///< saturating
  bool wants_reply = false;        ///< AckReq, READ or atomic
  bool bad_icrc = false;           ///< no transmission with a good ICRC so far
  bool trimmed = false;            ///< … the latest one
  bool flagged = false;            ///< … had the Retrans flag
  bool received = false;           ///< a SACK says so
  bool told_hole = false;          ///< a SACK said it is not
  bool original_due = false;       ///< it was resent, and its original, which never passed, may still come late
  bool counted_lost = false;
};

class SelectiveSpace {
 public:
  explicit SelectiveSpace(SpaceName name) : name_(name) {}

  /// A packet that takes a PSN. `delivered` is false for one whose ICRC is bad where ICRCs mean something. Whether it
  /// is the first of its PSN that passed the tap whole.
  bool on_packet(const PacketFacts& packet, const VeroceFacts& more, bool delivered, PathLog& paths, Context& context,
                 Observation& observation);

  /// An ACK, SACK or NAK of the other side that names PSNs of this space.
  void on_reply(const PacketFacts& reply, const VeroceFacts& more, PathLog& paths, Context& context,
                Observation& observation);

  /// Judgements that waited for the clock (kDirectionSkew).
  void settle(Nanos now, Context& context);

  /// Everything still open gets its final fate.
  void finish(Context& context);

  /// How well an acknowledgement's PSN fits what was sent here.
  Fit fits(const PacketFacts& reply) const;
  /// Whether the same packet passed within kCopyWindow.
  bool has_just_seen(const PacketFacts& packet) const;
  /// Whether `packet` lies so far from what was sent that no loss explains it.
  bool is_far(const PacketFacts& packet) const;

  bool started() const { return started_; }
  Sequence highest() const { return highest_; }
  Sequence first() const { return first_; }
  /// The highest PSN up to which everything was acknowledged; the one before the first when none.
  Sequence received() const { return received_; }
  bool all_acknowledged() const { return started_ && received_ >= highest_; }
  bool replies_seen() const { return last_reply_time_.has_value(); }
  std::optional<Nanos> last_reply_time() const { return last_reply_time_; }
  FrameId last_ack_frame() const { return last_ack_frame_; }
  Nanos last_ack_time() const { return last_ack_time_; }
  Nanos last_new_time() const { return last_new_time_; }
  Nanos last_packet_time() const { return last_packet_time_; }
  FrameId last_packet_frame() const { return last_packet_frame_; }
  /// Sent, and neither acknowledged nor told as received.
  std::uint64_t unacknowledged() const;

  RoundTripCounts round_trips() const { return round_trips_.counts(); }
  Nanos shortest_round_trip() const { return round_trips_.shortest(); }
  const VeroceRecovery& recovery() const { return recovery_; }
  SpaceCounts total() const;
  /// For who shortens its lists; the highest PSN is in total() alone.
  SpaceCounts& counts() { return counts_; }
  const SpaceCounts& counts() const { return counts_; }
  std::size_t slots() const { return slots_.shares(); }
  std::size_t open_runs_claimed() const { return missing_.claimed(); }

 private:
  using Slot = SelectiveSlot;
  /// One PSN's packet on its way through on_packet().
  struct Sent {
    Sequence seq;
    const PacketFacts& packet;
    const VeroceFacts& more;
    bool delivered;
  };

  void start(const PacketFacts& packet, const VeroceFacts& more);
  void reach(Sequence seq, Context& context);
  void on_new(const Sent& sent, PathLog& paths, Context& context, Observation& observation);
  void on_before_first(const Sent& sent, PathLog& paths, Context& context, Observation& observation);
  void on_missing(const Sent& sent, Slot* slot, PathLog& paths, Context& context, Observation& observation);
  bool on_seen(const Sent& sent, Slot* slot, PathLog& paths, Context& context, Observation& observation);
  void note_late(const Sent& sent, Nanos overtaken, PathLog& paths, Context& context, Observation& observation);
  void on_late_original(const Sent& sent, Slot& slot, PathLog& paths, Context& context, Observation& observation);
  void settle_forgotten(Sequence last, Context& context);
  void settle_through(Sequence last, Context& context);
  void close_gaps(Nanos now) { closing_ = received_, closing_since_ = now; }
  void settle_run(const MissingPsns::Run& run, Outcome otherwise, Context& context);
  void count_resends_of(const MissingPsns::Run& run);
  void note_early_gap(Sequence last);
  bool is_before_capture(Sequence seq) const;
  bool may_still_come(const MissingPsns::Run& run) const;
  bool is_copy(const Sent& sent, const Slot& slot) const;
  void note_depth(Sequence behind, FrameId frame);
  void remember(const Sent& sent, Slot* slot);
  Cause cause_of(Sequence seq, const Slot* slot, const PacketFacts& packet, Nanos sent_before) const;
  void resend(const Sent& sent, Slot* slot, bool unseen, Nanos sent_before, PathLog& paths, Context& context,
              Observation& observation);
  void note_episode(const Sent& sent, const Slot* slot, Cause cause, bool unseen, Nanos sent_before, Context& context);
  void end_episode(Context& context) { episodes_.end(counts_, context); }

  void ask(Sequence seq, Slot::Asked asked, const PacketFacts& reply);
  void on_sack(Sequence acknowledged, const PacketFacts& reply, const VeroceFacts& more, PathLog& paths,
               Context& context);
  void advance_received(Sequence seq, const PacketFacts& reply, PathLog& paths, Context& context);
  void on_received(Slot& slot, const PacketFacts& reply, PathLog& paths, Context& context);
  std::optional<Nanos> round_trip(Sequence seq, const PacketFacts& reply) const;

  SpaceName name_;
  bool started_ = false;
  bool ids_count_ = false;  // the sender's IP ids differ from packet to packet
  std::uint16_t last_ip_id_ = 0;
  Sequence first_ = 0;
  Sequence highest_ = 0;
  Sequence received_ = 0;
  Nanos last_packet_time_;
  Nanos last_new_time_;
  FrameId last_packet_frame_;
  SlotRing<Slot> slots_;
  MissingPsns missing_;
  EpisodeLog episodes_;
  RoundTrips round_trips_;
  std::optional<Nanos> last_reply_time_;
  FrameId last_ack_frame_;
  Nanos last_ack_time_;
  Sequence resent_through_ = 0;  // the highest PSN that was ever resent
  Nanos last_resend_time_;
  Nanos longest_late_;  // the longest time that an original came behind what had overtaken it
  /// A gap soon after the first packet seen: how long after it the PSN passed that the gap is behind.
  struct EarlyGap {
    Sequence last = 0;
    Nanos since_first;
  };
  std::vector<EarlyGap> early_gaps_;  // ascending
  Nanos first_time_;
  bool begins_in_sight_ = false;     // the first packet seen is the first of the connection
  std::optional<Sequence> closing_;  // gaps up to here were acknowledged; settled kDirectionSkew later
  Nanos closing_since_;
  SpaceCounts counts_;
  VeroceRecovery recovery_;
};

}  // namespace rocetop::track
