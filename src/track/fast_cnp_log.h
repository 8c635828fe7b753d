// SPDX-License-Identifier: BSD-3-Clause
// FastCnpLog: Fast CNPs (wire/fast_cnp.h) by what they are about. They come from a switch and name the receiver's queue
// pair, so no connection's own packets look like them; whose data is meant shows once all connections are known
// (verdict/loop.h).
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/frame_id.h"
#include "base/nanos.h"
#include "wire/packet.h"

namespace rocetop::track {

struct FastCnpCounts {
  IpAddress from;                     ///< the switch
  IpAddress sender;                   ///< of the data: who is told
  std::optional<IpAddress> receiver;  ///< of the data, where the options say
  Qpn dst_qpn;                        ///< as the CNP has it: the receiver's
  std::uint64_t cnps = 0;
  FrameId first_frame;
  Nanos first_time;
  Nanos last_time;
};

class FastCnpLog {
 public:
  /// `most`: entries; Fast CNPs about more are counted in omitted().
  explicit FastCnpLog(std::size_t most) : most_(most) {}

  /// `packet.is_fast_cnp()` must hold. `captured_twice`: most of the data that it is about is in the capture two times.
  void on_fast_cnp(const wire::Packet& packet, FrameId frame, Nanos time, bool captured_twice);

  /// Those with the most first.
  std::vector<FastCnpCounts> finish() const;
  std::uint64_t omitted() const { return omitted_; }

 private:
  using Key = std::tuple<IpAddress, IpAddress, std::optional<IpAddress>, std::uint32_t>;
  struct Entry {
    FastCnpCounts counts;
    wire::NetworkKey network;  // of the newest one that is no copy
    bool last_was_copy = false;
  };

  static bool is_copy(const Entry& entry, const wire::Packet& packet, Nanos time, bool captured_twice);

  std::size_t most_;
  std::map<Key, Entry> entries_;
  std::uint64_t omitted_ = 0;
};

}  // namespace rocetop::track
