// SPDX-License-Identifier: BSD-3-Clause
// ReceiverLog: how many hosts had congested data on the way to one receiver at the same time. Congested: marked CE, or
// answered by a CNP. Fed only by such packets.
#pragma once

#include <tsl/robin_map.h>

#include <vector>

#include "base/frame_id.h"
#include "base/nanos.h"
#include "track/flow_key.h"

namespace rocetop::track {

/// At once: within this time. Queues drain in less, an incast's senders answer one request together.
inline constexpr Nanos kAtOnce = milliseconds(1);

struct ReceiverCounts {
  IpAddress host;
  std::vector<IpAddress> senders;  ///< of the moment with the most of them; at most kSendersListed
  std::uint32_t most_at_once = 0;
  FrameId frame;  ///< the sign that made it the most
  Nanos time;
};
inline constexpr std::size_t kSendersListed = 256;

class ReceiverLog {
 public:
  explicit ReceiverLog(std::size_t most) : most_(most) {}

  /// Data from src to dst is congested now.
  void on_sign(const IpAddress& src, const IpAddress& dst, FrameId frame, Nanos now);

  std::vector<ReceiverCounts> finish();

 private:
  struct Sender {
    IpAddress host;
    Nanos last;
  };
  struct Receiver {
    std::vector<Sender> senders;  // at most kSendersListed; the latest signs of each
    ReceiverCounts counts;
  };

  std::size_t most_;
  tsl::robin_map<IpAddress, Receiver, IpAddressHash> receivers_;
};

}  // namespace rocetop::track
