// SPDX-License-Identifier: BSD-3-Clause
// Classes: the DSCP of a connection's packets differs by direction, or changes midway. CNPs have a class of their own
// and are left out.
#include <fmt/format.h>

#include <algorithm>

#include "base/number_text.h"
#include "base/time_text.h"
#include "verdict/rules.h"

namespace rocetop::verdict {
namespace {

using track::DirectionCounts;
using track::DscpChange;

/// In the order of how much they say: what a side asks for, what it answers, that it acknowledges.
constexpr wire::Role kRoles[] = {wire::Role::kRequest, wire::Role::kResponse, wire::Role::kAcknowledge};

/// veRoCE may tell what switches can trim by its DSCP: an acknowledgement then differs from data by design.
std::uint8_t dscp_of(const DirectionCounts& d, bool veroce) {
  for (const wire::Role role : kRoles) {
    if (veroce && role == wire::Role::kAcknowledge) continue;
    const std::uint8_t dscp = d.first_dscp_of[static_cast<std::size_t>(role)];
    if (dscp != track::kNoDscp) return dscp;
  }
  return track::kNoDscp;
}

std::vector<const DscpChange*> changes(const DirectionCounts& d) {
  std::vector<const DscpChange*> out;
  for (const DscpChange& c : d.dscp_changes) {
    if (c.role != wire::Role::kCnp) out.push_back(&c);
  }
  return out;
}

void changed(Docket& docket, const DirectionView& v) {
  const auto own = changes(*v.direction);
  if (own.empty()) return;
  // Switches may give what they trim a class of its own.
  if (v.direction->veroce && v.direction->veroce->trimmed > 0) return;
  // Where both directions change, the first one tells of both.
  const bool second = v.connection->a_to_b && v.direction != &*v.connection->a_to_b;
  const bool both = v.opposite && !changes(*v.opposite).empty();
  if (second && both) return;
  const bool often = v.direction->dscp_changes_in_all > docket.thresholds().dscp_changes;
  Finding& f = docket.add("dscp.changed", Severity::kWarning, Confidence::kHigh, v);
  f.title = often ? fmt::format("packets of one kind carry different DSCPs ({} and {}, {} changes), {}", own[0]->from,
                                own[0]->to, v.direction->dscp_changes_in_all, path_name(v))
                  : fmt::format("the DSCP changed from {} to {} after {}, {}", own[0]->from, own[0]->to,
                                short_duration(own[0]->time - v.connection->first_time),
                                both ? connection_name(*v.connection) + ", both ways" : path_name(v));
  f.explanation =
      often ? "A queue pair keeps its traffic class for life. Packets that differ were re-marked on the way, by some "
              "paths and not by others."
            : "A queue pair keeps its traffic class for life: somebody changed it, or a device on the way began to "
              "re-mark. Switches queue the packets in another class from there on: it may be neither lossless nor "
              "ECN-marked.";
  f.next_steps = {"look for changes of cma_roce_tos, the traffic class of the adapter, or QoS policies at that time",
                  "are both DSCPs mapped to the RoCE class on every hop?"};
  for (const DscpChange* c : own) cite(f, c->frame, c->time);
  f.values = {{"dscp_before", static_cast<double>(own[0]->from)},
              {"dscp_after", static_cast<double>(own[0]->to)},
              {"changes", static_cast<double>(v.direction->dscp_changes_in_all)}};
}

void asymmetric(Docket& docket, const DirectionView& v) {
  if (!v.opposite || v.direction != (v.connection->a_to_b ? &*v.connection->a_to_b : nullptr)) return;
  const std::uint8_t forward = dscp_of(*v.direction, v.is_veroce());
  const std::uint8_t backward = dscp_of(*v.opposite, v.is_veroce());
  if (forward == track::kNoDscp || backward == track::kNoDscp || forward == backward) return;
  Finding& f = docket.add("dscp.asymmetric", Severity::kWarning, Confidence::kHigh, v);
  f.title = fmt::format("DSCP {} one way and {} the other, {}", forward, backward, connection_name(*v.connection));
  f.explanation = fmt::format(
      "{} sends with DSCP {}, {} with {}: one of the two is set wrong, or re-marked before this capture point. The "
      "direction outside RoCE's class is neither lossless nor marked, and its acknowledgements can be dropped.",
      v.direction->src.to_string(), forward, v.opposite->src.to_string(), backward);
  f.next_steps = {fmt::format("compare cma_roce_tos and the adapter's traffic class of {} and {}",
                              v.direction->src.to_string(), v.opposite->src.to_string()),
                  "does a switch port trust DSCP on one side only?"};
  cite(f, v.direction->first_frame, v.direction->first_time);
  cite(f, v.opposite->first_frame, v.opposite->first_time);
  f.values = {{"dscp_a_to_b", static_cast<double>(forward)}, {"dscp_b_to_a", static_cast<double>(backward)}};
}

}  // namespace

void judge_classes(Docket& docket) {
  docket.each_direction([&](const DirectionView& v) {
    changed(docket, v);
    asymmetric(docket, v);
  });
}

}  // namespace rocetop::verdict
