// SPDX-License-Identifier: BSD-3-Clause
#include "track/fast_cnp_log.h"

#include <algorithm>

#include "track/limits.h"
#include "wire/fast_cnp.h"

namespace rocetop::track {

/// A mirror's or the network's. IPv6 has no identification, so what is about the same data a moment later is a copy
/// where the data is there twice as well, or where it carries another VLAN tag.
bool FastCnpLog::is_copy(const Entry& entry, const wire::Packet& packet, Nanos time, bool captured_twice) {
  if (entry.counts.cnps == 0 || entry.last_was_copy || time - entry.counts.last_time >= kCopyWindow) return false;
  return captured_twice || !(packet.network == entry.network);
}

void FastCnpLog::on_fast_cnp(const wire::Packet& packet, FrameId frame, Nanos time, bool captured_twice) {
  const auto receiver = wire::parse_fast_cnp(packet).data_destination;
  const Key key{packet.src, packet.dst, receiver, packet.bth.dest_qp.value};
  auto found = entries_.find(key);
  if (found == entries_.end()) {
    if (entries_.size() >= most_) {
      ++omitted_;
      return;
    }
    const FastCnpCounts none{packet.src, packet.dst, receiver, packet.bth.dest_qp, 0, frame, time, time};
    found = entries_.emplace(key, Entry{none, packet.network, false}).first;
  }
  Entry& entry = found->second;
  entry.last_was_copy = is_copy(entry, packet, time, captured_twice);
  if (entry.last_was_copy) return;
  entry.network = packet.network;
  ++entry.counts.cnps;
  entry.counts.last_time = std::max(entry.counts.last_time, time);
}

std::vector<FastCnpCounts> FastCnpLog::finish() const {
  std::vector<FastCnpCounts> out;
  out.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) out.push_back(entry.counts);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.cnps > b.cnps; });
  return out;
}

}  // namespace rocetop::track
