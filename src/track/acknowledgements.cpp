// SPDX-License-Identifier: BSD-3-Clause
#include "track/acknowledgements.h"

#include <utility>

#include "track/limits.h"

namespace rocetop::track {

void Acknowledgements::on_reply(const PacketFacts& reply) {
  last_reply_time_ = reply.time;
  if (reply.has_aeth) last_msn_ = reply.msn;
}

void Acknowledgements::advance(Sequence seq, const PacketFacts& reply, Sequence highest) {
  received_ = seq;
  last_frame_ = reply.frame;
  last_time_ = reply.time;
  if (seq > highest) {
    beyond_frame_ = reply.frame;
    beyond_time_ = reply.time;
  }
}

void Acknowledgements::close_gaps_later(Nanos now) {
  if (closing_) return;
  closing_ = received_;
  closing_since_ = now;
}

std::optional<Sequence> Acknowledgements::gaps_to_close(Nanos now) {
  if (!closing_ || now - closing_since_ < kDirectionSkew) return std::nullopt;
  return std::exchange(closing_, std::nullopt);
}

void Acknowledgements::resent(Sequence last, bool wants_reply) {
  if (last > answers_.last) {
    answers_.last = last;
    answers_.seen = 0;
  }
  answers_.asked_for += wants_reply ? 1 : 0;
}

bool Acknowledgements::answers_too_many(Sequence seq) {
  return answers_.asked_for > 0 && seq == answers_.last && ++answers_.seen > answers_.asked_for;
}

}  // namespace rocetop::track
