// SPDX-License-Identifier: BSD-3-Clause
#include "track/receiver_log.h"

#include <algorithm>

namespace rocetop::track {

void ReceiverLog::on_sign(const IpAddress& src, const IpAddress& dst, FrameId frame, Nanos now) {
  auto found = receivers_.find(dst);
  if (found == receivers_.end()) {
    if (receivers_.size() >= most_) return;
    found = receivers_.insert({dst, Receiver{}}).first;
  }
  Receiver& r = found.value();
  auto at = std::find_if(r.senders.begin(), r.senders.end(), [&](const Sender& s) { return s.host == src; });
  if (at == r.senders.end()) {
    if (r.senders.size() < kSendersListed) {
      at = r.senders.insert(r.senders.end(), {src, now});
    } else {
      at = std::min_element(r.senders.begin(), r.senders.end(),
                            [](const Sender& a, const Sender& b) { return a.last < b.last; });
      *at = {src, now};
    }
  }
  at->last = std::max(at->last, now);
  // A CNP that was held until its connection was known is older than what has come since.
  const auto recent = [&](const Sender& s) { return s.last <= now + kAtOnce && now - s.last <= kAtOnce; };
  const auto n = static_cast<std::uint32_t>(std::count_if(r.senders.begin(), r.senders.end(), recent));
  if (n <= r.counts.most_at_once) return;
  r.counts.host = dst;
  r.counts.most_at_once = n;
  r.counts.frame = frame;
  r.counts.time = now;
  r.counts.senders.clear();
  for (const Sender& s : r.senders) {
    if (recent(s)) r.counts.senders.push_back(s.host);
  }
}

std::vector<ReceiverCounts> ReceiverLog::finish() {
  std::vector<ReceiverCounts> out;
  for (auto it = receivers_.begin(); it != receivers_.end(); ++it) out.push_back(std::move(it.value().counts));
  std::sort(out.begin(), out.end(), [](const ReceiverCounts& a, const ReceiverCounts& b) {
    return a.most_at_once != b.most_at_once ? a.most_at_once > b.most_at_once : a.host < b.host;
  });
  receivers_.clear();
  return out;
}

}  // namespace rocetop::track
