// SPDX-License-Identifier: BSD-3-Clause
// ReadWindow: the READ, atomic, FLUSH and ATOMIC WRITE requests of a space that responses may still refer to, with the
// PSNs each one takes (IBTA vol. 1, 9.7.2.1: a READ takes one PSN per response packet).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/frame_id.h"
#include "base/nanos.h"
#include "base/psn.h"
#include "track/missing.h"

namespace rocetop::track {

/// PSNs that a READ of `bytes` takes: max(1, ceil(bytes / pmtu)).
constexpr Sequence read_span(std::uint32_t bytes, std::uint32_t pmtu) {
  return bytes == 0 ? 1 : (static_cast<Sequence>(bytes) + pmtu - 1) / pmtu;
}

struct PendingRead {
  Sequence first = 0;
  Sequence last = 0;      ///< while the span is not known: what it takes at least, or, if followed, at most
  Sequence answered = 0;  ///< responses seen in order up to here; first - 1 when none
  Sequence passed = 0;    ///< … since it was last asked for
  Nanos passed_time;      ///< when the last of them was seen, or when it was asked for
  Sequence paused = 0;    ///< the last of them that came after a pause (kDirectionSkew)
  FrameId frame;
  Nanos time;
  std::uint32_t bytes = 0;
  std::uint32_t address = 0;  ///< low half
  bool bytes_known = false;
  bool span_known = false;
  FrameId followed_by;  ///< while the span is not known: the next new request
  Nanos followed_time;
  bool asked_again = false;  ///< in whole or from the middle
  Sequence asked_again_from = 0;
  Nanos asked_again_time;
  FrameId asked_again_frame;
  Cause asked_again_for = Cause::kUnknown;  ///< why

  bool complete() const { return answered >= last; }
  /// Its response `s` was seen. `may_be_taken`: its requester has what was before this READ, as far as the tap shows.
  void on_response(Sequence s, Nanos time, bool may_be_taken);
  /// It is asked for again, from `s` on.
  void ask_again(Sequence s, FrameId again_frame, Nanos again_time);
  /// Whether the response `s` passed the tap in order right behind what was before it, and another one after it: its
  /// requester, if it has not got it, did not just ask too early.
  bool passed_by(Sequence s) const { return passed > s && paused < s; }
};

class ReadWindow {
 public:
  /// At kMost, or where all spaces together remember too many, the older half is forgotten.
  void add(const PendingRead& read, SpaceCounts& counts, ListBudget& budget);
  /// Entries claimed of ListBudget::reads_left.
  std::size_t claimed() const { return claimed_; }
  /// The request whose PSNs hold `s`, newest first.
  PendingRead* find(Sequence s);
  /// The response `s` of `read`, one of this window, was seen.
  void on_response(PendingRead& read, Sequence s, Nanos time);
  const PendingRead* find(Sequence s) const { return const_cast<ReadWindow*>(this)->find(s); }
  PendingRead* newest() { return reads_.empty() ? nullptr : &reads_.back(); }
  template <typename Function>
  void each(Function&& function) {
    for (PendingRead& read : reads_) function(read);
  }
  const PendingRead* newest() const { return reads_.empty() ? nullptr : &reads_.back(); }
  /// Every remembered request overlapping [first, last], ascending.
  template <typename Function>
  void each_overlapping(Sequence first, Sequence last, Function&& function) const {
    for (std::size_t i = lower(first); i < reads_.size() && reads_[i].first <= last; ++i) {
      if (reads_[i].last >= first) function(reads_[i]);
    }
  }
  /// First remembered PSN; only meaningful when not empty.
  Sequence oldest() const { return reads_.front().first; }
  bool empty() const { return reads_.empty(); }

 private:
  static constexpr std::size_t kMost =
      2048;  // responder resources are at most 255; the rest is memory of finished ones
  /// Index of the first entry that may reach `s`.
  std::size_t lower(Sequence s) const;

  std::vector<PendingRead> reads_;  // ascending by first
  std::size_t claimed_ = 0;
};

}  // namespace rocetop::track
