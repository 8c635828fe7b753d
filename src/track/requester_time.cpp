// SPDX-License-Identifier: BSD-3-Clause
#include "track/requester_time.h"

#include "track/message_book.h"

namespace rocetop::track {

/// Times may step back (two directions, replies that were held): what is accounted for stays so.
void RequesterTime::spend(Stage on, Nanos until) {
  if (until <= mark_) return;
  Nanos& spent = spent_[static_cast<std::size_t>(on)];
  spent = spent + (until - mark_);
  mark_ = until;
}

std::optional<Nanos> RequesterTime::on_request(Nanos time, bool sending, bool behind_gap) {
  std::optional<Nanos> idle;
  if (!started_) {
    started_ = true;
    start_ = mark_ = time;
  } else if (stage_ == Stage::kHost) {
    if (time > mark_) idle = time - mark_;
    spend(Stage::kHost, time);
  } else if (stage_ == Stage::kMoving && sending_ && !behind_gap && time - last_request_ >= MessageBook::kStall) {
    spend(Stage::kMoving, last_request_);
    spend(Stage::kRecovering, time);
  } else {
    // A message that follows another without a reply in between: the sender had room, and used it.
    spend(stage_ == Stage::kRecovering ? Stage::kRecovering : Stage::kMoving, time);
  }
  stage_ = sending ? Stage::kMoving : Stage::kWaiting;
  sending_ = sending;
  last_request_ = time;
  return idle;
}

void RequesterTime::on_resend(Nanos time, Cause cause) {
  if (!started_ || cause == Cause::kSpurious) return;
  if (cause == Cause::kRnr) {
    spend(Stage::kWaiting, time);
    return;
  }
  const bool goes_on = stage_ == Stage::kMoving && time - last_request_ < MessageBook::kStall;
  spend(goes_on ? Stage::kMoving : Stage::kRecovering, time);
  if (!goes_on) stage_ = Stage::kRecovering;
}

void RequesterTime::on_reply(Nanos time, bool idle, bool flowing) {
  if (!started_) return;
  answered_ = true;
  spend(stage_, time);
  stage_ = idle ? Stage::kHost : sending_ || flowing ? Stage::kMoving : Stage::kWaiting;
}

TimeSplit RequesterTime::split() const {
  TimeSplit out;
  if (!answered_) return out;  // the replies are not captured: nothing is known of what it waited for
  out.wall = mark_ - start_;
  out.host = spent_[static_cast<std::size_t>(Stage::kHost)];
  out.moving = spent_[static_cast<std::size_t>(Stage::kMoving)];
  out.peer = spent_[static_cast<std::size_t>(Stage::kWaiting)];
  out.network = spent_[static_cast<std::size_t>(Stage::kRecovering)];
  return out;
}

}  // namespace rocetop::track
