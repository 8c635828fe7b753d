// SPDX-License-Identifier: BSD-3-Clause
#include "track/triggers.h"

#include <algorithm>

#include "track/limits.h"

namespace rocetop::track {
namespace {

constexpr std::size_t kMost = 16;  // NAKs a sender may not have answered yet

/// How far behind a NAK the first resent packet may be when the capture missed the ones between.
constexpr Sequence kSlack = 64;

}  // namespace

void Triggers::add(const Trigger& trigger) {
  if (name(trigger.seq)) return;
  if (triggers_.size() >= kMost) triggers_.erase(triggers_.begin());
  triggers_.push_back(trigger);
}

const Trigger* Triggers::answered_by(Sequence seq, Nanos now, Sequence received) const {
  const Trigger* near = nullptr;
  for (const Trigger& trigger : triggers_) {
    const bool acknowledged = trigger.seq <= received;
    if (trigger.seq == seq && (!acknowledged || now - trigger.time < kCrossing)) return &trigger;
    if (!acknowledged && seq > trigger.seq && seq <= trigger.seq + kSlack) near = &trigger;
  }
  return near;
}

bool Triggers::name(Sequence seq) const {
  return std::any_of(triggers_.begin(), triggers_.end(), [&](const Trigger& t) { return t.seq == seq; });
}

bool Triggers::name_after(Sequence seq, Nanos time) const {
  return std::any_of(triggers_.begin(), triggers_.end(),
                     [&](const Trigger& t) { return t.seq == seq && t.time > time; });
}

void Triggers::use_until(Nanos time) {
  std::erase_if(triggers_, [&](const Trigger& t) { return t.time <= time; });
}

}  // namespace rocetop::track
