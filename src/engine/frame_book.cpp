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
  record->note =
      notes_.on_packet(static_cast<std::uint32_t>(frame.id.number()), frame.time, decoded.packet, observation);
  if (notes_.seen_after_all() == 0) return;
  if (FrameRecord* early = use(notes_.seen_after_all())) early->seen_after_all = true;
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
  if (message.has_response) return 0;
  for (const std::uint32_t frame : {message.last_frame, message.last_sent_frame}) {
    const FrameRecord* last = find(frame);
    if (last != nullptr && last->settlement.acked_in) return last->settlement.acked_in.number();
  }
  return 0;
}

std::optional<Nanos> FrameBook::completion_time(const MessageNote& message) const {
  const FrameRecord* reply = find(completed_in(message));
  if (reply == nullptr) return std::nullopt;
  return std::max(reply->time - message.first_time, Nanos{});
}

}  // namespace rocetop::engine
