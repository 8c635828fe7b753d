// SPDX-License-Identifier: BSD-3-Clause
// Connection management: set-ups that were refused.
#include <fmt/format.h>

#include <map>

#include "base/number_text.h"
#include "verdict/rules.h"
#include "wire/cm.h"

namespace rocetop::verdict {

void judge_management(Docket& docket) {
  struct Group {
    std::uint64_t count = 0;
    std::vector<const track::CmRejection*> list;
  };
  std::map<std::tuple<IpAddress, IpAddress, std::uint16_t>, Group> groups;
  for (const auto& r : docket.evidence().rejections) {
    Group& g = groups[{r.from, r.to, r.reason}];
    ++g.count;
    g.list.push_back(&r);
  }
  for (const auto& [key, group] : groups) {
    const auto& [from, to, reason] = key;
    Finding& f = docket.add("cm.rejected", Severity::kWarning, Confidence::kHigh);
    const auto& first = *group.list.front();
    f.title = fmt::format("{} refused {} from {}: {}", from.to_string(), plural(group.count, "connection"),
                          to.to_string(), wire::reject_reason_text(reason));
    f.explanation = fmt::format(
        "CM REJ, reason {}{}. The answer came from the peer's connection manager: the path works in both "
        "directions.",
        reason, first.rdma_cm_port ? fmt::format(", asked for RDMA-CM port {}", *first.rdma_cm_port) : "");
    if (docket.evidence().capture.rejections_omitted > 0) {
      f.explanation += fmt::format(" {} of this capture are only counted, whoever sent them.",
                                   plural(docket.evidence().capture.rejections_omitted, "further rejection"));
    }
    f.next_steps = {fmt::format("is the service listening on {}{}? Did the application refuse (consumer defined)?",
                                from.to_string(),
                                first.rdma_cm_port ? fmt::format(" port {}", *first.rdma_cm_port) : "")};
    f.hosts = {from, to};
    for (const auto* r : group.list) {
      cite(f, r->request_frame, r->request_time);
      cite(f, r->frame, r->time);
    }
    f.values = {{"rejections", static_cast<double>(group.count)}, {"reason", reason}};
  }
}

}  // namespace rocetop::verdict
