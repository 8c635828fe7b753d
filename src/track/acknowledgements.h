// SPDX-License-Identifier: BSD-3-Clause
// Acknowledgements: what the other side's replies proved about the requests of a space: how far they were received, by
// which frame, and whether what was resent had arrived already (IBTA vol. 1, 9.7.5: acknowledgements are cumulative).
// It knows nothing of what was sent but where that began.
#pragma once

#include <algorithm>
#include <optional>

#include "base/frame_id.h"
#include "base/nanos.h"
#include "base/psn.h"
#include "track/packet_facts.h"

namespace rocetop::track {

class Acknowledgements {
 public:
  void start(Sequence first) { received_ = first - 1; }

  /// Any reply: somebody answers, and how many messages it has completed.
  void on_reply(const PacketFacts& reply);
  /// An acknowledgement whose AETH is cut off was seen: ACK or NAK.
  void on_unreadable(Sequence seq) {
    unreadable_ = true;
    last_unreadable_ = seq;
  }
  /// Everything up to `seq`, of the PSNs sent up to `highest`, is received. Not called for less than before.
  void advance(Sequence seq, const PacketFacts& reply, Sequence highest);

  /// The receiver waits for `seq`, which was sent before the first one seen: what is from there on has not arrived.
  void waits_for(Sequence seq) {
    if (!last_frame_) received_ = std::min(received_, seq - 1);
  }

  /// Highest PSN proved received; the PSN before the first when none.
  Sequence received() const { return received_; }
  bool any_reply() const { return last_reply_time_.has_value(); }
  std::optional<Nanos> last_reply_time() const { return last_reply_time_; }
  std::optional<Msn> last_msn() const { return last_msn_; }
  bool unreadable() const { return unreadable_; }
  /// The latest reply that came without its AETH was for this PSN: an ACK of it, or a NAK or RNR NAK for it.
  bool may_refuse(Sequence seq) const { return last_unreadable_ == seq; }
  FrameId last_frame() const { return last_frame_; }
  Nanos last_time() const { return last_time_; }
  /// The reply that acknowledged more than the tap saw.
  FrameId beyond_frame() const { return beyond_frame_; }
  Nanos beyond_time() const { return beyond_time_; }

  /// Gaps that were acknowledged are the capture's, but host captures may show an acknowledgement before what it
  /// acknowledges: they wait. The wait begins now, unless it has already.
  void close_gaps_later(Nanos now);
  /// Up to where gaps may be closed now, once after each wait.
  std::optional<Sequence> gaps_to_close(Nanos now);

  /// The sender went back to `seq`: answers are counted from here.
  void went_back(Sequence seq) { answers_ = {seq, 0, 0}; }
  /// It resent PSNs up to `last`, with a packet that wants a reply, or not.
  void resent(Sequence last, bool wants_reply);
  /// An ACK of `seq`. Whether it is the one that proves that all originals had arrived.
  bool answers_too_many(Sequence seq);
  Sequence resent_last() const { return answers_.last; }

 private:
  /// Acknowledgements of the newest episode's last PSN since it began. A receiver answers every duplicate with the
  /// highest PSN it has, but of new packets only those with AckReq: more such answers than AckReqs say that all had
  /// arrived.
  struct Answers {
    Sequence last = 0;  // highest PSN resent
    std::uint32_t asked_for = 0;
    std::uint32_t seen = 0;  // of that PSN
  };

  // What every reply touches comes first.
  Sequence received_ = 0;
  std::optional<Nanos> last_reply_time_;
  FrameId last_frame_;
  Nanos last_time_;
  std::optional<Msn> last_msn_;
  bool unreadable_ = false;
  std::optional<Sequence> last_unreadable_;
  Answers answers_;
  std::optional<Sequence> closing_;  // waits kDirectionSkew
  Nanos closing_since_;
  FrameId beyond_frame_;
  Nanos beyond_time_;
};

}  // namespace rocetop::track
