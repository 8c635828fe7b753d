// SPDX-License-Identifier: BSD-3-Clause
#include "model/totals.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/growth.h"
#include "track/directions.h"

namespace rocetop::model {
namespace {

std::uint64_t outcome(const track::SpaceCounts& space, track::Outcome o) {
  return space.missing_packets[static_cast<std::size_t>(o)];
}

void add(ConnectionTotals& sum, const track::SpaceCounts& space) {
  sum.psn_packets += space.packets;
  sum.retransmitted += space.retransmitted_original_seen + space.retransmitted_original_unseen;
  sum.missing += outcome(space, track::Outcome::kRetransmitted) + outcome(space, track::Outcome::kUnresolved);
  sum.capture_missed += outcome(space, track::Outcome::kCaptureMissed);
  sum.reordered += space.reordered_packets;
  sum.duplicates += space.duplicate_packets;
  sum.inexact = sum.inexact || !space.inexact.empty();
}

void add(ConnectionTotals& sum, const track::DirectionCounts& direction) {
  sum.frames += direction.frames;
  sum.bytes_on_wire += direction.bytes_on_wire;
  add(sum, direction.requests);
  add(sum, direction.responses);
  sum.naks += std::accumulate(direction.naks.begin(), direction.naks.end(), std::uint64_t{0});
  sum.rnr_naks += direction.rnr_naks;
  sum.ce += direction.ecn[static_cast<std::size_t>(wire::Ecn::kCe)];
  sum.cnps += direction.cnps;
  sum.fast_cnps += direction.fast_cnps;
  sum.bad_icrc += direction.icrc[static_cast<std::size_t>(wire::IcrcStatus::kBad)];
}

}  // namespace

std::optional<double> ConnectionTotals::bits_per_second() const {
  if (duration.count <= 0) return std::nullopt;
  return static_cast<double>(bytes_on_wire) * 8e9 / static_cast<double>(duration.count);
}

std::optional<double> ConnectionTotals::retransmitted_ratio() const {
  if (psn_packets == 0) return std::nullopt;
  return static_cast<double>(retransmitted) / static_cast<double>(psn_packets);
}

ConnectionTotals totals(const track::ConnectionCounts& connection) {
  ConnectionTotals sum;
  if (connection.a_to_b) add(sum, *connection.a_to_b);
  if (connection.b_to_a) add(sum, *connection.b_to_a);
  sum.duration = connection.last_time - connection.first_time;
  return sum;
}

namespace {

constexpr std::array<std::uint64_t ConnectionTotals::*, 14> kCounts = {
    &ConnectionTotals::frames,      &ConnectionTotals::bytes_on_wire,
    &ConnectionTotals::psn_packets, &ConnectionTotals::retransmitted,
    &ConnectionTotals::missing,     &ConnectionTotals::capture_missed,
    &ConnectionTotals::reordered,   &ConnectionTotals::duplicates,
    &ConnectionTotals::naks,        &ConnectionTotals::rnr_naks,
    &ConnectionTotals::ce,          &ConnectionTotals::cnps,
    &ConnectionTotals::fast_cnps,   &ConnectionTotals::bad_icrc};

}  // namespace

ConnectionTotals sum(const ConnectionTotals& one, const ConnectionTotals& other) {
  ConnectionTotals out;
  for (const auto count : kCounts) out.*count = one.*count + other.*count;
  out.duration = std::max(one.duration, other.duration);
  out.inexact = one.inexact || other.inexact;
  return out;
}

ConnectionTotals since(const ConnectionTotals& before, const ConnectionTotals& now, Nanos duration) {
  ConnectionTotals out;
  for (const auto count : kCounts) out.*count = growth(before.*count, now.*count);
  out.duration = duration;
  out.inexact = now.inexact;
  return out;
}

CongestionSigns congestion_signs(const std::vector<track::ConnectionCounts>& connections) {
  CongestionSigns signs;
  for (const auto& connection : connections) {
    const ConnectionTotals sum = totals(connection);
    signs.ce += sum.ce;
    signs.cnps += sum.cnps;
    signs.fast_cnps += sum.fast_cnps;
    track::each_direction_of(connection, [&](const track::DirectionCounts& d) {
      if (d.veroce) signs.becn += d.veroce->requests.becn_replies + d.veroce->responses.becn_replies;
    });
  }
  return signs;
}

}  // namespace rocetop::model
