// SPDX-License-Identifier: BSD-3-Clause
#include "track/fast_cnp_log.h"

#include <algorithm>

#include "wire/fast_cnp.h"

namespace rocetop::track {

void FastCnpLog::on_fast_cnp(const wire::Packet& packet, FrameId frame, Nanos time) {
  const auto receiver = wire::parse_fast_cnp(packet).data_destination;
  const Key key{packet.src, packet.dst, receiver, packet.bth.dest_qp.value};
  auto found = entries_.find(key);
  if (found == entries_.end()) {
    if (entries_.size() >= most_) {
      ++omitted_;
      return;
    }
    found =
        entries_.emplace(key, FastCnpCounts{packet.src, packet.dst, receiver, packet.bth.dest_qp, 0, frame, time, time})
            .first;
  }
  ++found->second.cnps;
  found->second.last_time = std::max(found->second.last_time, time);
}

std::vector<FastCnpCounts> FastCnpLog::finish() const {
  std::vector<FastCnpCounts> out;
  out.reserve(entries_.size());
  for (const auto& [key, counts] : entries_) out.push_back(counts);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.cnps > b.cnps; });
  return out;
}

}  // namespace rocetop::track
