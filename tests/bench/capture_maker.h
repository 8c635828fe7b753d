// SPDX-License-Identifier: BSD-3-Clause
// make_capture(): a big capture for measuring speed, as a tap near the responders of many busy queue pairs would see
// it. It is a model of traffic, not of a network: one WRITE stream a queue pair, fixed delays, losses only where asked
// for. Encoder and sequence logic are its own, so that it agrees with rocetop about the specification only.
#pragma once

#include <cstdint>
#include <cstdio>

namespace rocetop::bench {

/// Bytes kept of each frame. Data frames are 4 KiB and cut; acknowledgements are whole.
inline constexpr std::uint32_t kSnapLength = 128;

struct CaptureShape {
  std::uint64_t packets = 10'000'000;  ///< records in the file, acknowledgements included
  std::uint32_t queue_pairs = 1'024;   ///< connections, each of two queue pairs; at least 1
  double loss = 0;  ///< share of data packets lost before the tap; NAKs, timeouts and go-back-N follow
  std::uint64_t seed = 1;
};

/// Writes a pcap file (nanoseconds, Ethernet) to `out`. The same shape gives the same bytes. False if a write fails.
bool make_capture(const CaptureShape& shape, std::FILE* out);

}  // namespace rocetop::bench
