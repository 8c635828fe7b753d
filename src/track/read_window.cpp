// SPDX-License-Identifier: BSD-3-Clause
#include "track/read_window.h"

#include <algorithm>

namespace rocetop::track {

void ReadWindow::add(const PendingRead& read) {
  if (reads_.size() >= kMost) reads_.erase(reads_.begin(), reads_.begin() + kMost / 2);
  const auto at = std::upper_bound(reads_.begin(), reads_.end(), read.first,
                                   [](Sequence s, const PendingRead& r) { return s < r.first; });
  reads_.insert(at, read);
}

std::size_t ReadWindow::lower(Sequence s) const {
  const auto after =
      std::upper_bound(reads_.begin(), reads_.end(), s, [](Sequence x, const PendingRead& r) { return x < r.first; });
  return after == reads_.begin() ? 0 : static_cast<std::size_t>(after - reads_.begin()) - 1;
}

PendingRead* ReadWindow::find(Sequence s) {
  if (reads_.empty()) return nullptr;
  PendingRead& read = reads_[lower(s)];
  return s >= read.first && s <= read.last ? &read : nullptr;
}

}  // namespace rocetop::track
