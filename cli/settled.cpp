// SPDX-License-Identifier: BSD-3-Clause
#include "settled.h"

namespace rocetop::cli {

void Settled::on_resolution(const track::Resolution& resolution) {
  auto found = pages_.find(page_of(resolution.frame));
  if (found == pages_.end()) {
    if (pages_.size() >= page_limit_) {
      ++omitted_;
      return;
    }
    found = pages_.emplace(page_of(resolution.frame), std::make_unique<Page>()).first;
  }
  (*found->second)[resolution.frame.number() % kPage].add(resolution);
}

std::optional<present::Final> Settled::find(FrameId frame) const {
  const auto found = pages_.find(page_of(frame));
  if (found == pages_.end()) return std::nullopt;
  const track::Settlement& settlement = (*found->second)[frame.number() % kPage];
  return settlement.fate ? std::optional{settlement} : std::nullopt;
}

}  // namespace rocetop::cli
