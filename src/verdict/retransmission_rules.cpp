// SPDX-License-Identifier: BSD-3-Clause
// Retransmission: senders that went back, by cause, and what it cost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/number_text.h"
#include "base/time_text.h"
#include "verdict/rules.h"

namespace rocetop::verdict {
namespace {

using track::Cause;
using track::Episode;
using track::SpaceCounts;

constexpr double kTimeoutUnitNs = 4096;  // IBTA vol. 1, 9.7.6.1.3: 4.096 µs * 2^n

/// Going back this soon is not the QP's timer, whatever the tracker could not find a NAK for.
bool is_early(const Episode& e, const Thresholds& thresholds) {
  return e.cause == Cause::kTimeout && e.wait < thresholds.early_wait;
}

/// Episodes added up.
struct Sum {
  std::uint64_t episodes = 0;
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t wasted = 0;
  std::vector<Nanos> waits;
  std::vector<const Episode*> list;
};

Sum sum_of(const std::vector<const Episode*>& episodes) {
  Sum s;
  s.episodes = episodes.size();
  s.list = episodes;
  for (const Episode* e : episodes) {
    s.packets += e->packets;
    s.bytes += e->bytes;
    s.wasted += e->wasted_packets;
    s.waits.push_back(e->wait);
  }
  std::sort(s.waits.begin(), s.waits.end());
  return s;
}

/// Those of one cause; of timeouts only the ones that are none too early, and no late originals.
Sum sum_of(const SpaceCounts& space, Cause cause, const Thresholds& thresholds) {
  std::vector<const Episode*> chosen;
  std::uint64_t others = 0;
  for (const Episode& e : space.episodes) {
    if (e.cause != cause) continue;
    if (e.were_originals() || is_early(e, thresholds)) {
      ++others;
    } else {
      chosen.push_back(&e);
    }
  }
  Sum s = sum_of(chosen);
  s.episodes = space.episodes_by_cause[static_cast<std::size_t>(cause)] - others;
  return s;
}

std::string times(std::uint64_t n) { return n == 1 ? "once" : n == 2 ? "twice" : fmt::format("{} times", n); }

std::string wait_range(const std::vector<Nanos>& sorted) {
  if (sorted.empty()) return "unknown";
  if (sorted.size() == 1) return short_duration(sorted.front());
  return fmt::format("{} to {}, median {}", short_duration(sorted.front()), short_duration(sorted.back()),
                     short_duration(sorted[sorted.size() / 2]));
}

void add_values(Finding& f, const Sum& s) {
  f.values = {{"episodes", static_cast<double>(s.episodes)},
              {"resent_packets", static_cast<double>(s.packets)},
              {"resent_bytes", static_cast<double>(s.bytes)},
              {"wasted_packets", static_cast<double>(s.wasted)}};
  if (!s.waits.empty()) {
    const std::size_t middle = s.waits.size() / 2;
    f.values.emplace_back("wait_min_ns", static_cast<double>(s.waits.front().count));
    f.values.emplace_back("wait_median_ns", static_cast<double>(s.waits[middle].count));
    f.values.emplace_back("wait_max_ns", static_cast<double>(s.waits.back().count));
  }
}

void cite_episodes(Finding& f, const Sum& s) {
  for (const Episode* e : s.list) cite(f, *e);
}

/// Where the listed episodes are fewer than the counted ones, numbers from the list say so.
std::string listed_note(const SpaceCounts& space) {
  return space.episodes_omitted == 0
             ? ""
             : fmt::format(" Packets and waits are of the first {} episodes; {} more are only counted.",
                           space.episodes.size(), space.episodes_omitted);
}

void by_nak(Docket& docket, const DirectionView& v) {
  const SpaceCounts& space = v.direction->requests;
  const Sum s = sum_of(space, Cause::kNak, docket.thresholds());
  if (s.episodes == 0) return;
  const auto maybe_late = static_cast<std::uint64_t>(
      std::count_if(s.list.begin(), s.list.end(), [](const Episode* e) { return e->may_be_late; }));
  Finding& f = docket.add("retransmit.nak", Severity::kWarning,
                          maybe_late == s.episodes ? Confidence::kLow : Confidence::kHigh, v);
  f.title = fmt::format("{} {} {} after a PSN sequence error NAK, {} resent, {}", v.direction->src.to_string(),
                        maybe_late == s.episodes ? "seems to have gone back" : "went back", times(s.episodes),
                        plural(s.packets, "packet"), path_name(v));
  f.explanation = fmt::format(
      "The receiver saw a gap and said so; the sender resumed {} after the NAK. Fast recovery, as it should be: the "
      "question "
      "is what made the gap.{}",
      wait_range(s.waits), listed_note(space));
  if (maybe_late > 0) {
    f.explanation += fmt::format(
        " {} only what was missing came behind the NAK: that may have been the originals, come late, and the sender "
        "may "
        "not have gone back at all.",
        maybe_late == 1 ? "Once" : fmt::format("{} times", maybe_late));
  }
  f.ruled_out = {"timeout: each go-back follows a NAK for its first PSN, or for one just before it"};
  cite_episodes(f, s);
  add_values(f, s);
}

/// QP timeout exponents n that allow a wait: adapters may wait T to 4T of T = 4.096 µs * 2^n, and the timer may have
/// been started by a packet before the one that is resent (Linux), so that T may be up to half as long again as what is
/// seen.
std::pair<int, int> exponents(Nanos wait) {
  const double units = std::max(static_cast<double>(wait.count) / kTimeoutUnitNs, 1.0);
  return {std::max(0, static_cast<int>(std::ceil(std::log2(units / 4)))),
          std::max(0, static_cast<int>(std::floor(std::log2(units * 1.5))))};
}

/// "Waits: 67.1 ms, 134 ms." The first few, in order.
std::string ladder_of(const Sum& s) {
  std::string ladder;
  for (std::size_t i = 0; i < std::min<std::size_t>(s.list.size(), 8); ++i) {
    ladder += (i == 0 ? "" : ", ") + short_duration(s.list[i]->wait);
  }
  return ladder + (s.list.size() > 8 ? " …" : "");
}

/// The waits of three resends of one PSN that end with the one at `i` double.
bool doubles(const std::vector<const Episode*>& list, std::size_t i) {
  if (i < 2 || list[i]->first_psn != list[i - 2]->first_psn) return false;
  const auto doubled = [](const Episode& before, const Episode& after) {
    const double growth =
        static_cast<double>(after.wait.count) / static_cast<double>(std::max<std::int64_t>(before.wait.count, 1));
    return growth > 1.7 && growth < 2.4;  // 2, with room for what else the wait holds
  };
  return doubled(*list[i - 2], *list[i - 1]) && doubled(*list[i - 1], *list[i]);
}

/// The exponents that allow all of the waits, a tenth at either end apart; where they double, those of the first.
/// Nothing where the waits scatter: then they are not those of one timer.
std::optional<std::pair<int, int>> common_exponents(const Sum& s) {
  for (std::size_t i = 2; i < s.list.size(); ++i) {
    if (doubles(s.list, i)) return exponents(s.list[i - 2]->wait);
  }
  const std::size_t outliers = s.waits.size() / 10;
  const int least = exponents(s.waits[s.waits.size() - 1 - outliers]).first;
  const int most = exponents(s.waits[outliers]).second;
  if (least > most) return std::nullopt;
  return std::pair(least, most);
}

void explain_timer(Finding& f, const DirectionView& v, const Sum& s) {
  if (s.waits.empty()) return;
  if (const auto range = common_exponents(s)) {
    const auto [low, high] = *range;
    f.explanation += fmt::format(
        " That fits a QP timeout of n = {}{}: an estimate (4.096 µs × 2^n, of which adapters wait 1 to 4 times as "
        "much).",
        low, low == high ? "" : fmt::format(" to {}", high));
    f.values.emplace_back("timeout_exponent_min", low);
    f.values.emplace_back("timeout_exponent_max", high);
  }
  if (v.connection->cm)
    f.explanation += fmt::format(" CM set the local ACK timeout to n = {}.", v.connection->cm->local_ack_timeout);
}

void by_timeout(Docket& docket, const DirectionView& v) {
  const SpaceCounts& space = v.direction->requests;
  const Sum s = sum_of(space, Cause::kTimeout, docket.thresholds());
  if (s.episodes == 0) return;
  Nanos total;
  for (const Nanos w : s.waits) total = total + w;
  const auto needless = static_cast<std::uint64_t>(
      std::count_if(s.list.begin(), s.list.end(), [](const Episode* e) { return e->originals_arrived; }));
  const bool all_needless = needless == s.episodes;
  const std::string sender = v.direction->src.to_string();
  Finding& f = docket.add("retransmit.timeout", Severity::kWarning, docket.weighed(Confidence::kHigh), v);
  f.title = all_needless ? fmt::format("{} repeated {} that had arrived, when its timer ran out {}, {}", sender,
                                       plural(s.packets, "packet"), times(s.episodes), path_name(v))
                         : fmt::format("{} waited for its timer {}, {} in all, {}", sender, times(s.episodes),
                                       short_duration(total), path_name(v));
  add_values(f, s);
  f.values.emplace_back("waited_ns", static_cast<double>(total.count));
  f.explanation =
      fmt::format("No NAK came; {} went again when the timer ran out. Waits since the packet was last sent: {}.",
                  plural(s.packets, "packet"), ladder_of(s));
  explain_timer(f, v, s);
  if (needless > 0) {
    f.explanation += fmt::format(
        " {} repaired nothing: the receiver acknowledged more often than these resends asked for, so it "
        "had the originals, and only the acknowledgement was late or lost.",
        all_needless ? "They" : fmt::format("{} of the {}", needless, s.episodes));
    f.values.emplace_back("needless_episodes", static_cast<double>(needless));
  }
  if (!all_needless) {
    f.explanation +=
        " A lost last packet, a lost acknowledgement or a lost NAK looks like this; each costs a whole timeout.";
  }
  f.explanation += listed_note(space);
  if (all_needless) {
    f.next_steps = {
        "look for what delays acknowledgements: a timer that fires before they come is too short for this path"};
  } else {
    f.next_steps = {"find the loss first (the loss findings of this connection); then consider a shorter QP timeout",
                    "compare with local_ack_timeout_err of the sender's adapter"};
  }
  f.ruled_out = {"NAK: none that the capture holds named these PSNs since the sender last went back"};
  cite_episodes(f, s);
}

void early(Docket& docket, const DirectionView& v) {
  const Thresholds& t = docket.thresholds();
  std::vector<const Episode*> timeouts;
  for (const Episode& e : v.direction->requests.episodes) {
    if (e.cause == Cause::kTimeout) timeouts.push_back(&e);
  }
  std::vector<const Episode*> early;
  bool ladder = false;
  for (std::size_t i = 0; i < timeouts.size(); ++i) {
    const bool step = timeouts[i]->wait < t.ladder_wait && doubles(timeouts, i);  // from a few milliseconds
    ladder = ladder || step;
    if (step || is_early(*timeouts[i], t)) early.push_back(timeouts[i]);
  }
  if (early.empty()) return;
  const Sum s = sum_of(early);
  Finding& f = docket.add("retransmit.early", Severity::kInfo, Confidence::kMedium, v);
  f.title = fmt::format("{} repeated {} before a QP timeout could have passed, {}, {}", v.direction->src.to_string(),
                        plural(s.packets, "packet"), times(s.episodes), path_name(v));
  f.explanation = fmt::format(
      "Waits: {}. {} Why it went back is not in the packets: adaptive retransmission of some "
      "adapters looks like this, and so does a NAK that the capture does not hold.",
      wait_range(s.waits), ladder ? "They double from a few milliseconds." : "QP timeouts in use are longer.");
  f.next_steps = {"compare with roce_adp_retrans of the sender's adapter"};
  cite_episodes(f, s);
  add_values(f, s);
}

void by_read_restart(Docket& docket, const DirectionView& v) {
  const SpaceCounts& space = v.direction->requests;
  const Sum s = sum_of(space, Cause::kReadRestart, docket.thresholds());
  if (s.episodes == 0) return;
  const std::uint64_t again = v.opposite ? v.opposite->responses.retransmitted_original_seen +
                                               v.opposite->responses.retransmitted_original_unseen
                                         : 0;
  // Without a response that was sent twice, the request may have been lost, and a NAK for it missed by the capture.
  const bool known = again > 0;
  Finding& f =
      docket.add("retransmit.read_restart", Severity::kWarning, known ? Confidence::kHigh : Confidence::kLow, v);
  f.title = fmt::format("{} asked for READ data again {}, {} sent again, {}", v.direction->src.to_string(),
                        times(s.episodes), plural(again, "response"), path_name(v));
  f.explanation =
      known ? fmt::format(
                  "A response did not reach the requester while later ones did; there is no NAK for that, it repeats "
                  "the READ from the missing PSN on. The loss is in the direction {} → {}.",
                  v.direction->dst.to_string(), v.direction->src.to_string())
            : std::string(
                  "Too soon for a timer, and no response had been seen of what was asked for again: the request was "
                  "lost, or its responses were, and what told the requester is not in the capture.");
  f.next_steps = {known ? fmt::format("look for drops on the way from {} to {}", v.direction->dst.to_string(),
                                      v.direction->src.to_string())
                        : std::string("look for drops in both directions, and for why the capture lacks packets")};
  cite_episodes(f, s);
  add_values(f, s);
  f.values.emplace_back("responses_sent_again", static_cast<double>(again));
}

void spurious(Docket& docket, const DirectionView& v) {
  const Sum s = sum_of(v.direction->requests, Cause::kSpurious, docket.thresholds());
  if (s.episodes == 0) return;
  Finding& f = docket.add("retransmit.spurious", Severity::kWarning, Confidence::kHigh, v);
  f.title = fmt::format("{} repeated {} that had been acknowledged, {}, {}", v.direction->src.to_string(),
                        plural(s.packets, "packet"), times(s.episodes), path_name(v));
  f.explanation = fmt::format(
      "Before each of these resends the acknowledgement had passed the capture point. Either it was lost between there "
      "and {}, "
      "or the sender's timer ran out although nothing was missing. Waits: {}.",
      v.direction->src.to_string(), wait_range(s.waits));
  f.next_steps = {
      fmt::format("look for drops of acknowledgements towards {} (they are small, and often in another class)",
                  v.direction->src.to_string()),
      "if none are dropped: the QP timeout is too short for this path, or the adapter's adaptive retransmission fires "
      "early"};
  f.ruled_out = {"data loss: the receiver had everything"};
  cite_episodes(f, s);
  add_values(f, s);
}

void waste(Docket& docket, const DirectionView& v) {
  std::uint64_t wasted = 0;
  std::uint64_t resent = 0;
  for (const Episode& e : v.direction->requests.episodes) {
    if (e.cause == Cause::kSpurious || e.cause == Cause::kRnr) continue;
    resent += e.packets;
    // A NAK asks for one packet; the rest of the window follows because the sender goes back as a whole.
    wasted += e.cause == Cause::kNak ? std::max(e.wasted_packets, e.packets - std::max(e.unseen_packets, 1U))
                                     : e.wasted_packets;
  }
  const std::uint64_t needed = resent - std::min(wasted, resent);
  const Thresholds& t = docket.thresholds();
  if (wasted < t.wasted_packets ||
      static_cast<double>(wasted) < t.waste_ratio * static_cast<double>(std::max<std::uint64_t>(needed, 1)))
    return;
  Finding& f = docket.add("retransmit.waste", Severity::kWarning, docket.weighed(Confidence::kMedium), v);
  f.title = fmt::format("{} resent to repair {}, {}", plural(resent, "packet"), needed, path_name(v));
  f.explanation =
      "Go-back-N repeats everything after the loss. With this much in flight each loss costs many times itself; the "
      "receiver discards what it cannot use. How many of them had really arrived is inferred from one loss per NAK.";
  f.next_steps = {"selective repeat on both adapters, if they offer it",
                  "less in flight: a smaller window or rate for this path"};
  f.values = {{"resent_packets", static_cast<double>(resent)}, {"wasted_packets", static_cast<double>(wasted)}};
  for (const Episode& e : v.direction->requests.episodes) cite(f, e);
}

}  // namespace

void judge_retransmissions(Docket& docket) {
  docket.each_direction([&](const DirectionView& v) {
    if (v.is_veroce()) return;  // judge_veroce_recovery()
    by_nak(docket, v);
    by_timeout(docket, v);
    early(docket, v);
    by_read_restart(docket, v);
    spurious(docket, v);
    waste(docket, v);
  });
}

}  // namespace rocetop::verdict
