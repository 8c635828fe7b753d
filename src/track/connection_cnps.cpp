// SPDX-License-Identifier: BSD-3-Clause
// Connection and its CNPs: those of its own, copies of them, and those of another VLAN that are taken for its own until
// something shows whose they are.
#include <algorithm>
#include <utility>

#include "track/connection.h"

namespace rocetop::track {

/// A CNP that side `index` sent: it is about the other side's data. False for a copy.
bool Connection::deliver_cnp(std::size_t index, const PacketFacts& cnp, Context& context) {
  Side& sender = *sides_[1 - index];
  if (sender.congestion.use().is_copy(cnp, sender.is_captured_twice())) return false;
  take_cnp(index, cnp, context);
  return true;
}

/// One that is no copy.
void Connection::take_cnp(std::size_t index, const PacketFacts& cnp, Context& context) {
  const Side& receiver = *sides_[index];
  Side& sender = *sides_[1 - index];
  Congestion& congestion = sender.congestion.use();
  const bool sign =
      congestion.on_cnp(cnp, receiver.replies.last_sequence_nak, receiver.replies.last_sequence_nak_time, sender.rate);
  if (sign && !cnp.destination_options) {
    context.receivers.on_sign(sender.key.hosts.src, sender.key.hosts.dst, cnp.frame, cnp.time);
  }
}

/// One that may have passed before what was counted last, or first.
void Connection::count_cnp(Side& side, const PacketFacts& cnp) {
  const FrameId last_frame = side.row.last_frame;
  const Nanos last_time = side.row.last_time;
  side.count(cnp);
  side.row.last_frame = std::max(side.row.last_frame, last_frame);
  side.row.last_time = std::max(side.row.last_time, last_time);
  if (cnp.frame < side.counts.first_frame) {
    side.counts.first_frame = cnp.frame;
    side.counts.first_time = cnp.time;
  }
  if (!first_frame_ || cnp.frame < first_frame_) {
    first_frame_ = cnp.frame;
    first_time_ = cnp.time;
  }
  last_frame_ = std::max(last_frame_, cnp.frame);
  last_time_ = std::max(last_time_, cnp.time);
}

void Connection::adopt_cnps(std::size_t index, const std::vector<PacketFacts>& cnps, Context& context) {
  Side& side = *sides_[index];
  for (const PacketFacts& cnp : cnps) {
    count_cnp(side, cnp);
    if (!is_paired()) {
      hold_reply(side, cnp, context);
    } else {
      deliver_cnp(index, cnp, context);
    }
  }
}

void Connection::lodge_cnp(std::size_t index, const PacketFacts& cnp, Context& context, Observation& observation) {
  Side& side = *sides_[index];
  Side::Lodgers& lodgers = side.lodgers.use();
  observation.kind = Kind::kCnp;
  observation.connection = id;
  if (!is_paired()) {
    hold_reply(side, cnp, context);
  } else if (!deliver_cnp(index, cnp, context)) {
    observation.kind = Kind::kDuplicate;
  }
  // At the bound no more is kept: what comes then stays here. So do copies.
  const bool copy = observation.kind == Kind::kDuplicate;
  if (copy || lodgers.cnps.size() >= context.limits.held_packets || context.held_left == 0) {
    count_cnp(side, cnp);
    if (!copy) side.note_network_of_cnp(lodgers.name.hosts.network);
    return;
  }
  --context.held_left;
  lodgers.cnps.push_back(cnp);
}

void Connection::keep_lodgers(std::size_t index, Context& context) {
  Side& side = *sides_[index];
  if (!side.lodgers) return;
  const Lazy<Side::Lodgers> lodgers = std::exchange(side.lodgers, {});
  context.held_left += lodgers->cnps.size();
  for (const PacketFacts& cnp : lodgers->cnps) {
    count_cnp(side, cnp);
    side.note_network_of_cnp(lodgers->name.hosts.network);
  }
}

std::vector<PacketFacts> Connection::give_up_lodgers(std::size_t index, Context& context) {
  Side& side = *sides_[index];
  const Lazy<Side::Lodgers> lodgers = std::exchange(side.lodgers, {});
  const std::vector<PacketFacts>& cnps = lodgers->cnps;
  context.held_left += cnps.size();
  std::erase(side.also, lodgers->name);
  if (cnps.empty()) return {};
  const auto is_given_up = [&](const PacketFacts& p) {
    return p.role == wire::Role::kCnp &&
           std::any_of(cnps.begin(), cnps.end(), [&](const PacketFacts& cnp) { return cnp.frame == p.frame; });
  };
  context.held_left += std::erase_if(side.held, is_given_up);
  if (is_paired() && sides_[1 - index]->congestion) {
    Lazy<Congestion>& congestion = sides_[1 - index]->congestion;
    if (!congestion.use().forget_cnps(cnps.size())) congestion = {};
  }
  return cnps;
}

}  // namespace rocetop::track
