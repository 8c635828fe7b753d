// SPDX-License-Identifier: BSD-3-Clause
#include "engine/lookahead.h"

#include "wire/plain_frame.h"

namespace rocetop::engine {
namespace {

bool is_tracked(const wire::Decoded& decoded) {
  return decoded.kind == wire::FrameKind::kRoce && decoded.packet.protocol != wire::Protocol::kInfiniband;
}

}  // namespace

void Lookahead::take(const source::Frame& frame) {
  Group& group = groups_[filling_];
  group.frames[group.size] = &frame;
  track::Arrival& arrival = group.arrivals[group.size];
  // Who wants to see the packets gets them decoded.
  wire::PlainFrame plain;
  if (!observer_ && frame.link_type == LinkType::kEthernet && plain.take(frame.bytes) && plain.is_common()) {
    tracker_.prepare(plain, wire::icrc_status(plain, options_), frame.id, frame.time, frame.wire_length, arrival);
  } else {
    wire::Decoded& decoded = group.decoded[group.size];
    wire::decode(frame.link_type, frame.bytes, frame.wire_length, options_, decoded);
    if (decoded.kind == wire::FrameKind::kRoce && decoded.packet.protocol == wire::Protocol::kVeroce) [[unlikely]] {
      veroce_.settle(decoded.packet, frame.has_time ? std::optional{frame.time} : std::nullopt);
    }
    arrival.kind = track::Arrival::Kind::kNone;
  }
  if (++group.size == kGroup) step();
}

void Lookahead::end() {
  for (std::size_t i = 0; i < kSteps; ++i) step();
}

/// Each group takes its next step; then another one may be filled.
void Lookahead::step() {
  const auto before = [&](std::size_t n) -> Group& { return groups_[(filling_ + kSteps - n) % kSteps]; };
  prepare(before(0));
  for (std::size_t i = 0; i < before(1).size; ++i) tracker_.look_up(before(1).arrivals[i]);
  for (std::size_t i = 0; i < before(2).size; ++i) tracker_.look_further(before(2).arrivals[i]);
  analyse(before(3));
  filling_ = (filling_ + 1) % kSteps;
}

/// For the next step: frames that were decoded. (What was just decoded is slow to read.)
void Lookahead::prepare(Group& group) {
  for (std::size_t i = 0; i < group.size; ++i) {
    track::Arrival& arrival = group.arrivals[i];
    if (arrival.kind == track::Arrival::Kind::kPlain || !is_tracked(group.decoded[i])) continue;
    const source::Frame& frame = *group.frames[i];
    tracker_.prepare(group.decoded[i].packet, frame.id, frame.time, frame.wire_length, arrival);
  }
}

void Lookahead::analyse(Group& group) {
  for (std::size_t i = 0; i < group.size; ++i) {
    const source::Frame& frame = *group.frames[i];
    track::Arrival& arrival = group.arrivals[i];
    if (arrival.kind == track::Arrival::Kind::kPlain) {
      log_.add_plain(frame, arrival.facts);
      tracker_.pass(arrival);
    } else {
      analyse(frame, group.decoded[i], arrival);
    }
  }
  group.size = 0;
}

void Lookahead::analyse(const source::Frame& frame, const wire::Decoded& decoded, track::Arrival& arrival) {
  log_.add(frame, decoded);
  track::Observation observation;
  if (arrival.kind == track::Arrival::Kind::kPacket) observation = tracker_.on_packet(arrival);
  if (decoded.kind == wire::FrameKind::kPause) {
    tracker_.on_pause(decoded.pause, frame.interface, frame.id, frame.time, link_speed_(frame.interface));
  }
  if (observer_ && decoded.kind != wire::FrameKind::kOther) observer_(frame, decoded, observation);
}

}  // namespace rocetop::engine
