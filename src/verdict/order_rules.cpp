// SPDX-License-Identifier: BSD-3-Clause
// Order: packets that arrive late without having been sent again.
#include <fmt/format.h>

#include <algorithm>

#include "base/number_text.h"
#include "verdict/rules.h"

namespace rocetop::verdict {

void judge_order(Docket& docket) {
  docket.each_direction([&](const DirectionView& v) {
    if (v.is_veroce()) return;  // its packets take several paths, and its receivers put them in order
    const auto& d = *v.direction;
    const std::uint64_t late = d.requests.reordered_packets + d.responses.reordered_packets;
    const auto drew_nak = static_cast<std::uint64_t>(
        std::count_if(d.requests.episodes.begin(), d.requests.episodes.end(), [](const track::Episode& e) {
          return e.cause == track::Cause::kNak && e.named_by_nak && e.first_psn_late && !e.were_originals();
        }));
    // One late packet can be anything, unless it cost a round of resends.
    if (late < docket.thresholds().reordered_packets && (late == 0 || drew_nak == 0)) return;
    Finding& f = docket.add("order.reordered", Severity::kWarning, docket.weighed(Confidence::kHigh), v);
    f.title = fmt::format("{} arrived out of order, {}", plural(late, "packet"), path_name(v));
    f.explanation =
        "They came late without the sender having gone back, and were followed by new data: they took another "
        "path or queue. Go-back-N receivers treat each as a loss: a NAK and a round of resends.";
    if (drew_nak > 0) {
      f.explanation += fmt::format(
          " {} the sender went back for one of them, or for what came right behind it: that was under way, not lost.",
          drew_nak == 1 ? "Once" : fmt::format("{} times", drew_nak));
    }
    f.next_steps = {
        "look for packet spraying, adaptive routing or a LAG that spreads one flow over paths, before the capture "
        "point"};
    f.ruled_out = {"loss: they came before anything was sent again, or in their turn by their IPv4 identifications"};
    for (const auto* space : {&d.requests, &d.responses}) {
      for (const auto& run : space->missing) {
        if (run.outcome == track::Outcome::kReordered) cite(f, run);
      }
    }
    f.values = {{"reordered_packets", static_cast<double>(late)},
                {"went_back_for_late", static_cast<double>(drew_nak)},
                {"seen_packets", static_cast<double>(d.requests.packets + d.responses.packets)}};
  });
}

}  // namespace rocetop::verdict
