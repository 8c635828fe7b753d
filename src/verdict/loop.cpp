// SPDX-License-Identifier: BSD-3-Clause
#include "verdict/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/number_text.h"
#include "base/time_text.h"
#include "track/directions.h"
#include "verdict/losses.h"

namespace rocetop::verdict {

using track::CongestionCounts;
using track::ConnectionCounts;
using track::DirectionCounts;
using track::Loop;

std::uint64_t data_packets(const DirectionCounts& d) { return d.requests.packets + d.responses.packets; }

std::uint64_t payload_packets(const DirectionCounts& d) {
  std::uint64_t n = 0;
  for (const auto& [opcode, packets] : d.opcodes) {
    const auto operation = static_cast<wire::Operation>(opcode & 0x1F);
    const bool asks = operation == wire::kReadRequest || operation == wire::kCompareSwap ||
                      operation == wire::kFetchAdd || operation == wire::kAtomicAcknowledge ||
                      operation == wire::kFlush || operation == wire::kAtomicWrite;
    const wire::Role role = wire::opcode_facts(opcode).role;
    if (!asks && (role == wire::Role::kRequest || role == wire::Role::kResponse)) n += packets;
  }
  return n;
}

std::uint64_t data_with(const DirectionCounts& d, wire::Ecn ecn) {
  const auto i = static_cast<std::size_t>(ecn);
  return d.ecn[i] - std::min(d.ecn[i], d.control_ecn[i]);
}

bool is_not_ect(const DirectionCounts& d) {
  // What is marked does not tell any more what it was.
  const std::uint64_t all = data_packets(d);
  const std::uint64_t unmarked = all - std::min(all, data_with(d, wire::Ecn::kCe));
  return payload_packets(d) > 0 && data_with(d, wire::Ecn::kNotEct) * 2 > unmarked;
}

namespace {

/// Acknowledgements of the other end with BECN.
std::uint64_t becn_replies(const DirectionCounts& d) {
  return d.veroce ? d.veroce->requests.becn_replies + d.veroce->responses.becn_replies : 0;
}

/// Packets that went missing, and that NAKs asked for: before the capture point and after it.
std::uint64_t losses(const DirectionCounts& d) {
  std::uint64_t lost = d.requests.episodes_by_cause[static_cast<std::size_t>(track::Cause::kNak)] +
                       d.requests.episodes_by_cause[static_cast<std::size_t>(track::Cause::kSack)];
  // What may merely have come late speaks for no queue.
  lost -=
      std::min(lost, static_cast<std::uint64_t>(std::count_if(d.requests.episodes.begin(), d.requests.episodes.end(),
                                                              [](const auto& e) { return e.may_be_late; })));
  for (const auto* space : {&d.requests, &d.responses}) {
    lost += space->missing_packets[static_cast<std::size_t>(track::Outcome::kRetransmitted)];
    for (const auto& run : space->missing)
      lost -= std::min(lost, filled(*space, run) == Filled::kByResends ? 0 : run.psns());
  }
  return lost;
}

}  // namespace

/// Seen near the sender; elsewhere a round trip does not hold the queue.
bool LoopReader::rtt_is_inflated(const DirectionCounts& d) const {
  constexpr std::int64_t kNoise = 20'000;  // ns: a host's own delays
  const Histogram& rtt = d.round_trips.rtt_ns;
  if (d.tap != track::Tap::kNearSource || rtt.count() < thresholds_.class_packets) return false;
  const std::int64_t median = rtt.percentile(0.5);
  return median - rtt.min() > kNoise &&
         static_cast<double>(median) >=
             thresholds_.rtt_inflation * static_cast<double>(std::max<std::int64_t>(rtt.min(), 1));
}

LoopReader::LoopReader(const std::vector<ConnectionCounts>& connections, const CaptureEvidence& capture,
                       const Thresholds& thresholds)
    : thresholds_(thresholds) {
  for (const auto& port : capture.pauses) {
    for (const auto& c : port.classes) {
      const Nanos certain = c.paused.value_or(c.paused_least);
      const Nanos span = capture.last_time - capture.first_time;
      paused_ =
          paused_ || (c.xoff_frames >= thresholds.storm_frames &&
                      static_cast<double>(certain.count) >= thresholds.paused_share * static_cast<double>(span.count));
    }
  }
  track::each_direction(connections, [&](const DirectionCounts& d) {
    receivers_[d.src].cnps += d.cnps;
    receivers_[d.dst].cnps += becn_replies(d);
    if (losses(d) >= thresholds.queue_drops) receivers_[d.dst].losing.insert(d.src);
    if (rtt_is_inflated(d)) receivers_[d.dst].slow.insert(d.src);
    if (d.congestion && d.congestion->ce_packets > 0) ++receivers_[d.dst].marked_directions;
  });
}

bool LoopReader::marks_unanswered(const DirectionView& v) const {
  const DirectionCounts& d = *v.direction;
  // Of veRoCE, acknowledgements with BECN answer marks too; and a sender that probes may go by round trips alone.
  if (d.veroce && (becn_replies(d) > 0 || d.veroce->rtt_requests > 0)) return false;
  if (!d.congestion || !v.opposite || v.opposite->frames == 0) return false;
  const CongestionCounts& c = *d.congestion;
  if (c.cnps > 0 || c.fast_cnps > 0 || c.ce_packets < thresholds_.unanswered_marks) return false;
  if (c.last_ce_time - c.first_ce_time < thresholds_.unanswered_time) return false;
  // A receiver that paces over all its connections may not have come to this one.
  const auto found = receivers_.find(d.dst);
  const Receiver receiver = found == receivers_.end() ? Receiver{} : found->second;
  return receiver.cnps == 0 || receiver.cnps >= thresholds_.cnps_per_turn * receiver.marked_directions;
}

bool LoopReader::takes_no_notice(const DirectionView& v) const {
  const DirectionCounts& d = *v.direction;
  if (v.is_veroce()) return false;  // a CNP is about one path: others may take over what it sends less
  if (!d.congestion) return false;
  const CongestionCounts& c = *d.congestion;
  const std::uint64_t asked = c.cnps - std::min(c.cnps, c.cnps_with_nak);
  if (asked < thresholds_.ignored_cnps || c.windows < thresholds_.ignored_cnps) return false;
  // Behind the queue that marks, a direction's rate is its share of the queue, not what its sender does.
  const bool behind_the_queue = d.tap == track::Tap::kNearDestination || c.ce_packets > 0 || marks_seen_towards(d.dst);
  if (behind_the_queue && d.tap != track::Tap::kNearSource) return false;
  // One message at a time, each waiting for the answer to the one before: a cut of such a sender's rate does not show.
  if (c.rest_ratio() >= thresholds_.rest_share) return false;
  return c.idle_ratio() < thresholds_.idle_share && c.slowdowns == 0 &&
         c.lowest_bps >= thresholds_.flat_rate * c.highest_bps;
}

bool LoopReader::oscillates(const DirectionView& v) const {
  // Congestion control has a lowest rate: a sender that stops in each trough waits for something else, a window or a
  // host. And swings that come without marks as well are not its doing.
  constexpr double kStopped = 0.98;
  constexpr std::uint64_t kCalmOnes = 4;
  if (!v.direction->congestion) return false;
  const CongestionCounts& c = *v.direction->congestion;
  return c.swings >= thresholds_.swings && c.calm_swings * kCalmOnes <= c.swings && c.swing_depth <= kStopped &&
         c.swing_spread <= thresholds_.swing_spread && c.swing_depth >= thresholds_.swing_depth &&
         c.idle_ratio() < thresholds_.idle_share;
}

bool LoopReader::queues_without_marks(const DirectionView& v) const {
  const DirectionCounts& d = *v.direction;
  if (d.congestion && d.congestion->ce_packets > 0) return false;
  // One sender's losses or delays may have many causes; those of several to one receiver have the queue before it.
  constexpr std::size_t kSeveral = 2;
  const auto found = receivers_.find(d.dst);
  const bool shared =
      found != receivers_.end() && ((found->second.losing.size() >= kSeveral && found->second.losing.contains(d.src)) ||
                                    (found->second.slow.size() >= kSeveral && found->second.slow.contains(d.src)));
  const bool answered = d.congestion && d.congestion->cnps > d.congestion->cnps_with_nak;
  return marks_seen_towards(d.dst) || paused_ || shared || answered;
}

namespace {

constexpr std::uint64_t kSlowdownsSure = 2;  // of fewer, chance may have made each
constexpr std::uint64_t kCalmStretches = 4;  // without CNPs, that show what the rate does by itself

/// The rate falls about as often where no CNP is near.
bool falls_anyway(const CongestionCounts& c) {
  if (c.calm_stretches < kCalmStretches) return false;
  const double told = static_cast<double>(c.prompt_slowdowns) / static_cast<double>(c.slowdowns + c.no_slowdowns);
  const double calm = static_cast<double>(c.calm_falls) / static_cast<double>(c.calm_stretches);
  return calm * 2 >= told;
}

}  // namespace

Loop LoopReader::loop(const DirectionView& v) const {
  const DirectionCounts& d = *v.direction;
  if (is_not_ect(d) && queues_without_marks(v)) return Loop::kNotMarked;
  if (!d.congestion) return becn_replies(d) == 0 ? Loop::kIdle : Loop::kUnknown;
  const CongestionCounts& c = *d.congestion;
  if (c.ce_packets == 0 && c.cnps == 0) {
    return c.fast_cnps == 0 && becn_replies(d) == 0 ? Loop::kIdle : Loop::kUnknown;
  }
  if (marks_unanswered(v)) return Loop::kNotificationMissing;
  if (takes_no_notice(v)) return Loop::kReactionMissing;
  if (oscillates(v)) return Loop::kOscillating;
  const bool at_work = c.idle_ratio() < thresholds_.idle_share && c.rest_ratio() < thresholds_.rest_share;
  if (c.cnps > 0 && c.slowdowns > 0 && at_work && !falls_anyway(c)) return Loop::kClosed;
  return Loop::kUnknown;
}

bool slowed_by_chance(const CongestionCounts& c) {
  const std::uint64_t series = c.slowdowns + c.no_slowdowns;
  return c.prompt_slowdowns < kSlowdownsSure || c.prompt_slowdowns * 2 < series;
}

std::string loop_facts(const DirectionCounts& d) {
  if (!d.congestion || (d.congestion->ce_packets == 0 && d.congestion->cnps == 0)) return {};
  const CongestionCounts& c = *d.congestion;
  std::string text = fmt::format("{} marked CE, {}", plural(c.ce_packets, "data packet"), plural(c.cnps, "CNP"));
  const std::uint64_t becn = becn_replies(d);
  if (becn > 0) text += ", " + plural(becn, "acknowledgement with BECN", "acknowledgements with BECN");
  if (becn == 0 && c.longest_unanswered > Nanos{}) {
    text += fmt::format("; marks waited for a CNP for up to {}", short_duration(c.longest_unanswered));
  }
  const std::uint64_t series = c.slowdowns + c.no_slowdowns;
  if (series > 0) {
    text += fmt::format("; the rate fell after {} of {} of CNPs", c.slowdowns, plural(series, "series", "series"));
    if (c.calm_stretches > 0) {
      text += fmt::format(", and in {} of {} as long without one", c.calm_falls,
                          plural(c.calm_stretches, "stretch", "stretches"));
    }
  }
  if (c.rest > Nanos{}) {
    text += fmt::format("; for {} of the time the sender had sent what it had, and waited", percent(c.rest_ratio()));
  }
  return text;
}

namespace {

/// Which data a Fast CNP is about: that of the host it was sent to, for the queue pair that it names, on the way to the
/// address in its options. The queue pair is the receiver's (draft-xiao-rtgwg-rocev2-fast-cnp); others may name the
/// sender's, as CNPs do.
class FastCnpTargets {
 public:
  explicit FastCnpTargets(std::vector<ConnectionCounts>& connections) {
    for (ConnectionCounts& c : connections) {
      if (c.transport == wire::Transport::kCnp) continue;
      if (c.a_to_b) add(*c.a_to_b, c.b_to_a);
      if (c.b_to_a) add(*c.b_to_a, c.a_to_b);
    }
  }

