// SPDX-License-Identifier: BSD-3-Clause
// What rules about speed ask of a direction's messages: the operation that moves most, and how busy it was.
#pragma once

#include <optional>

#include "track/counts.h"

namespace rocetop::verdict {

struct MainMessages {
  track::Operation operation = track::Operation::kWrite;
  const track::MessageCounts* counts = nullptr;
};

/// The operation that moved most bytes; nothing where no message was seen to its end.
inline std::optional<MainMessages> main_messages(const track::DirectionCounts& direction) {
  MainMessages best;
  for (std::size_t i = 0; i < track::kOperations; ++i) {
    const auto& counts = direction.messages.operations[i];
    if (!counts || counts->complete == 0) continue;
    if (!best.counts || counts->bytes > best.counts->bytes) best = {static_cast<track::Operation>(i), counts.get()};
  }
  return best.counts ? std::optional{best} : std::nullopt;
}

inline std::uint64_t complete_messages(const track::DirectionCounts& direction) {
  std::uint64_t n = 0;
  for (const auto& counts : direction.messages.operations) n += counts ? counts->complete : 0;
  return n;
}

/// Share of the time in which nothing was outstanding; 1 for a direction without messages.
inline double host_share(const track::DirectionCounts& direction) {
  const auto& time = direction.messages.time;
  return time.wall.count > 0 ? static_cast<double>(time.host.count) / static_cast<double>(time.wall.count) : 1.0;
}

}  // namespace rocetop::verdict
