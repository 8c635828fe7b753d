// SPDX-License-Identifier: BSD-3-Clause
#include "model/selection.h"

#include <algorithm>
#include <unordered_set>

namespace rocetop::model {
namespace {

using Ids = std::unordered_set<std::uint32_t>;

bool concerns(const verdict::Finding& finding, const Ids& connections, const Selection& selection) {
  if (!finding.connections.empty()) {
    return std::any_of(finding.connections.begin(), finding.connections.end(),
                       [&](std::uint32_t id) { return connections.count(id) != 0; });
  }
  if (finding.hosts.empty()) return true;  // about the capture
  if (!selection.host) return false;
  return std::find(finding.hosts.begin(), finding.hosts.end(), *selection.host) != finding.hosts.end();
}

/// Adds the causes of what is kept, until nothing is added.
void keep_causes(const std::vector<verdict::Finding>& findings, Ids& kept) {
  bool grew = true;
  while (grew) {
    grew = false;
    for (const auto& finding : findings) {
      if (kept.count(finding.id) == 0 || !finding.caused_by) continue;
      grew = kept.insert(*finding.caused_by).second || grew;
    }
  }
}

}  // namespace

bool Selection::matches(const track::ConnectionCounts& c) const {
  if (connection && c.id != *connection) return false;
  if (connections && connections->count(c.id) == 0) return false;
  if (host && c.a_ip != *host && c.b_ip != *host) return false;
  return !qp || c.a_qpn == qp || c.b_qpn == qp;
}

Snapshot select(Snapshot snapshot, const Selection& selection) {
  if (selection.everything()) return snapshot;
  std::erase_if(snapshot.connections, [&](const auto& c) { return !selection.matches(c); });
  Ids connections;
  for (const auto& c : snapshot.connections) connections.insert(c.id);
  Ids kept;
  for (const auto& finding : snapshot.findings) {
    if (concerns(finding, connections, selection)) kept.insert(finding.id);
  }
  keep_causes(snapshot.findings, kept);
  std::erase_if(snapshot.findings, [&](const auto& f) { return kept.count(f.id) == 0; });
  return snapshot;
}

}  // namespace rocetop::model
