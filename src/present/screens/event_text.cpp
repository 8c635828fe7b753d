// SPDX-License-Identifier: BSD-3-Clause
#include "present/screens/event_text.h"

#include <fmt/format.h>

#include "base/number_text.h"
#include "base/time_text.h"
#include "present/peers_text.h"

namespace rocetop::present {
namespace {

using model::Mark;

std::string times(std::uint64_t n) { return n == 1 ? "" : fmt::format(" ({} times)", grouped(n)); }

/// How long several went on; empty if that is nothing to speak of.
std::string during(const model::RecentEvent& e) {
  const Nanos time = e.last_time - e.first_time;
  return time < milliseconds(1) ? "" : " in " + short_duration(time);
}

}  // namespace

std::string event_text(const model::RecentEvent& e, const std::string& who, bool several_files) {
  const std::string packets = plural(e.packets, "packet");
  const std::string psn = e.psn ? fmt::format("PSN {}", e.psn->value) : "a packet";
  const std::string frame = frame_text(e.frame, several_files);
  const std::string trigger = e.trigger ? " in " + frame_text(e.trigger, several_files) : "";
  const std::string resent = fmt::format("{} resent {} from {} on ({})", who, packets, psn, frame);
  switch (e.mark) {
    case Mark::kResentNak:
      return resent + ", asked to by the NAK" + trigger;
    case Mark::kResentSack:
      return resent + ", asked to by the SACK" + trigger;
    case Mark::kResentRnr:
      return resent + ", after the receiver was not ready" + (e.trigger ? ": RNR NAK" + trigger : "");
    case Mark::kResentTimeout:
      return resent + ": no answer came until its timer ran out";
    case Mark::kResentReadRestart:
      return fmt::format("{} asked for a READ again from {} on ({})", who, psn, frame);
    case Mark::kResentSpurious:
      return resent + " although it had been acknowledged";
    case Mark::kResentUnknown:
      return resent + "; what for does not show";
    case Mark::kReordered:
      return fmt::format("from {}: {} came late, out of order, first {} ({})", who, packets, psn, frame);
    case Mark::kDuplicate:
      return fmt::format("from {}: {} seen twice (copies), first {} ({})", who, packets, psn, frame);
    case Mark::kSequenceNak:
      return fmt::format("{} sent a NAK: {} is missing ({}){}", who, psn, frame, times(e.packets));
    case Mark::kFatalNak:
      return fmt::format("{} sent a NAK: an error that ends the connection, at {} ({}){}", who, psn, frame,
                         times(e.packets));
    case Mark::kRnrNak:
      return fmt::format("{} sent an RNR NAK: not ready for {} ({}){}", who, psn, frame, times(e.packets));
    case Mark::kCnp:
      return fmt::format("{} sent {} to slow the other side down{} ({})", who, plural(e.packets, "CNP"), during(e),
                         frame);
    case Mark::kFastCnp:
      return fmt::format("{} sent by a switch{} ({})", plural(e.packets, "Fast CNP"), during(e), frame);
    case Mark::kGap:
      return fmt::format("from {}: {} from {} on did not pass here in their turn (noticed at {})", who, packets, psn,
                         frame);
    case Mark::kCe:
      return fmt::format("from {}: {} marked by a switch{}, congestion on the way ({})", who, packets, during(e),
                         frame);
    default:
      return fmt::format("from {}: {} of another kind ({})", who, packets, frame);
  }
}

}  // namespace rocetop::present
