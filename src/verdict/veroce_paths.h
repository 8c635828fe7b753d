// SPDX-License-Identifier: BSD-3-Clause
// How many paths a veRoCE direction uses, in words: senders may spread over more UDP source ports than are told apart.
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/number_text.h"
#include "track/veroce_counts.h"

namespace rocetop::verdict {

/// Packets passed over ports that found no room among `paths`.
inline bool uses_more_paths(const track::VeroceDirection& direction) { return direction.packets_elsewhere > 0; }

/// "4"; "at least 257" where more are in use than are told apart.
inline std::string path_count_text(const track::VeroceDirection& direction) {
  const std::size_t kept = direction.paths.size();
  return uses_more_paths(direction) ? fmt::format("at least {}", kept + 1) : std::to_string(kept);
}

/// A sentence about the paths that are not told apart, with a leading space; empty where there are none.
inline std::string untold_paths_text(const track::VeroceDirection& direction) {
  if (!uses_more_paths(direction)) return {};
  return fmt::format(" Only the first {} UDP source ports are told apart; {} of this direction went over further ones.",
                     track::kVerocePaths, plural(direction.packets_elsewhere, "packet"));
}

}  // namespace rocetop::verdict
