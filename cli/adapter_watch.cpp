// SPDX-License-Identifier: BSD-3-Clause
#include "adapter_watch.h"

#include "source/input_name.h"
#include "source/live_interfaces.h"

namespace rocetop::cli {

std::optional<std::string> AdapterWatch::look(Clock::time_point now) {
  if (looked_ && now - *looked_ < kBetween) return std::nullopt;
  looked_ = now;
  auto found = source::unwatched_interfaces(watched_);
  if (found == unwatched_) return std::nullopt;
  unwatched_ = std::move(found);
  if (unwatched_.empty()) return std::nullopt;
  return "warning: " + source::input_names(unwatched_) + (unwatched_.size() == 1 ? " has" : " have") +
         " an RDMA device, and no part in what is watched: start rocetop again, or name interfaces with -i";
}

}  // namespace rocetop::cli
