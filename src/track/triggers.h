// SPDX-License-Identifier: BSD-3-Clause
// Triggers: the NAKs of one kind (sequence error, or RNR) that a sender has not answered by going back yet. Which of
// them a go-back answers is decided here; what it was if none, is not (go_back.h).
#pragma once

#include <vector>

#include "base/frame_id.h"
#include "base/nanos.h"
#include "base/psn.h"

namespace rocetop::track {

struct Trigger {
  Sequence seq = 0;
  FrameId frame;
  Nanos time;
  Nanos advertised;  ///< RNR NAK: the wait it asks for
};

class Triggers {
 public:
  /// One more, unless the same PSN was named already. At the bound the oldest is forgotten.
  void add(const Trigger& trigger);

  /// The one that a go-back to `seq` answers: one that names it; or, where the capture missed the first resends, one
  /// for a PSN just before it that is not acknowledged yet (`received`: what is). What was acknowledged since explains
  /// a resend for a short time only (the two crossed on the way).
  const Trigger* answered_by(Sequence seq, Nanos now, Sequence received) const;

  bool name(Sequence seq) const;
  bool name_after(Sequence seq, Nanos time) const;
  bool empty() const { return triggers_.empty(); }

  /// The sender went back: what it had been told until `time` is used up.
  void use_until(Nanos time);
  void use_all() { triggers_.clear(); }

 private:
  std::vector<Trigger> triggers_;  // oldest first
};

}  // namespace rocetop::track
