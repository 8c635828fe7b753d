// SPDX-License-Identifier: BSD-3-Clause
#include "model/path_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace rocetop::model {

std::vector<std::size_t> worst_paths_first(const std::vector<track::VerocePath>& paths) {
  const auto trouble = [&](std::size_t i) {
    const track::VerocePath& p = paths[i];
    return std::tuple(p.lost + p.trimmed + p.asked_by_nak, p.slow_signals, p.ce_packets + p.cnps, p.packets);
  };
  std::vector<std::size_t> order(paths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return trouble(a) > trouble(b); });
  return order;
}

}  // namespace rocetop::model
