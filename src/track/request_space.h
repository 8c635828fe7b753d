// SPDX-License-Identifier: BSD-3-Clause
// RequestSpace: the PSNs that one side gives its requests (SEND, WRITE, READ request, atomic), seen at one tap, and
// what the other side's replies say about them. Decides new, missing, reordered, resent or copied; and why the sender
// went back (design: "Per PSN at the tap", "Episode"; IBTA vol. 1, 9.7 for the protocol). It knows nothing of queue
// pairs or pairing: the connection feeds it.
#pragma once

#include <optional>
#include <vector>

#include "track/acknowledgements.h"
#include "track/context.h"
#include "track/counts.h"
#include "track/episode_log.h"
#include "track/fit.h"
#include "track/go_back.h"
#include "track/history.h"
#include "track/late_arrivals.h"
#include "track/message_log.h"
#include "track/missing.h"
#include "track/observation.h"
#include "track/packet_facts.h"
#include "track/path_mtu.h"
#include "track/read_window.h"
#include "track/refusals.h"
#include "track/round_trips.h"
#include "track/triggers.h"

namespace rocetop::track {

class RequestSpace {
 public:
  /// Asks for the memory that a packet, or a reply, will touch: here, and behind pointers. In mid-message it is little.
  void fetch(wire::Position position) const {
    fetch_lines(this, (position == wire::Position::kMiddle ? 3 : 6) * kCacheLine);
  }
  void fetch_further(Psn psn, wire::Position position) const {
    history_.fetch(sequence_of(psn));
    if (position == wire::Position::kMiddle) return;
    messages_.fetch();
    round_trips_.fetch();
  }

  /// A request packet. `pmtu` is the path MTU as far as it is known; `delivered` is false for a packet whose ICRC is
  /// bad where ICRCs mean something: it is seen, but fills no gap.
  void on_request(const PacketFacts& packet, std::optional<std::uint32_t> pmtu, bool delivered, Context& context,
                  Observation& observation);

  /// The same for what most packets are, in a few steps: part of a SEND or WRITE, the next PSN, delivered, with nothing
  /// missing, late or being resent. False, and nothing done, for every other packet.
  bool take_ordinary(const PacketFacts& packet);

  /// A datagram: has no PSN that says anything.
  void on_datagram(const PacketFacts& packet, bool copy) {
    ++packets_;
    payload_bytes_ += packet.payload_bytes;
    counts_.duplicate_packets += copy ? 1 : 0;
  }

  /// An ACK, NAK, RNR NAK or response of the other side.
  void on_reply(const PacketFacts& reply, Context& context, Observation& observation);

  /// A response came with PSN `psn`: a READ at the end whose span is not known (RETH cut off) reaches at least there.
  void on_response_psn(Psn psn);

  /// The path MTU became known, or a payload that fits into it: the spans of READ requests follow from it.
  void on_path_mtu(std::uint32_t pmtu, Context& context);
  void on_payload(std::uint32_t bytes, Context& context);

  /// Judgements that waited for the clock (kDirectionSkew).
  void settle(Nanos now, Context& context);

  /// Everything still open gets its final fate.
  void finish(Context& context);

  /// Would this packet fit a connection that began anew better than this one? (A jump no loss explains, or a step back
  /// to what was acknowledged.) Then only the replies can tell.
  bool is_suspect(const PacketFacts& packet) const;
  /// Whether, with no reply to tell, the packet is taken for another connection.
  bool is_far(const PacketFacts& packet) const;

  /// Whether the same packet passed within kCopyWindow.
  bool has_just_seen(const PacketFacts& packet) const {
    return started_ && is_same_packet(history_.find(extend(highest_, packet.psn)), packet, kCopyWindow);
  }

  /// How well an acknowledgement's PSN fits what was sent here.
  Fit fits(const PacketFacts& reply) const;

  bool started() const { return started_; }
  Sequence highest() const { return highest_; }
  Sequence first() const { return first_; }
  /// Highest PSN that a reply proved received; first() - 1 when none.
  Sequence received() const { return replies_.received(); }
  bool all_acknowledged() const { return started_ && replies_.received() >= highest_; }
  /// Sequence of a PSN near what was sent.
  Sequence sequence_of(Psn psn) const { return extend(highest_, psn); }
  ReadWindow& reads() { return reads_; }
  const ReadWindow& reads() const { return reads_; }
  std::optional<Msn> last_msn() const { return replies_.last_msn(); }
  bool replies_seen() const { return replies_.any_reply(); }
  std::optional<Nanos> last_reply_time() const { return replies_.last_reply_time(); }
  Nanos last_new_time() const { return last_new_time_; }
  FrameId last_request_frame() const { return last_request_frame_; }
  Nanos last_request_time() const { return last_request_time_; }
  FrameId last_ack_frame() const { return replies_.last_frame(); }
  Nanos last_ack_time() const { return replies_.last_time(); }

