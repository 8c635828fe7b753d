// SPDX-License-Identifier: BSD-3-Clause
// Joins: by which number a connection goes, as ResolutionSink::on_join() tells it.
#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>

namespace rocetop::track {

class Joins {
 public:
  /// Beyond `most` a connection keeps the number it has.
  explicit Joins(std::size_t most = std::size_t{1} << 20) : most_(most) {}

  void add(std::uint32_t kept, std::uint32_t gone) {
    if (to_.size() < most_) to_[gone] = kept;
  }
  std::uint32_t final_number(std::uint32_t connection) const {
    // A number that is gone does not come back.
    for (auto to = to_.find(connection); to != to_.end(); to = to_.find(connection)) connection = to->second;
    return connection;
  }

 private:
  std::size_t most_;
  tsl::robin_map<std::uint32_t, std::uint32_t> to_;  // connection -> the one that it is part of
};

}  // namespace rocetop::track
