// SPDX-License-Identifier: BSD-3-Clause
#include "verdict/docket.h"

#include <fmt/format.h>

#include <algorithm>

namespace rocetop::verdict {
namespace {

constexpr std::size_t kCitedMost = 16'384;  // of one finding, until its proof is settled

std::string end_name(const IpAddress& ip, const std::optional<Qpn>& qpn) {
  return qpn ? fmt::format("{} qp {}", ip.to_string(), qpn->value) : ip.to_string();
}

}  // namespace

std::string percent(double share) {
  const double p = share * 100;
  if (p > 0 && p < 0.01) return "under 0.01 %";
  return p < 9.95 ? fmt::format("{:.2f} %", p) : fmt::format("{:.1f} %", p);
}

std::string path_name(const DirectionView& view) {
  const auto& d = *view.direction;
  return fmt::format("{} → {}", d.src.to_string(), end_name(d.dst, d.dst_qpn));
}

std::string connection_name(const track::ConnectionCounts& c) {
  return fmt::format("{} ↔ {}", end_name(c.a_ip, c.a_qpn), end_name(c.b_ip, c.b_qpn));
}

void Docket::each_direction(const std::function<void(const DirectionView&)>& function) const {
  for (const auto& c : evidence_.connections) {
    if (c.transport == wire::Transport::kUd) continue;
    const auto* forward = c.a_to_b ? &*c.a_to_b : nullptr;
    const auto* backward = c.b_to_a ? &*c.b_to_a : nullptr;
    if (forward) function({&c, forward, backward});
    if (backward) function({&c, backward, forward});
  }
}

Finding& Docket::add(RuleId rule, Severity severity, Confidence confidence) {
  Finding& f = findings_.emplace_back();
  f.rule = rule.id();
  f.severity = severity;
  f.confidence = confidence;
  return f;
}

Finding& Docket::add(RuleId rule, Severity severity, Confidence confidence, const DirectionView& view) {
  Finding& f = add(rule, severity, confidence);
  f.connections.push_back(view.connection->id);
  f.hosts = {view.direction->src, view.direction->dst};
  return f;
}

Confidence Docket::weighed(Confidence confidence) const {
  const double completeness = evidence_.capture.completeness;
  const bool poor = completeness < thresholds_.low_completeness && completeness < thresholds_.poor_completeness;
  return poor ? Confidence::kLow : lowered(confidence);
}

Confidence Docket::lowered(Confidence confidence) const {
  if (evidence_.capture.completeness >= thresholds_.low_completeness) return confidence;
  return confidence == Confidence::kHigh ? Confidence::kMedium : Confidence::kLow;
}

void name_host(Finding& finding, const IpAddress& host) {
  std::vector<IpAddress>& hosts = finding.hosts;
  if (hosts.size() < kHostsNamed && std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
}

void name_flow(Finding& finding, const DirectionView& view) {
  std::vector<std::uint32_t>& ids = finding.connections;
  if (ids.size() < kConnectionsNamed && (ids.empty() || ids.back() != view.connection->id))
    ids.push_back(view.connection->id);
  name_host(finding, view.direction->src);
}

void cite(Finding& finding, FrameId frame, Nanos time) {
  if (!frame) return;
  if (time.count != 0) date(finding, time);
  ++finding.frames_total;
  if (finding.frames.size() < kCitedMost) {
    finding.frames.push_back(frame);
  } else if (frame > finding.frames.back()) {
    finding.frames.back() = frame;  // the last one of all is worth more than the one before it
  }
}

void cite(Finding& finding, const track::Episode& episode) {
  cite(finding, episode.trigger_frame);
  cite(finding, episode.first_frame, episode.first_time);
  if (episode.wait.count > 0) date(finding, episode.first_time - episode.wait);
}

void cite(Finding& finding, const track::FrameSample& sample) {
  for (const auto& [frame, time] : sample.kept()) cite(finding, frame, time);
}

void cite(Finding& finding, const track::MissingRun& run) { cite(finding, run.seen_at, run.seen_at_time); }

void date(Finding& finding, Nanos time) {
  finding.first_time = std::min(time, finding.first_time.value_or(time));
  finding.last_time = std::max(time, finding.last_time.value_or(time));
}

void date(Finding& finding, Nanos first, Nanos last) {
  date(finding, first);
  date(finding, last);
}

void settle_proof(Finding& finding) {
  std::vector<FrameId>& frames = finding.frames;
  std::sort(frames.begin(), frames.end());
  const auto end = std::unique(frames.begin(), frames.end());
  const auto repeats = static_cast<std::uint64_t>(frames.end() - end);
  finding.frames_total -= std::min(repeats, finding.frames_total);
  frames.erase(end, frames.end());
  finding.frames_total = std::max<std::uint64_t>(finding.frames_total, frames.size());
  if (frames.size() <= kProofPackets) return;
  constexpr std::size_t kFirst = 3;
  constexpr std::size_t kLast = 2;
  constexpr std::size_t kBetween = kProofPackets - kFirst - kLast;
  const std::size_t room = frames.size() - kFirst - kLast;
  std::vector<FrameId> chosen(frames.begin(), frames.begin() + kFirst);
  for (std::size_t i = 1; i <= kBetween; ++i) chosen.push_back(frames[kFirst + room * i / (kBetween + 1)]);
  chosen.insert(chosen.end(), frames.end() - kLast, frames.end());
  frames = std::move(chosen);
}

void merge_proof(Finding& finding, const Finding& other) {
  finding.frames.insert(finding.frames.end(), other.frames.begin(), other.frames.end());
  finding.frames_total += other.frames_total;
  for (const auto& time : {other.first_time, other.last_time}) {
    if (time) date(finding, *time);
  }
}

}  // namespace rocetop::verdict
