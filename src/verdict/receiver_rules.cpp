// SPDX-License-Identifier: BSD-3-Clause
// Receivers that refuse: not ready (RNR NAK), or an error that ends the connection.
#include <fmt/format.h>

#include <algorithm>

#include "base/number_text.h"
#include "base/time_text.h"
#include "verdict/rules.h"

namespace rocetop::verdict {
namespace {

using track::Cause;
using track::Episode;

/// The last RNR NAK was never answered, though the capture went on for many times what it asked for, or what the sender
/// had waited before: the sender has given up.
bool gave_up(const Docket& docket, const DirectionView& v, Nanos longest_wait) {
  constexpr std::int64_t kWaits = 8;  // adapters wait up to four times what they are asked to
  const auto& refusing = *v.opposite;
  const Nanos asked = refusing.last_rnr_nak_time;
  if (v.direction->last_request_time > asked || v.direction->last_ack_time > asked) return false;
  const Nanos wait = std::max({longest_wait, refusing.last_rnr_nak_wait, docket.thresholds().tail_silence});
  return (docket.evidence().capture.last_time - asked).count / kWaits >= wait.count;
}

void rnr(Docket& docket, const DirectionView& v) {
  // v is the sender's direction; the RNR NAKs travel the other way.
  if (!v.opposite || v.opposite->rnr_naks == 0) return;
  Nanos stalled;
  Nanos advertised;
  Nanos longest;
  std::uint64_t episodes = 0;
  const Episode* first = nullptr;
  for (const Episode& e : v.direction->requests.episodes) {
    if (e.cause != Cause::kRnr) continue;
    if (!first) first = &e;
    ++episodes;
    stalled = stalled + e.wait;
    longest = std::max(longest, e.wait);
    advertised = advertised + e.advertised_wait;
  }
  const std::uint64_t naks = v.opposite->rnr_naks - v.opposite->rnr_nak_copies;
  const Nanos lasted = v.connection->last_time - v.connection->first_time;
  const double share = lasted.count > 0 ? static_cast<double>(stalled.count) / static_cast<double>(lasted.count) : 0;
  const Thresholds& t = docket.thresholds();
  const bool unanswered = naks > episodes;
  const bool ended = !v.connection->ended_early && gave_up(docket, v, longest);
  if (!ended && (naks < t.rnr_naks || (share < t.rnr_stall_share && !unanswered))) return;
  Finding& f = docket.add("rnr.stall", ended ? Severity::kCritical : Severity::kWarning, Confidence::kHigh, v);
  f.title = fmt::format("{} was not ready to receive: {}, {} of waiting ({} of the connection's time), {}{}",
                        v.direction->dst.to_string(), plural(naks, "RNR NAK"), short_duration(stalled), percent(share),
                        ended ? "and the sender gave up, " : "", path_name(v));
  f.explanation = fmt::format(
      "The receiver had no receive work request posted. It asked the sender to wait {} in all; the sender waited {}. "
      "The "
      "network did nothing wrong.",
      short_duration(advertised), short_duration(stalled));
  if (ended) {
    f.explanation += fmt::format(
        " The last RNR NAK was never followed by a resend, in the {} that the capture goes on: the sender's RNR "
        "retries "
        "ran out, or its process ended. The connection does not come back by itself.",
        short_duration(docket.evidence().capture.last_time - v.opposite->last_rnr_nak_time));
    cite(f, v.opposite->last_rnr_nak, v.opposite->last_rnr_nak_time);
  } else if (unanswered) {
    f.explanation +=
        fmt::format(" {} not followed by a resend: the sender's RNR retries may have run out.",
                    naks - episodes == 1 ? "The last one was" : fmt::format("{} of them were", naks - episodes));
  }
  f.next_steps = {
      fmt::format(
          "on {}: post more receives, earlier, or use a shared receive queue; look for a stalled application thread",
          v.direction->dst.to_string()),
      stalled.count > 3 * advertised.count
          ? "the sender waited much longer than it was asked to: its timer is coarse, so each RNR NAK costs that much, "
            "however "
            "small min_rnr_timer is"
          : "a min_rnr_timer much larger than the time the receiver needs makes each RNR NAK cost more"};
  f.ruled_out = {"loss: sequence NAKs for the same PSN right after an RNR NAK are its echo"};
  for (const Episode& e : v.direction->requests.episodes) {
    if (e.cause == Cause::kRnr) cite(f, e);
  }
  f.values = {{"rnr_naks", static_cast<double>(naks)},
              {"stalled_ns", static_cast<double>(stalled.count)},
              {"advertised_ns", static_cast<double>(advertised.count)},
              {"stalled_ratio", share}};
}

void timer_zero(Docket& docket, const DirectionView& v) {
  if (!v.opposite || !v.opposite->first_rnr_timer_zero) return;
  Finding& f = docket.add("rnr.timer_zero", Severity::kWarning, Confidence::kHigh, v);
  f.title = fmt::format("{} asks for the longest RNR wait, 655.36 ms, {}", v.direction->dst.to_string(), path_name(v));
  f.explanation = "RNR timer code 0 means 655.36 ms, not zero. Each RNR NAK may stop the sender for that long.";
  f.next_steps = {
      fmt::format("set min_rnr_timer on {}'s QP to a small code (12 is 0.64 ms)", v.direction->dst.to_string())};
  cite(f, v.opposite->first_rnr_timer_zero, v.opposite->first_rnr_timer_zero_time);
}

std::string_view fatal_words(wire::NakCode code) {
  switch (code) {
    case wire::NakCode::kInvalidRequest:
      return "invalid request";
    case wire::NakCode::kRemoteAccessError:
      return "remote access error";
    case wire::NakCode::kRemoteOperationalError:
      return "remote operational error";
    case wire::NakCode::kInvalidRdRequest:
      return "invalid RD request";
    case wire::NakCode::kPsnSequenceError:
      break;
  }
  return "PSN sequence error";
}

std::string_view fatal_meaning(wire::NakCode code) {
  switch (code) {
    case wire::NakCode::kInvalidRequest:
      return "The responder cannot take this request: a SEND longer than the receive, an operation the QP does not "
             "allow, or a "
             "message out of order.";
    case wire::NakCode::kRemoteAccessError:
      return "The request's R_Key, address range or access right does not match a memory region of the responder.";
    case wire::NakCode::kRemoteOperationalError:
      return "The responder failed by itself while executing the request.";
    default:
      return "The responder refused the request.";
  }
}

void fatal(Docket& docket, const DirectionView& v) {
  if (!v.opposite || !v.opposite->first_fatal_nak) return;
  const auto code = v.opposite->first_fatal_nak_code;
  Finding& f = docket.add("nak.fatal", Severity::kCritical, Confidence::kHigh, v);
  f.title = fmt::format("{} refused with {} and the connection ended, {}", v.direction->dst.to_string(),
                        fatal_words(code), path_name(v));
  f.explanation = fmt::format(
      "{} Both queue pairs go to the error state; this is the software's or its setup's fault, not the "
      "network's.",
      fatal_meaning(code));
  f.next_steps = {
      fmt::format("look at the completion errors of {} and at what it registered or posted",
                  v.direction->dst.to_string()),
      "the NAK names the first packet of the refused message: its RETH shows the address, R_Key and length"};
  f.ruled_out = {"loss: the responder received the request and answered it"};
  cite(f, v.opposite->first_fatal_nak, v.opposite->first_fatal_nak_time);
  std::uint64_t all = 0;
  for (std::size_t i = 1; i < v.opposite->naks.size(); ++i) all += v.opposite->naks[i];
  f.values = {{"naks", static_cast<double>(all)},
              {"time_ns", static_cast<double>(v.opposite->first_fatal_nak_time.count)}};
}

}  // namespace

void judge_receivers(Docket& docket) {
  docket.each_direction([&](const DirectionView& v) {
    rnr(docket, v);
    timer_zero(docket, v);
    fatal(docket, v);
  });
}

}  // namespace rocetop::verdict
