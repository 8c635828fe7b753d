// SPDX-License-Identifier: BSD-3-Clause
// Integrity: packets that were damaged (ICRC) or cut in pieces (IP fragments) on the way.
#include <fmt/format.h>

#include "base/number_text.h"
#include "verdict/rules.h"

namespace rocetop::verdict {
namespace {

void icrc(Docket& docket, const DirectionView& v) {
  const auto& d = *v.direction;
  const std::uint64_t bad = d.icrc[static_cast<std::size_t>(wire::IcrcStatus::kBad)];
  const std::uint64_t good = d.icrc[static_cast<std::size_t>(wire::IcrcStatus::kGood)];
  if (bad == 0) return;
  const double share = static_cast<double>(bad) / static_cast<double>(bad + good);
  const bool unfilled = bad > 2 && share >= docket.thresholds().unfilled_icrc_share;
  Finding& f = docket.add("icrc.bad", unfilled ? Severity::kInfo : Severity::kWarning,
                          unfilled ? Confidence::kLow : Confidence::kHigh, v);
  f.title = fmt::format("{} with a wrong ICRC ({} of those checked), {}", plural(bad, "packet"), percent(share),
                        path_name(v));
  if (unfilled) {
    f.explanation =
        "Nearly every ICRC of this direction is wrong. A capture on the sending host may show packets before the "
        "adapter fills the ICRC in, and a device that rewrites covered header fields breaks all of them; then the "
        "receiver would drop everything, which the acknowledgements would show. No delivery is judged by these ICRCs.";
  } else {
    f.explanation =
        "They were damaged before the capture point. The receiver drops such packets silently, uncounted on many "
        "adapters; what follows looks like loss.";
    f.next_steps = {
        "look at CRC, symbol and FEC error counters of the links before the capture point; suspect cables, optics, "
        "or a device that rewrites headers"};
  }
  if (d.bad_icrcs) cite(f, *d.bad_icrcs);
  f.frames_total = bad;
  f.values = {{"bad_packets", static_cast<double>(bad)}, {"good_packets", static_cast<double>(good)}};
}

void fragments(Docket& docket) {
  const auto& c = docket.evidence().capture;
  if (c.ip_fragments == 0) return;
  Finding& f = docket.add("ip.fragments", Severity::kInfo, Confidence::kHigh);
  f.title = fmt::format("{} in the capture", plural(c.ip_fragments, "IP fragment"));
  f.explanation =
      "Adapters do not reassemble RoCE: a RoCE packet that is fragmented is lost. Only first fragments show "
      "whether they are RoCE; the rest may belong to other traffic.";
  f.next_steps = {"check that the path MTU plus headers fits every link: 4096 needs an interface MTU of at least 4200"};
  cite(f, c.fragments);
  f.frames_total = c.ip_fragments;
  f.values = {{"fragments", static_cast<double>(c.ip_fragments)}};
}

void strays(Docket& docket) {
  const std::uint64_t packets = docket.evidence().capture.stray_damaged_packets;
  if (packets == 0) return;
  Finding& f = docket.add("icrc.bad", Severity::kWarning, Confidence::kHigh);
  f.title =
      fmt::format("{} with a wrong ICRC for queue pairs that nothing else was sent to", plural(packets, "packet"));
  f.explanation =
      "Damaged in the header, it seems: which connection they belonged to cannot be told. They are part of none.";
  f.next_steps = {"look at CRC, symbol and FEC error counters of the links before the capture point"};
  date(f, docket.evidence().capture.first_time, docket.evidence().capture.last_time);
  f.values = {{"bad_packets", static_cast<double>(packets)}};
}

}  // namespace

void judge_integrity(Docket& docket) {
  docket.each_direction([&](const DirectionView& v) { icrc(docket, v); });
  strays(docket);
  fragments(docket);
}

}  // namespace rocetop::verdict
