// SPDX-License-Identifier: BSD-3-Clause
// Selection: which connections are shown (--connection, --host, --qp; in Wireshark a display filter). It never changes
// what was analysed.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>

#include "base/ip_address.h"
#include "base/psn.h"
#include "model/snapshot.h"

namespace rocetop::model {

struct Selection {
  std::optional<std::uint32_t> connection;                       ///< id
  std::optional<IpAddress> host;                                 ///< either side
  std::optional<Qpn> qp;                                         ///< either side
  std::optional<std::unordered_set<std::uint32_t>> connections;  ///< ids: one of these

  bool everything() const { return !connection && !host && !qp && !connections; }
  bool matches(const track::ConnectionCounts& c) const;
};

/// Keeps the connections that match, the findings about them or about the capture as a whole, and the findings these
/// are consequences of. Counts of the capture stay as they are.
Snapshot select(Snapshot snapshot, const Selection& selection);

}  // namespace rocetop::model
