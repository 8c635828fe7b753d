// SPDX-License-Identifier: BSD-3-Clause
#include "present/live_history.h"

#include <algorithm>

namespace rocetop::present {
namespace {

constexpr std::size_t kKnownMost = 20'000;  // findings; then all are forgotten, and may be new once more

LiveHistory::Passed passed_in_all(const track::ConnectionCounts& c) {
  LiveHistory::Passed all;
  for (std::size_t way = 0; way < 2; ++way) {
    const auto& direction = way == 0 ? c.a_to_b : c.b_to_a;
    if (direction) all.frames[way] = direction->frames, all.bytes[way] = direction->bytes_on_wire;
  }
  return all;
}

LiveHistory::Passed difference(const LiveHistory::Passed& now, const LiveHistory::Passed& before) {
  const auto less = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; };
  LiveHistory::Passed out;
  for (std::size_t way = 0; way < 2; ++way) {
    out.frames[way] = less(now.frames[way], before.frames[way]);
    out.bytes[way] = less(now.bytes[way], before.bytes[way]);
  }
  return out;
}

}  // namespace

std::string finding_key(const verdict::Finding& finding) {
  std::string key = finding.rule;
  for (const std::uint32_t id : finding.connections) key += " " + std::to_string(id);
  // A finding about many connections gains some as it goes on; its host tells it then.
  if (finding.connections.size() > 1) key = finding.rule + " many";
  for (const IpAddress& host : finding.hosts) {
    key += " " + host.to_string();
    if (finding.connections.size() > 1) break;
  }
  return key;
}

void LiveHistory::add(const model::LiveSnapshot& snapshot) {
  if (snapshot.number <= last_) return;
  if (snapshot.resets != resets_) *this = {};
  // Snapshots may have been passed over: then more time went by than that of one.
  passed_in_ = last_ == 0 ? snapshot.interval.duration : std::max(snapshot.time - last_time_, Nanos{});
  last_ = snapshot.number;
  last_time_ = snapshot.time;
  resets_ = snapshot.resets;
  if (bits_.size() >= kKept) bits_.erase(bits_.begin());
  bits_.push_back(8 * model::per_second(snapshot.interval.bytes_on_wire, snapshot.interval.duration));
  for (std::size_t i = 0; i < snapshot.recent.size() && i < snapshot.totals.connections.size(); ++i) {
    const track::ConnectionCounts& connection = snapshot.totals.connections[i];
    Strip& strip = strips_[connection.id];
    const Passed all = passed_in_all(connection);
    strip.added = difference(all, strip.all);
    strip.all = all;
    strip.snapshot = snapshot.number;
    if (strip.count == kStrip) {
      std::rotate(strip.bits.begin(), strip.bits.begin() + 1, strip.bits.end());
      --strip.count;
    }
    strip.bits[strip.count++] = static_cast<float>(snapshot.recent[i].bits_per_second().value_or(0));
  }
  std::erase_if(strips_, [&](const auto& entry) { return entry.second.snapshot != snapshot.number; });
  note_findings(snapshot);
}

std::vector<double> LiveHistory::bits_per_second(std::uint32_t id) const {
  const auto found = strips_.find(id);
  if (found == strips_.end()) return {};
  return {found->second.bits.begin(), found->second.bits.begin() + static_cast<std::ptrdiff_t>(found->second.count)};
}

LiveHistory::Passed LiveHistory::passed(std::uint32_t id) const {
  const auto found = strips_.find(id);
  return found == strips_.end() ? Passed{} : found->second.added;
}

void LiveHistory::note_findings(const model::LiveSnapshot& snapshot) {
  if (known_.size() > kKnownMost) known_.clear();
  News fresh;
  for (const verdict::Finding& finding : snapshot.totals.findings) {
    if (!known_.insert(finding_key(finding)).second) continue;
    if (fresh.snapshot == 0) {
      fresh = {finding.title, finding.severity, snapshot.number, 0};  // the worst comes first
    } else {
      ++fresh.further;
    }
  }
  if (fresh.snapshot != 0) news_ = std::move(fresh);
}

}  // namespace rocetop::present