  /// 0 where none was measured.
  Nanos shortest_round_trip() const { return round_trips_.shortest(); }
  /// What nobody has finished or answered, as of now.
  LeftOver left_over() const;
  std::uint64_t packets() const { return packets_; }
  std::uint64_t copies() const { return counts_.duplicate_packets; }
  RoundTripCounts round_trips() const { return round_trips_.counts(); }
  MessageStats messages() const { return messages_.total(); }

  std::size_t slots() const { return history_.size(); }
  std::size_t open_runs_claimed() const { return missing_.claimed(); }
  std::size_t reads_claimed() const { return reads_.claimed(); }
  SpaceCounts total() const;
  /// For who shortens its lists; packets and highest PSN are in total() alone.
  SpaceCounts& counts() { return counts_; }
  const SpaceCounts& counts() const { return counts_; }

 private:
  /// PSNs before the first one seen that a go-back may still begin with.
  static constexpr Sequence kBeforeFirst = 64;

  bool is_quiet() const;
  bool is_nak_from_before(const PacketFacts& reply) const;
  void start(const PacketFacts& packet);
  void count_answer(Sequence seq);
  SentSoFar sent() const;
  MessageBook::Sent placed() const { return {history_, reads_, highest_, replies_.received(), last_request_time_}; }
  std::optional<Nanos> round_trip(Sequence seq, const PacketFacts& reply) const;
  void learn_from_position(Sequence seq, const PacketFacts& packet, Context& context);
  void close_open_read(Sequence next_seq, const PacketFacts& next, Context& context);
  void reach(Sequence last);
  void settle_spans(Context& context);
  void uncover(Sequence first, const PendingRead& read, Context& context);
  Sequence last_of(Sequence seq, const PacketFacts& packet) const;
  void on_new(Sequence seq, Sequence last, const PacketFacts& packet, bool delivered, Context& context,
              Observation& observation);
  void on_old(Sequence seq, Sequence last, const PacketFacts& packet, bool delivered, Context& context,
              Observation& observation);
  void remember(Sequence seq, const PacketFacts& packet, bool delivered, Context& context);
  bool remember_read(Sequence seq, Sequence last, const PacketFacts& packet, Context& context);
  bool is_copy(const Slot* slot, const PacketFacts& packet) const;
  bool was_overtaken(Sequence seq, Sequence last, const PacketFacts& packet) const;
  void note_late_original(Sequence seq, Observation& observation);
  void hold_late(Sequence seq, Sequence last, const PacketFacts& packet, Context& context, Observation& observation);
  void count_copies();
  const Episode* newest_episode() const;
  bool answered_nak(Sequence seq, const PacketFacts& packet) const;
  void were_originals(const PacketFacts& packet, Episode& resend, Context& context);
  bool copies_were_resends(Sequence seq, const PacketFacts& packet, bool triggered, Context& context);
  bool is_behind_gap(Sequence seq) const;
  bool is_acknowledged(Sequence seq) const { return seq >= first_ && seq <= replies_.received(); }
  bool ids_count() const;
  void late_were_resent(Context& context);
  void begin_episode(Sequence seq, const PacketFacts& packet, Context& context);
  void resend(Sequence seq, Sequence last, const PacketFacts& packet, bool delivered, Context& context,
              Observation& observation);
  void end_episode(Context& context, bool cut_short = false);
  void on_nak(Sequence seq, const PacketFacts& reply, bool rnr);
  void advance_received(Sequence seq, const PacketFacts& reply, Context& context);
  void tell_acknowledged(Sequence first, Sequence last, const PacketFacts& reply, Context& context) const;

  // In the order of how often a packet touches them: state of thousands of queue pairs does not fit the near caches.
  // take_ordinary() makes do with the first two cache lines.
  Sequence highest_ = 0;
  Nanos last_request_time_;
  Nanos last_new_time_;
  FrameId last_request_frame_;
  std::uint64_t packets_ = 0;
  std::uint64_t payload_bytes_ = 0;
  Sequence room_until_ = 0;  // up to here the history is large enough, without a look at what is acknowledged
  std::uint32_t ip_id_changes_ = 0;
  std::uint16_t last_ip_id_ = 0;
  bool quiet_ = false;         // is_quiet(), as far as known: false asks for a look
  bool read_is_open_ = false;  // the newest request is a READ whose span is not known
  History history_;
  MessageLog messages_;
  bool started_ = false;
  Sequence first_ = 0;
  Sequence resent_through_ = 0;  // the highest PSN that was ever resent
  RoundTrips round_trips_;
  Acknowledgements replies_;
  MissingPsns missing_;
  ReadWindow reads_;
  PathMtu mtu_;
  LateArrivals late_;
  std::vector<PacketFacts> copies_;  // in a row: copies, unless the row turns out to be the sender going back
  EpisodeLog episodes_;
  SpaceCounts counts_;
  Triggers naks_;
  Triggers rnrs_;
  Refusals refusals_;
};

}  // namespace rocetop::track