  void give(const track::FastCnpCounts& cnps) {
    // Counted where it passed: it was sent as the receiver's own CNPs are.
    if (delivered_.contains({cnps.from, cnps.sender, cnps.dst_qpn.value})) return;
    const auto found = by_name_.find({cnps.sender, cnps.dst_qpn.value});
    if (found == by_name_.end()) return;
    for (DirectionCounts* d : found->second) {
      if (!cnps.receiver || d->dst == *cnps.receiver) d->congestion.use().fast_cnps += cnps.cnps;
    }
  }

 private:
  void add(DirectionCounts& d, const std::optional<DirectionCounts>& opposite) {
    const auto note = [&](const std::optional<Qpn>& qpn) {
      if (!qpn) return;
      std::vector<DirectionCounts*>& directions = by_name_[{d.src, qpn->value}];
      if (directions.empty() || directions.back() != &d) directions.push_back(&d);
    };
    note(d.dst_qpn);
    if (!opposite) return;
    note(opposite->dst_qpn);
    if (d.dst_qpn) delivered_.insert({d.src, d.dst, d.dst_qpn->value});
  }

  std::map<std::pair<IpAddress, std::uint32_t>, std::vector<DirectionCounts*>> by_name_;  // sender and either QPN
  std::set<std::tuple<IpAddress, IpAddress, std::uint32_t>> delivered_;
};

}  // namespace

void judge_loops(std::vector<ConnectionCounts>& connections, const CaptureEvidence& capture,
                 const Thresholds& thresholds) {
  if (!capture.fast_cnps.empty()) {
    FastCnpTargets targets(connections);
    for (const track::FastCnpCounts& cnps : capture.fast_cnps) targets.give(cnps);
  }
  const LoopReader reader(connections, capture, thresholds);
  for (ConnectionCounts& c : connections) {
    DirectionCounts* forward = c.a_to_b ? &*c.a_to_b : nullptr;
    DirectionCounts* backward = c.b_to_a ? &*c.b_to_a : nullptr;
    if (forward) forward->loop = reader.loop({&c, forward, backward});
    if (backward) backward->loop = reader.loop({&c, backward, forward});
  }
}

}  // namespace rocetop::verdict
