// SPDX-License-Identifier: BSD-3-Clause
#include "engine/flight.h"

#include <algorithm>

namespace rocetop::engine {

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
  sent_.push_back({last, payload_bytes});
  bytes_ += payload_bytes;
}

void Flight::close(Sequence last) {
  open_ = false;
  if (last <= highest_) return;
  highest_ = last;
  if (!sent_.empty()) sent_.back().last = last;
}

void Flight::acknowledge(Sequence last, FlightBudget& budget) {
  if (!answered_) {
    answered_ = true;
    acknowledged_ = last;
    unknown_until_ = highest_;
  }
  acknowledged_ = std::max(acknowledged_, last);
  while (!sent_.empty() && sent_.front().last <= acknowledged_) {
    bytes_ -= sent_.front().bytes;
    sent_.pop_front();
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
