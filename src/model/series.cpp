// SPDX-License-Identifier: BSD-3-Clause
#include "model/series.h"

#include <algorithm>

namespace rocetop::model {
namespace {

constexpr int kWidestShift = 62;           // one bin for each sign of the clock
constexpr std::size_t kKeptCapacity = 64;  // cells: smaller is not worth giving back

void merge(Cell& into, const Cell& cell) {
  into.first_time = std::min(into.first_time, cell.first_time);
  into.last_time = std::max(into.last_time, cell.last_time);
  into.low = std::min(into.low, cell.low);
  into.high = std::max(into.high, cell.high);
  into.frame = std::min(into.frame, cell.frame);
  into.bytes += cell.bytes;
  into.packets += cell.packets;
}

}  // namespace

void Series::add(const Cell& cell) {
  packets_ += cell.packets;
  if (binned() && !cells_.empty() && same_bin(cells_.back(), cell, bin_shift_)) {
    merge(cells_.back(), cell);
    return;
  }
  cells_.push_back(cell);
  if (cells_.size() > limit_) coarsen(std::max<std::size_t>(limit_ / 2, 2));
}

void Series::restrict_to(std::size_t limit) {
  limit_ = std::max<std::size_t>(limit, 2);
  if (cells_.size() > limit_) coarsen(limit_);
}

Series Series::without_cells() const {
  Series empty(limit_);
  empty.bin_shift_ = bin_shift_;
  return empty;
}

void Series::move(std::int64_t shift) {
  for (Cell& cell : cells_) {
    cell.low += shift;
    cell.high += shift;
  }
}

void Series::absorb(const Series& other, std::size_t limit) {
  limit_ = limit;
  for (const Cell& cell : other.cells_) {
    packets_ += cell.packets;
    cells_.push_back(cell);
  }
  bin_shift_ = std::max(bin_shift_, other.bin_shift_);
  sort();
  if (cells_.size() > limit_) coarsen(limit_);
}

void Series::sort() {
  const auto earlier = [](const Cell& a, const Cell& b) { return a.first_time < b.first_time; };
  if (!std::is_sorted(cells_.begin(), cells_.end(), earlier)) std::stable_sort(cells_.begin(), cells_.end(), earlier);
}

/// The narrowest bins that leave at most `most` cells.
void Series::coarsen(std::size_t most) {
  sort();
  int enough = kWidestShift;
  // The bins there are may do: packets added late, or another series, leave several cells in one.
  for (int too_narrow = binned() ? bin_shift_ - 1 : -1; enough - too_narrow > 1;) {
    const int middle = too_narrow + (enough - too_narrow) / 2;
    (cells_at(middle) <= most ? enough : too_narrow) = middle;
  }
  merge_at(enough);
  bin_shift_ = enough;
}

std::size_t Series::cells_at(int shift) const {
  std::size_t n = cells_.empty() ? 0 : 1;
  for (std::size_t i = 1; i < cells_.size(); ++i) n += same_bin(cells_[i - 1], cells_[i], shift) ? 0 : 1;
  return n;
}

void Series::merge_at(int shift) {
  std::size_t kept = 0;
  for (std::size_t i = 1; i < cells_.size(); ++i) {
    if (same_bin(cells_[kept], cells_[i], shift)) {
      merge(cells_[kept], cells_[i]);
    } else {
      cells_[++kept] = cells_[i];
    }
  }
  cells_.resize(std::min(cells_.size(), kept + 1));
  if (cells_.capacity() > kKeptCapacity && cells_.size() * 4 < cells_.capacity()) cells_.shrink_to_fit();
}

}  // namespace rocetop::model
