// SPDX-License-Identifier: BSD-3-Clause
#include "track/history.h"

#include <algorithm>

namespace rocetop::track {

void History::advance(Sequence s) {
  if (slots_.empty()) return;
  const auto size = static_cast<Sequence>(slots_.size());
  if (!used_) {
    used_ = true;
    oldest_ = s;
    newest_ = s;
    slots_[index(s)] = Slot{};
    return;
  }
  for (Sequence i = std::max(newest_ + 1, s - size + 1); i <= s; ++i) slots_[index(i)] = Slot{};
  newest_ = std::max(newest_, s);
}

void History::grow(std::size_t psns, std::size_t most, SlotBudget& budget) {
  std::size_t wanted = std::max<std::size_t>(slots_.size(), 1);
  while (wanted < psns && wanted * 2 <= most) wanted *= 2;
  if (wanted <= slots_.size() || wanted - slots_.size() > budget.left) return;
  budget.left -= wanted - slots_.size();
  std::vector<Slot> larger(wanted);
  if (used_) {
    const auto size = static_cast<Sequence>(slots_.size());
    for (Sequence s = std::max(oldest_, newest_ - size + 1); s <= newest_; ++s) {
      larger[static_cast<std::size_t>(s) & (wanted - 1)] = slots_[index(s)];
    }
    oldest_ = std::max(oldest_, newest_ - size + 1);
  }
  slots_ = std::move(larger);
}

}  // namespace rocetop::track
