// SPDX-License-Identifier: BSD-3-Clause
#include "engine/frame_book.h"

#include <algorithm>

namespace rocetop::engine {
namespace {

std::uint32_t number(FrameId id) { return static_cast<std::uint32_t>(id.number()); }

}  // namespace

const FrameRecord* FrameBook::record_of(std::uint32_t frame) const {
  const std::size_t page = frame / kPage;
  if (page >= pages_.size() || pages_[page] == nullptr) return nullptr;
  const std::uint32_t place = (*pages_[page])[frame % kPage];
  return place == 0 ? nullptr : &records_[place - 1];
}

/// The record of a frame, made if there is room for it.
FrameRecord* FrameBook::use(std::uint32_t frame) {
  const std::size_t page = frame / kPage;
  if (page >= pages_.size()) pages_.resize(page + 1);
  if (pages_[page] == nullptr) pages_[page] = std::make_unique<Page>();
  std::uint32_t& place = (*pages_[page])[frame % kPage];
  if (place == 0) {
    if (records_.size() >= frame_limit_) return nullptr;
    records_.emplace_back();
    place = static_cast<std::uint32_t>(records_.size());
  }
  return &records_[place - 1];
}

void FrameBook::on_frame(const source::Frame& frame, const wire::Decoded& decoded,
                         const track::Observation& observation) {
  if (decoded.kind != wire::FrameKind::kRoce) return;
  FrameRecord* record = use(number(frame.id));
  if (record == nullptr) {
    ++omitted_;
    return;
  }
  record->time = frame.time;
  record->observed = true;
  record->observation = observation;
  track::PacketFacts facts;
  track::take_facts(decoded.packet, frame.id, frame.time, frame.wire_length, facts);
  track::FlowKey key;
  track::take_key(decoded.packet, facts.role, key);
  note(key, facts, *record);
}

void FrameBook::note(const track::FlowKey& key, const track::PacketFacts& packet, FrameRecord& record) {
  record.note = notes_.on_packet(key, packet, record.observation);
  if (notes_.seen_after_all() == 0) return;
  if (FrameRecord* early = use(notes_.seen_after_all())) early->seen_after_all = true;
}

void FrameBook::on_resolution(const track::Resolution& resolution) {
  if (FrameRecord* record = use(number(resolution.frame))) record->settlement.add(resolution);
}

void FrameBook::on_gap_fate(const track::GapFate& fate) {
  if (FrameRecord* record = use(number(fate.frame))) record->settlement.add(fate);
}

void FrameBook::on_second_look(const track::SecondLook& look) {
  FrameRecord* record = use(number(look.packet.frame));
  if (record == nullptr) return;
  record->observation = look.observation;
  record->settlement = {};
  record->seen_after_all = false;
  note(look.key, look.packet, *record);
}

void FrameBook::on_join(std::uint32_t kept, std::uint32_t gone) {
  notes_.on_join(kept, gone);
  joins_.add(kept, gone);
}

const FrameRecord* FrameBook::find(std::uint32_t frame) const {
  const FrameRecord* record = record_of(frame);
  return record != nullptr && record->observed ? record : nullptr;
}

std::uint32_t FrameBook::completed_in(const MessageNote& message) const {
  if (message.answered_in != 0) return message.answered_in;
  if (message.has_response) return 0;
  for (const std::uint32_t frame : {message.last_frame, message.last_sent_frame}) {
    const FrameRecord* last = find(frame);
    if (last != nullptr && last->settlement.acked_in) return number(last->settlement.acked_in);
  }
  return 0;
}

std::optional<Nanos> FrameBook::completion_time(const MessageNote& message) const {
  const FrameRecord* reply = find(completed_in(message));
  if (reply == nullptr) return std::nullopt;
  return std::max(reply->time - message.first_time, Nanos{});
}

}  // namespace rocetop::engine
