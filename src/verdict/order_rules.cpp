// SPDX-License-Identifier: BSD-3-Clause
// Order: packets that arrive late without having been sent again.
#include <fmt/format.h>

#include "base/number_text.h"
#include "verdict/rules.h"

namespace rocetop::verdict {

void judge_order(Docket& docket) {
  docket.each_direction([&](const DirectionView& v) {
    const auto& d = *v.direction;
    const std::uint64_t late = d.requests.reordered_packets + d.responses.reordered_packets;
    if (late < docket.thresholds().reordered_packets) return;
    Finding& f = docket.add("order.reordered", Severity::kWarning, docket.weighed(Confidence::kHigh), v);
    f.title = fmt::format("{} arrived out of order, {}", plural(late, "packet"), path_name(v));
    f.explanation =
        "They came late without the sender having gone back, and were followed by new data: they took another "
        "path or queue. Go-back-N receivers treat each as a loss: a NAK and a round of resends.";
    f.next_steps = {
        "look for packet spraying, adaptive routing or a LAG that spreads one flow over paths, before the capture "
        "point"};
    f.ruled_out = {"loss: nothing was sent again before they arrived"};
    for (const auto* space : {&d.requests, &d.responses}) {
      for (const auto& run : space->missing) {
        if (run.outcome == track::Outcome::kReordered) cite(f, run);
      }
    }
    f.values = {{"reordered_packets", static_cast<double>(late)},
                {"seen_packets", static_cast<double>(d.requests.packets + d.responses.packets)}};
  });
}

}  // namespace rocetop::verdict
