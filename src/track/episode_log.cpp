// SPDX-License-Identifier: BSD-3-Clause
#include "track/episode_log.h"

#include <algorithm>

namespace rocetop::track {

void EpisodeLog::begin(const Open& open) {
  open_.assign(1, open);
  frames_.clear();
}

void EpisodeLog::add(Sequence last, const PacketFacts& packet, bool wasted, bool unseen, const Context& context) {
  Episode& e = open_.front().episode;
  ++e.packets;
  e.bytes += packet.payload_bytes;
  e.wasted_packets += wasted ? 1 : 0;
  e.unseen_packets += unseen ? 1 : 0;
  e.last_frame = packet.frame;
  open_.front().last = std::max(open_.front().last, last);
  open_.front().next = last + 1;
  e.last_psn = wire_psn(open_.front().last);
  if (context.sink && frames_.size() < kFramesMost) frames_.push_back(packet.frame);
}

void EpisodeLog::replies_are_captured(SpaceCounts& counts) {
  // The first one may answer a NAK from before the capture, if it goes back to what was sent there.
  const auto from_before = [&](const Episode& e, bool first) {
    return first && counts.first_psn && serial_difference(e.first_psn.value, counts.first_psn->value) < 0;
  };
  const auto judge = [&](Episode& e, bool first) {
    if (e.cause != Cause::kUnknown || e.wait < kSilence || from_before(e, first)) return false;
    e.cause = Cause::kTimeout;
    return true;
  };
  if (is_open()) judge(open_.front().episode, counts.episodes.empty());
  for (Episode& e : counts.episodes) {
    if (!judge(e, &e == counts.episodes.data())) continue;
    constexpr auto kFrom = static_cast<std::size_t>(Cause::kUnknown);
    --counts.episodes_by_cause[kFrom];
    counts.retransmitted_by_cause[kFrom] -= e.packets;
    counts.retransmitted_bytes_by_cause[kFrom] -= e.bytes;
    ++counts.episodes_by_cause[static_cast<std::size_t>(Cause::kTimeout)];
    counts.add_retransmitted(Cause::kTimeout, e.packets, e.bytes);
  }
}

void EpisodeLog::end(SpaceCounts& counts, Context& context) {
  if (!is_open()) return;
  Episode& e = open_.front().episode;
  // Where the loss was before the tap, what the tap had seen had passed the place of loss, and was sent again only
  // because the sender goes back as a whole. After an RNR NAK the responder really took none of it.
  if (open_.front().goes_back && e.unseen_packets > 0 && e.cause != Cause::kRnr) {
    e.wasted_packets = std::max(e.wasted_packets, e.packets - e.unseen_packets);
  }
  ++counts.episodes_by_cause[static_cast<std::size_t>(e.cause)];
  counts.add_retransmitted(e.cause, e.packets, e.bytes);
  if (counts.episodes.size() < context.lists.per_list && context.lists.left > 0) {
    --context.lists.left;
    counts.episodes.push_back(e);
  } else {
    ++counts.episodes_omitted;
  }
  if (context.sink) {
    for (const FrameId frame : frames_) {
      context.sink->on_resolution({frame, Resolution::Fate::kRetransmission, e.cause, e.trigger_frame, FrameId{}});
    }
  }
  frames_.clear();
  open_.clear();
}

}  // namespace rocetop::track
