// SPDX-License-Identifier: BSD-3-Clause
// Loss: PSNs that the network dropped, and on which side of the capture point. A gap that healed by itself is
// reordering; a gap that the responder acknowledged is the capture's. Neither is loss.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/number_text.h"
#include "base/time_text.h"
#include "verdict/losses.h"
#include "verdict/rules.h"
#include "verdict/veroce_paths.h"
#include "verdict/veroce_recovery.h"

namespace rocetop::verdict {
namespace {

using track::Cause;
using track::Episode;
using track::MissingRun;
using track::Outcome;
using track::SpaceCounts;

std::uint64_t missing(const SpaceCounts& space, Outcome outcome) {
  return space.missing_packets[static_cast<std::size_t>(outcome)];
}

bool icrcs_checked(const track::DirectionCounts& d) {
  return d.icrc[static_cast<std::size_t>(wire::IcrcStatus::kGood)] > 0 ||
         d.icrc[static_cast<std::size_t>(wire::IcrcStatus::kBad)] > 0;
}

/// The sender's timer ran out although nothing that had passed the tap wanted a reply, and then the tap saw new PSNs:
/// the end of what was sent before never reached it. Only after a silence that a sender busy in mid-message does not
/// make (a timer may fire there too).
bool lost_its_tail(const Episode& e, Nanos silence) {
  return e.cause == Cause::kTimeout && e.silence >= silence && e.tail_unseen && !e.reply_was_due && !e.first_psn_acked;
}

/// What was lost before the tap, and what may have been lost there or missed by the capture.
struct LostBefore {
  std::uint64_t proven = 0;
  std::uint64_t open = 0;
  std::uint64_t tails = 0;
  std::uint64_t maybe_late = 0;  ///< of `proven`, that may have come late instead
};

/// PSNs that came only when they were sent again, in gaps that are proven to be losses.
std::uint64_t proven(const Docket& docket, const DirectionView& v, const SpaceCounts& space) {
  std::uint64_t psns = 0;
  for (const MissingRun& run : space.missing) {
    if (run.outcome == Outcome::kRetransmitted && is_proven(docket, v, space, run)) psns += run.psns();
  }
  return psns;
}

LostBefore lost_before(const Docket& docket, const DirectionView& v) {
  const SpaceCounts& requests = v.direction->requests;
  const SpaceCounts& responses = v.direction->responses;
  LostBefore lost;
  // What came after all was late, whatever was sent again for it.
  const std::uint64_t resent = missing(requests, Outcome::kRetransmitted);
  const std::uint64_t all = resent - std::min(resent, requests.late_originals);
  const std::uint64_t asked_again = missing(responses, Outcome::kRetransmitted);
  if (is_whole(docket.evidence().capture)) {
    lost.proven = all + asked_again;
  } else {
    lost.proven = requests.missing_omitted > 0 ? all : std::min(all, proven(docket, v, requests));
    lost.proven += responses.missing_omitted > 0 ? asked_again : proven(docket, v, responses);
    lost.open = all + asked_again - std::min(all + asked_again, lost.proven);
  }
  for (const MissingRun& run : requests.missing)
    lost.maybe_late += filled(requests, run) == Filled::kMaybeByLate ? run.psns() : 0;
  lost.maybe_late = std::min(lost.maybe_late, lost.proven);
  // veRoCE: of a tail that no SACK told of, the packets do not say whether it passed.
  if (v.is_veroce()) return lost;
  lost.tails = static_cast<std::uint64_t>(
      std::count_if(requests.episodes.begin(), requests.episodes.end(),
                    [&](const Episode& e) { return lost_its_tail(e, docket.thresholds().tail_silence); }));
  return lost;
}

void before_tap(Docket& docket, const DirectionView& v) {
  const SpaceCounts& requests = v.direction->requests;
  const SpaceCounts& responses = v.direction->responses;
  const bool replies_seen = v.opposite && v.opposite->frames > 0;
  const LostBefore found = lost_before(docket, v);
  const std::uint64_t lost = found.proven + found.tails;
  if (lost == 0) return;
  const bool all_maybe_late = found.maybe_late == lost;
  Confidence confidence = docket.weighed(!replies_seen || all_maybe_late                    ? Confidence::kLow
                                         : found.proven > 0 && found.maybe_late * 2 <= lost ? Confidence::kHigh
                                                                                            : Confidence::kMedium);
  // A packet that was lost behind the tap and missed by the capture looks lost before it.
  const std::uint64_t missed = docket.evidence().capture.capture_missed_packets;
  if (confidence == Confidence::kHigh && missed >= found.proven && missed > 0) confidence = Confidence::kMedium;
  Finding& f = docket.add("loss.before_tap", Severity::kWarning, confidence, v);
  f.title = fmt::format("{}{} {} before the capture point, {}", found.tails > 0 ? "at least " : "",
                        plural(lost, "packet"), all_maybe_late ? "lost, or overtaken," : "lost", path_name(v));
  const std::string late_or_lost = fmt::format(
      "came after a NAK for them and nothing else came again: {} resent exactly these, or they were the originals, "
      "which others had overtaken. The identifications of its packets, all alike or none, do not tell.",
      v.direction->src.to_string());
  f.explanation =
      all_maybe_late
          ? fmt::format("These PSNs {}", late_or_lost)
          : fmt::format(
                "These PSNs never passed the capture point until {} sent them again{}. They were dropped between {} "
                "and the "
                "place of "
                "the capture: in its adapter, on its link, or in a switch on that side. The capture does not show how "
                "far from "
                "either end.",
                v.direction->src.to_string(),
                replies_seen
                    ? ""
                    : " (the replies are not in the capture: that it went back is inferred from the order alone, and "
                      "what the capture itself missed looks the same)",
                v.direction->src.to_string());
  if (found.maybe_late > 0 && !all_maybe_late) {
    f.explanation += fmt::format(" {} of them {}", found.maybe_late, late_or_lost);
  }
  if (found.tails > 0) {
    f.explanation += fmt::format(
        " {} the end of a message never came: what had passed asked for no reply, the sender's timer ran out, and only "
        "its "
        "resends brought the rest.",
        found.tails == 1 ? "Once" : fmt::format("{} times", found.tails));
  }
  if (found.open > 0) {
    f.explanation += fmt::format(
        " {} {} missing as well inside ranges that were sent again as a whole: lost too, or missed by this capture, "
        "which is "
        "known to have gaps.",
        plural(found.open, "PSN"), found.open == 1 ? "was" : "were");
  }
  if (v.is_veroce()) {
    f.explanation += " Which path they were sent over is not known: that is in the packets that never came.";
    f.explanation += recovery_text(recovery_cost(*v.direction));
  }
  f.next_steps = {
      fmt::format(
          "look at drop and discard counters, buffers and PFC of the switch ports between {} and the capture point",
          v.direction->src.to_string()),
      "check that RoCE rides in its lossless (or ECN-marked) class on every hop: DSCP or priority rewritten on the way "
      "drops silently"};
  if (found.maybe_late > 0) {
    f.next_steps.emplace_back(
        "is there packet spraying, adaptive routing or a LAG on that side? Reordering looks the same");
  }
  if (!all_maybe_late) {
    f.ruled_out.emplace_back(v.is_veroce()           ? "reordering: they came only as resends of single packets"
                             : found.maybe_late == 0 ? "reordering: the sender went back before they arrived"
                                                     : "reordering of the others: the sender went back before they "
                                                       "arrived");
  }
  const auto acked = v.direction->last_acked_psn;
  const bool all_acked = std::all_of(requests.missing.begin(), requests.missing.end(), [&](const MissingRun& run) {
    return run.outcome != Outcome::kRetransmitted ||
           (acked && serial_difference(acked->value, run.last_psn.value) >= 0);
  });
  if (replies_seen && !all_acked) {
    if (f.confidence == Confidence::kHigh) f.confidence = Confidence::kMedium;
    f.explanation += " Not all of these were acknowledged in the end: some may be the capture's own gaps.";
  } else if (missed >= found.proven && missed > 0) {
    f.explanation += fmt::format(
        " The capture missed {} that arrived; were these lost behind it and missed as well, it would look the same.",
        plural(missed, "packet"));
  } else if (replies_seen) {
    f.ruled_out.emplace_back("capture loss: nothing acknowledged them before");
  }
  for (const SpaceCounts* space : {&requests, &responses}) {
    for (const MissingRun& run : space->missing) {
      if (run.outcome == Outcome::kRetransmitted) cite(f, run);
    }
  }
  for (const Episode& e : requests.episodes) {
    if (e.unseen_packets > 0 || lost_its_tail(e, docket.thresholds().tail_silence)) cite(f, e);
  }
  f.values = {{"lost_packets", static_cast<double>(lost)},
              {"lost_or_missed_packets", static_cast<double>(found.open)},
              {"lost_or_late_packets", static_cast<double>(found.maybe_late)},
              {"sent_packets", static_cast<double>(requests.packets + responses.packets)}};
}

void after_tap(Docket& docket, const DirectionView& v) {
  const SpaceCounts& requests = v.direction->requests;
  std::uint64_t by_nak = 0;
  std::uint64_t by_timeout = 0;
  std::vector<const Episode*> proof;
  for (const Episode& e : requests.episodes) {
    if (!proves_loss(e, docket.thresholds()) || !e.first_psn_seen || e.first_psn_bad_icrc || e.first_psn_behind_gap)
      continue;
    if (e.cause == Cause::kTimeout && e.originals_arrived) continue;
    if (e.cause == Cause::kTimeout) {
      if (!e.reply_was_due) continue;  // nothing that passed the tap asked for an answer
      // Never acknowledged to the end: a peer that says nothing may have received everything.
      const auto acked = v.direction->last_acked_psn;
      if (!acked || serial_difference(acked->value, e.first_psn.value) < 0) continue;
      // Where both had arrived, a second acknowledgement comes as late as the first one: past the end, perhaps.
      const bool may_be_late = v.direction->round_trips.rtt_ns.max() * 2 > e.wait.count;
      if (may_be_late && docket.evidence().capture.last_time - e.first_time < e.wait) continue;
    }
    ++(e.cause == Cause::kNak ? by_nak : by_timeout);
    proof.push_back(&e);
  }
  if (proof.empty()) return;
  const std::uint64_t rnr_naks = v.opposite ? v.opposite->rnr_naks : 0;
  Finding& f = docket.add("loss.after_tap", Severity::kWarning,
                          docket.weighed(by_nak > 0 && rnr_naks == 0 ? Confidence::kHigh : Confidence::kMedium), v);
  const std::uint64_t times = by_nak + by_timeout;
  f.title = fmt::format("{} {} after the capture point, {}",
                        by_timeout == 0 ? "packets lost or overtaken"
                        : by_nak == 0   ? "packets or acknowledgements lost"
                                        : "packets lost or overtaken, or acknowledgements lost,",
                        times == 1 ? std::string("once") : fmt::format("{} times", times), path_name(v));
  f.explanation = fmt::format(
      "{}{}The drop lies between the capture point and {}, its adapter included.",
      by_nak > 0
          ? fmt::format("{} after these PSNs had passed the capture point in order, the receiver asked for them with "
                        "PSN sequence error NAKs: they did not arrive, or others overtook them on that side. ",
                        by_nak == 1 ? "Once," : fmt::format("{} times,", by_nak))
          : "",
      by_timeout > 0
          ? fmt::format("{} the sender repeated a PSN after silence; either that packet or every acknowledgement "
                        "for it was lost between the capture point and the ends. ",
                        by_timeout == 1 ? "Once" : fmt::format("{} times", by_timeout))
          : "",
      v.direction->dst.to_string());
  if (!icrcs_checked(*v.direction)) {
    f.explanation +=
        " Packets damaged on their way to the capture point are dropped by the receiver too: no ICRC could be checked "
        "here, so that is not ruled out.";
  }
  f.next_steps = {
      fmt::format("look at drop and discard counters of the switch ports between the capture point and {}, and at "
                  "its adapter's rx discards and out_of_buffer",
                  v.direction->dst.to_string())};
  f.ruled_out = {"loss before the capture point: each PSN was seen before it was asked for again"};
  if (rnr_naks > 0) {
    f.explanation +=
        " The receiver also sent RNR NAKs: a sequence NAK may be the echo of one that the capture lacks, and nothing "
        "lost.";
  } else if (v.connection->headers_cut) {
    f.explanation +=
        " The capture cut off what tells an RNR NAK from an ACK: the receiver may only not have been ready, and "
        "nothing "
        "lost.";
  } else {
    f.ruled_out.emplace_back("a full receive queue: no RNR NAK from this receiver");
  }
  for (const Episode* e : proof) cite(f, *e);
  f.values = {{"named_by_nak", static_cast<double>(by_nak)}, {"after_silence", static_cast<double>(by_timeout)}};
}

/// veRoCE: what had passed and a SACK showed as not received, or ran into the timer, without a sign that it had
/// arrived. What a switch trimmed is not among it: veroce.trimmed tells of that.
void selective_after_tap(Docket& docket, const DirectionView& v) {
  if (!v.direction->veroce) return;
  const track::VeroceDirection& veroce = *v.direction->veroce;
  std::uint64_t lost = veroce.lost_elsewhere;
  std::uint64_t packets = veroce.packets_elsewhere;
  std::uint64_t losing_paths = veroce.lost_elsewhere > 0 ? 1 : 0;  // at least
  for (const track::VerocePath& path : veroce.paths) {
    lost += path.lost;
    packets += path.packets;
    losing_paths += path.lost > 0 ? 1 : 0;
  }
  if (lost == 0) return;
  const RecoveryCost cost = recovery_cost(*v.direction);
  Finding& f = docket.add("loss.after_tap", Severity::kWarning,
                          docket.weighed(cost.sacks > 0 ? Confidence::kHigh : Confidence::kMedium), v);
  f.title = fmt::format("{} lost after the capture point, over {}{} of {} {}, {}", plural(lost, "packet"),
                        veroce.lost_elsewhere > 0 ? "at least " : "", losing_paths, path_count_text(veroce),
                        veroce.paths.size() == 1 && !uses_more_paths(veroce) ? "path" : "paths", path_name(v));
  f.explanation = fmt::format(
      "They had passed the capture point, then a SACK showed them as not received, or the timer ran out, and "
      "only they were sent again; nothing says that the first ones had arrived. The drop lies between the capture "
      "point and {}, its adapter included.{}{}",
      v.direction->dst.to_string(), untold_paths_text(veroce), recovery_text(cost));
  f.next_steps = {
      fmt::format("look at drop and discard counters of the switch ports between the capture point and {}, and at "
                  "its adapter's rx discards and out_of_buffer",
                  v.direction->dst.to_string())};
  f.ruled_out = {"loss before the capture point: each packet was seen before it was asked for again"};
  for (const track::VerocePath& path : veroce.paths) {
    if (path.losses) cite(f, *path.losses);
  }
  f.values = {{"lost_packets", static_cast<double>(lost)}, {"seen_packets", static_cast<double>(packets)}};
  add_recovery_values(f, cost);
}

/// Responses to READs. Nothing names a lost one: the requester asks for the READ again, from there on. Only where the
/// response had passed the tap right behind the one before it, and another had followed, did it not just come too late.
void responses_after_tap(Docket& docket, const DirectionView& v) {
  if (!v.opposite) return;
  std::vector<const Episode*> proof;
  for (const Episode& e : v.opposite->requests.episodes) {
    if (e.cause == Cause::kReadRestart && e.response_passed) proof.push_back(&e);
  }
  if (proof.empty()) return;
  Finding& f = docket.add("loss.after_tap", Severity::kWarning, docket.weighed(Confidence::kMedium), v);
  f.title = fmt::format("READ responses lost or overtaken {} after the capture point, {}",
                        proof.size() == 1 ? std::string("once") : fmt::format("{} times", proof.size()), path_name(v));
  f.explanation = fmt::format(
      "These responses had passed the capture point in order, and others behind them, when {} asked for the READ again "
      "from exactly there: they did not arrive, or were overtaken. The drop lies between the capture point and {}, its "
      "adapter included.",
      v.direction->dst.to_string(), v.direction->dst.to_string());
  f.next_steps = {
      fmt::format("look at drop and discard counters of the switch ports between the capture point and {}, and at "
                  "its adapter's rx discards and out_of_buffer",
                  v.direction->dst.to_string())};
  f.ruled_out = {"loss before the capture point: each response was seen before it was asked for again",
                 "a late response: it passed right behind the one before"};
  for (const Episode* e : proof) cite(f, *e);
  f.values = {{"read_restarts", static_cast<double>(proof.size())}};
}

void on_uc(Docket& docket, const DirectionView& v) {
  if (v.connection->transport != wire::Transport::kUc) return;
  // What went on while nothing was captured is not known to be lost.
  std::uint64_t lost = missing(v.direction->requests, Outcome::kUnresolved);
  std::vector<MissingRun> runs = v.direction->requests.missing;
  std::erase_if(runs, [&](const MissingRun& run) {
    const bool behind_hole = docket.evidence().capture.is_behind_hole(run.seen_at);
    if (behind_hole && run.outcome == Outcome::kUnresolved) lost -= std::min(lost, run.psns());
    return behind_hole;
  });
  if (lost == 0) return;
  const bool capture_loses = docket.evidence().capture.capture_missed_packets > 0 ||
                             docket.evidence().capture.dropped_reported.value_or(0) > 0;
  Finding& f = docket.add("loss.uc", Severity::kWarning, capture_loses ? Confidence::kLow : Confidence::kMedium, v);
  f.title = fmt::format("{} missing on an unreliable connection, {}", plural(lost, "packet"), path_name(v));
  f.explanation =
      "UC has no acknowledgements: nothing is sent again, and each gap costs the receiver a whole message. Lost before "
      "the "
      "capture point, or missed by the capture: on UC nothing in the packets can tell which.";
  if (capture_loses) f.explanation += " This capture did miss packets elsewhere, so part of it may be its own.";
  f.next_steps = {"compare the receiver's message count with the sender's",
                  "capture at the receiver to see what arrived"};
  for (const MissingRun& run : runs) cite(f, run);
  f.values = {{"missing_packets", static_cast<double>(lost)},
              {"seen_packets", static_cast<double>(v.direction->requests.packets)}};
}

/// Many PSNs in a row, or losses of many connections at one moment: a full buffer or a link that went away, not noise.
void burst(Docket& docket) {
  const Thresholds& t = docket.thresholds();
  const std::vector<Loss> losses = losses_of(docket);
  const Nanos time = time_to_lose_in(losses);
  std::size_t begin = 0;
  while (begin < losses.size()) {
    std::size_t end = begin;
    std::uint64_t packets = 0;
    std::uint64_t longest = 0;
    std::uint64_t maybe_late = 0;
    std::uint64_t of_uc = 0;
    std::vector<std::uint32_t> ids;
    while (end < losses.size() && losses[end].time - losses[begin].time <= t.burst_window) {
      packets += losses[end].packets;
      longest = std::max<std::uint64_t>(longest, losses[end].in_a_row ? losses[end].packets : 1);
      maybe_late += losses[end].may_be_late ? losses[end].packets : 0;
      of_uc += losses[end].of_uc ? losses[end].packets : 0;
      ids.push_back(losses[end].view.connection->id);
      ++end;
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    const bool together = (ids.size() >= t.burst_connections || packets >= t.burst_packets) &&
                          stands_out(std::span(losses).subspan(begin, end - begin), losses.size(), time, docket);
    if (longest >= t.burst_packets || together) {
      const Confidence confidence = maybe_late == packets                ? Confidence::kLow
                                    : maybe_late > 0 || of_uc == packets ? Confidence::kMedium
                                                                         : Confidence::kHigh;
      Finding& f = docket.add("loss.burst", Severity::kWarning, docket.weighed(confidence));
      f.title = fmt::format("{} {} at one moment, on {}", plural(packets, "packet"),
                            maybe_late == packets ? "lost, or overtaken,"
                            : of_uc == packets    ? "missing"
                                                  : "lost",
                            plural(ids.size(), "connection"));
      f.explanation = fmt::format(
          "Within {} {} were lost, up to {} in a row. Single losses spread evenly are noise (a bad "
          "link); a burst is a buffer that overflowed, a pause that ended too late, or a path that "
          "went away for a moment.",
          short_duration(t.burst_window), plural(packets, "packet"), longest);
      if (maybe_late > 0) {
        f.explanation += fmt::format(
            " {} of them may not have been lost but come late, behind a NAK: a path that changed at that moment looks "
            "the same.",
            maybe_late == packets ? "All" : grouped(maybe_late));
      }
      if (of_uc == packets) {
        f.explanation +=
            " All of them are of unreliable connections, which resend nothing: that the capture stood still at that "
            "moment looks the same.";
      }
      f.next_steps = {
          "look for buffer drops, PFC watchdog actions and link flaps at this time on the switches of the path"};
      f.connections = ids;
      for (std::size_t i = begin; i < end; ++i) cite(f, losses[i].frame, losses[i].time);
      f.values = {{"lost_packets", static_cast<double>(packets)},
                  {"longest_run_packets", static_cast<double>(longest)}};
    }
    begin = end;
  }
}

}  // namespace

void judge_loss(Docket& docket) {
  docket.each_direction([&](const DirectionView& v) {
    before_tap(docket, v);
    if (v.is_veroce()) return selective_after_tap(docket, v);
    after_tap(docket, v);
    responses_after_tap(docket, v);
    on_uc(docket, v);
  });
  burst(docket);
}

}  // namespace rocetop::verdict
