// SPDX-License-Identifier: BSD-3-Clause
#include "engine/flight.h"

#include <algorithm>
#include <utility>

namespace rocetop::engine {

void Flight::push(const Sent& newest) {
  constexpr std::size_t kAtFirst = 16;
  if (size_ == ring_.size()) {
    std::vector<Sent> larger(std::max(kAtFirst, ring_.size() * 2));
    for (std::size_t i = 0; i < size_; ++i) larger[i] = sent(i);
    ring_ = std::move(larger);
    oldest_ = 0;
  }
  ++size_;
  sent(size_ - 1) = newest;
}

void Flight::send(Sequence first, Sequence last, std::uint32_t payload_bytes, bool skipped, FlightBudget& budget) {
  started_ = true;
  open_ = false;
  highest_ = last;
  if (!answered_) return;
  if (skipped) unknown_until_ = std::max(unknown_until_, first - 1);
  if (budget.left == 0) {
    unknown_until_ = last;
    return;
  }
  --budget.left;
  push({last, payload_bytes});
  bytes_ += payload_bytes;
}

void Flight::close(Sequence last) {
  open_ = false;
  if (last <= highest_) return;
  highest_ = last;
  if (size_ != 0) sent(size_ - 1).last = last;
}

void Flight::acknowledge(Sequence last, FlightBudget& budget) {
  if (!answered_) {
    answered_ = true;
    acknowledged_ = last;
    unknown_until_ = highest_;
  }
  acknowledged_ = std::max(acknowledged_, last);
  while (size_ != 0 && sent(0).last <= acknowledged_) {
    bytes_ -= sent(0).bytes;
    ++oldest_;
    --size_;
    ++budget.left;
  }
}

std::optional<std::uint32_t> Flight::psns() const {
  if (!answered_ || open_ || acknowledged_ > highest_) return std::nullopt;
  return static_cast<std::uint32_t>(highest_ - acknowledged_);
}

std::optional<std::uint64_t> Flight::bytes() const {
  if (!answered_ || acknowledged_ > highest_ || acknowledged_ < unknown_until_) return std::nullopt;
  return bytes_;
}

}  // namespace rocetop::engine
