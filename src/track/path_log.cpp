// SPDX-License-Identifier: BSD-3-Clause
#include "track/path_log.h"

#include <algorithm>

namespace rocetop::track {
namespace {

auto place_of(const std::vector<VerocePath>& paths, std::uint16_t udp_src) {
  return std::lower_bound(paths.begin(), paths.end(), udp_src,
                          [](const VerocePath& path, std::uint16_t port) { return path.udp_src < port; });
}

}  // namespace

bool PathLog::uses(std::uint16_t udp_src) const {
  const auto at = place_of(paths_, udp_src);
  return at != paths_.end() && at->udp_src == udp_src;
}

VerocePath* PathLog::find(std::uint16_t udp_src) {
  if (last_ < paths_.size() && paths_[last_].udp_src == udp_src) return &paths_[last_];
  const auto at = place_of(paths_, udp_src);
  if (at == paths_.end() || at->udp_src != udp_src) return nullptr;
  last_ = static_cast<std::size_t>(at - paths_.begin());
  return &paths_[last_];
}

VerocePath* PathLog::find_or_add(std::uint16_t udp_src) {
  if (VerocePath* known = find(udp_src)) return known;
  if (paths_.size() >= kVerocePaths) return nullptr;
  const auto at = paths_.insert(place_of(paths_, udp_src), VerocePath{});
  at->udp_src = udp_src;
  last_ = static_cast<std::size_t>(at - paths_.begin());
  return &*at;
}

void PathLog::on_packet(const PacketFacts& packet, bool resend, bool trimmed) {
  VerocePath* path = find_or_add(packet.udp_src);
  if (path == nullptr) {
    ++elsewhere_;
    return;
  }
  ++path->packets;
  path->bytes_on_wire += packet.wire_bytes;
  path->ce_packets += packet.is_marked() ? 1 : 0;
  path->resent += resend ? 1 : 0;
  path->trimmed += trimmed ? 1 : 0;
}

void PathLog::on_late(std::uint16_t udp_src, Nanos behind) {
  VerocePath* path = find(udp_src);
  if (path == nullptr) return;
  ++path->late;
  path->late_ns.add(behind);
}

void PathLog::on_loss(std::uint16_t udp_src, FrameId frame, Nanos time) {
  VerocePath* path = find(udp_src);
  if (path == nullptr) {
    ++lost_elsewhere_;
    return;
  }
  ++path->lost;
  path->losses.use().add(frame, time);
}

void PathLog::take_back_loss(std::uint16_t udp_src) {
  VerocePath* path = find(udp_src);
  if (path == nullptr && lost_elsewhere_ > 0) --lost_elsewhere_;
  if (path == nullptr || path->lost == 0) return;
  if (--path->lost == 0) path->losses = {};
}

void PathLog::on_asked_by_nak(std::uint16_t udp_src) {
  if (VerocePath* path = find(udp_src)) ++path->asked_by_nak;
}

void PathLog::on_cnp(const PacketFacts& cnp) {
  if (VerocePath* path = find(cnp.udp_src)) ++path->cnps;
}

void PathLog::on_slow_signal(const PacketFacts& signal) {
  VerocePath* path = find_or_add(signal.udp_src);
  if (path == nullptr) return;
  ++path->slow_signals;
  path->signals.use().add(signal.frame, signal.time);
}

void PathLog::on_probe(std::uint16_t udp_src, Nanos delay) {
  if (VerocePath* path = find_or_add(udp_src)) path->probe_ns.add(delay);
}

}  // namespace rocetop::track
