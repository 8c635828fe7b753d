// SPDX-License-Identifier: BSD-3-Clause
// How much trouble a connection is in: the order of tables, and which connections may be left out of them.
// An order for people, not a measurement; no number of it is ever shown.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/snapshot.h"
#include "model/totals.h"

namespace rocetop::model {

struct Trouble {
  std::size_t index = 0;  ///< into Snapshot::connections
  ConnectionTotals totals;
  std::optional<verdict::Severity> severity;  ///< of the worst finding that names the connection
  bool quiet = false;                         ///< nothing that a person should look at
};

/// Every connection, worst first; equal ones by packets, then by id.
std::vector<Trouble> by_trouble(const Snapshot& snapshot);

}  // namespace rocetop::model
