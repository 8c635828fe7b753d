// SPDX-License-Identifier: BSD-3-Clause
#include "engine/frame_book.h"

#include <algorithm>

namespace rocetop::engine {

FrameObserver FrameBook::observer() {
  return [this](const source::Frame& frame, const wire::Decoded& decoded, const track::Observation& observation) {
    on_frame(frame, decoded, observation);
  };
}

FrameRecord* FrameBook::use(std::uint64_t frame) {
  const auto found = index_.find(frame);
  if (found != index_.end()) return &records_[found->second];
  if (records_.size() >= frame_limit_) return nullptr;
  records_.emplace_back();
  index_.emplace(frame, static_cast<std::uint32_t>(records_.size() - 1));
  return &records_.back();
}

void FrameBook::on_frame(const source::Frame& frame, const wire::Decoded& decoded,
                         const track::Observation& observation) {
  if (decoded.kind != wire::FrameKind::kRoce) return;
  FrameRecord* record = use(frame.id.number());
  if (record == nullptr) {
    ++omitted_;
    return;
  }
  record->time = frame.time;
  record->observed = true;
  record->observation = observation;
  record->note = notes_.on_packet(frame.id.number(), frame.time, decoded.packet, observation);
}

void FrameBook::on_resolution(const track::Resolution& resolution) {
  if (FrameRecord* record = use(resolution.frame.number())) record->settlement.add(resolution);
}

const FrameRecord* FrameBook::find(std::uint64_t frame) const {
  const auto found = index_.find(frame);
  if (found == index_.end()) return nullptr;
  const FrameRecord& record = records_[found->second];
  return record.observed ? &record : nullptr;
}

std::uint64_t FrameBook::completed_in(const MessageNote& message) const {
  if (message.answered_in != 0) return message.answered_in;
  if (message.has_response || message.last_frame == 0) return 0;
  const FrameRecord* last = find(message.last_sent_frame);
  return last == nullptr ? 0 : last->settlement.acked_in.number();
}

std::optional<Nanos> FrameBook::completion_time(const MessageNote& message) const {
  const FrameRecord* reply = find(completed_in(message));
  if (reply == nullptr) return std::nullopt;
  return std::max(reply->time - message.first_time, Nanos{});
}

}  // namespace rocetop::engine
