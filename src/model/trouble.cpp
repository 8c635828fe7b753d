// SPDX-License-Identifier: BSD-3-Clause
#include "model/trouble.h"

#include <algorithm>
#include <unordered_map>

namespace rocetop::model {
namespace {

using Worst = std::unordered_map<std::uint32_t, verdict::Severity>;

Worst worst_finding_by_connection(const Snapshot& snapshot) {
  Worst worst;
  for (const auto& finding : snapshot.findings) {
    for (const std::uint32_t id : finding.connections) {
      const auto [entry, added] = worst.emplace(id, finding.severity);
      if (!added) entry->second = std::max(entry->second, finding.severity);
    }
  }
  return worst;
}

/// Packets that something went wrong with. CE and CNP are the network working as designed; they break ties only.
std::uint64_t hurt(const ConnectionTotals& t) { return t.retransmitted + t.missing + t.naks + t.rnr_naks + t.bad_icrc; }

int rank(const Trouble& t) { return t.severity ? static_cast<int>(*t.severity) : -1; }

bool worse(const Trouble& x, const Trouble& y) {
  if (rank(x) != rank(y)) return rank(x) > rank(y);
  if (hurt(x.totals) != hurt(y.totals)) return hurt(x.totals) > hurt(y.totals);
  const std::uint64_t x_marks = x.totals.ce + x.totals.cnps;
  const std::uint64_t y_marks = y.totals.ce + y.totals.cnps;
  if (x_marks != y_marks) return x_marks > y_marks;
  if (x.totals.frames != y.totals.frames) return x.totals.frames > y.totals.frames;
  return x.index < y.index;
}

}  // namespace

std::vector<Trouble> by_trouble(const Snapshot& snapshot) {
  const Worst worst = worst_finding_by_connection(snapshot);
  std::vector<Trouble> all(snapshot.connections.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].index = i;
    all[i].totals = totals(snapshot.connections[i]);
    const auto found = worst.find(snapshot.connections[i].id);
    if (found != worst.end()) all[i].severity = found->second;
    const auto& t = all[i].totals;
    all[i].quiet =
        rank(all[i]) < static_cast<int>(verdict::Severity::kWarning) && hurt(t) == 0 && t.ce == 0 && t.cnps == 0;
  }
  std::sort(all.begin(), all.end(), worse);
  return all;
}

}  // namespace rocetop::model
