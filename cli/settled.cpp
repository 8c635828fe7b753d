// SPDX-License-Identifier: BSD-3-Clause
#include "settled.h"

#include "track/packet_facts.h"

namespace rocetop::cli {

track::Settlement* Settled::use(FrameId frame) {
  auto found = pages_.find(page_of(frame));
  if (found == pages_.end()) {
    if (pages_.size() >= page_limit_) {
      ++omitted_;
      return nullptr;
    }
    found = pages_.emplace(page_of(frame), std::make_unique<Page>()).first;
  }
  return &(*found->second)[frame.number() % kPage];
}

void Settled::on_resolution(const track::Resolution& resolution) {
  if (track::Settlement* settlement = use(resolution.frame)) settlement->add(resolution);
}

void Settled::on_gap_fate(const track::GapFate& fate) {
  if (track::Settlement* settlement = use(fate.frame)) settlement->add(fate);
}

void Settled::on_second_look(const track::SecondLook& look) {
  const FrameId frame = look.packet.frame;
  if (const auto page = pages_.find(page_of(frame)); page != pages_.end()) (*page->second)[frame.number() % kPage] = {};
  if (second_looks_.size() >= kSecondLooksMost && second_looks_.count(frame) == 0) {
    ++omitted_;
    return;
  }
  second_looks_.insert_or_assign(frame, look.observation);
}

std::optional<present::Final> Settled::find(FrameId frame) const {
  const auto found = pages_.find(page_of(frame));
  if (found == pages_.end()) return std::nullopt;
  const track::Settlement& settlement = (*found->second)[frame.number() % kPage];
  return settlement.empty() ? std::nullopt : std::optional{settlement};
}

void Settled::on_join(std::uint32_t kept, std::uint32_t gone) { joins_.add(kept, gone); }

track::Observation Settled::final_observation(FrameId frame, const track::Observation& observation) const {
  const auto looked = second_looks_.find(frame);
  track::Observation out = looked == second_looks_.end() ? observation : looked->second;
  out.connection = joins_.final_number(out.connection);
  return out;
}

}  // namespace rocetop::cli
