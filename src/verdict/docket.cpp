// SPDX-License-Identifier: BSD-3-Clause
#include "verdict/docket.h"

#include <fmt/format.h>

#include <algorithm>

namespace rocetop::verdict {
namespace {

constexpr std::size_t kCitedMost = 8;

std::string grouped(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3) {
    digits.insert(static_cast<std::size_t>(i), 1, ',');
  }
  return digits;
}

std::string end_name(const IpAddress& ip, const std::optional<Qpn>& qpn) {
  return qpn ? fmt::format("{} qp {}", ip.to_string(), qpn->value) : ip.to_string();
}

}  // namespace

std::string plural(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(n), noun, n == 1 ? "" : "s");
}

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

Finding& Docket::add(std::string rule, Severity severity, Confidence confidence) {
  Finding& f = findings_.emplace_back();
  f.rule = std::move(rule);
  f.severity = severity;
  f.confidence = confidence;
  return f;
}

Finding& Docket::add(std::string rule, Severity severity, Confidence confidence, const DirectionView& view) {
  Finding& f = add(std::move(rule), severity, confidence);
  f.connections.push_back(view.connection->id);
  f.hosts = {view.direction->src, view.direction->dst};
  return f;
}

Confidence Docket::weighed(Confidence confidence) const {
  if (evidence_.capture.completeness >= thresholds_.low_completeness || confidence == Confidence::kLow)
    return confidence;
  return confidence == Confidence::kHigh ? Confidence::kMedium : Confidence::kLow;
}

void cite(Finding& finding, FrameId frame) {
  if (!frame || finding.frames.size() >= kCitedMost) return;
  if (std::find(finding.frames.begin(), finding.frames.end(), frame) != finding.frames.end()) return;
  finding.frames.push_back(frame);
}

}  // namespace rocetop::verdict
