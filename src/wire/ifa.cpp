// SPDX-License-Identifier: BSD-3-Clause
// Inband Flow Analyzer 2.0 (draft-kumar-ippm-ifa): telemetry that switches add inside the fabric. Stepped over, not
// decoded. This header stands between IP and UDP; the metadata behind UDP is stepped over there.
//
//    0               1             2                        3
//   +------+--------+-------------+------------------------+------------+----
//   |ver 2 | GNS    | next header | flags: MF TS I TA C    | max length | UDP
//   +------+--------+-------------+------------------------+------------+----
//
// The IP header's protocol and length were rewritten on the way, so the ICRC cannot be checked here.
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::size_t kNextHeader = 1;
constexpr std::size_t kFlags = 2;
constexpr std::size_t kHeaderBytes = 4;
constexpr std::uint8_t kUdpProtocol = 17;
/// Fragmented metadata, metadata at the tail and a checksum header move things about in ways no capture has shown yet.
constexpr std::uint8_t kUnsupportedFlags = 0x10 | 0x08 | 0x01;

}  // namespace

Next ifa(Walk& walk) {
  const std::uint8_t* header = walk.peek(kHeaderBytes);
  if (!header || header[0] >> 4 != 2 || header[kNextHeader] != kUdpProtocol || header[kFlags] & kUnsupportedFlags ||
      walk.network.payload_bytes < kHeaderBytes || !walk.enter(Layer::Kind::kIfa, kHeaderBytes)) {
    return Next::kOther;
  }
  walk.network.payload_bytes -= kHeaderBytes;
  walk.icrc_unusable = true;
  return Next::kUdp;
}

}  // namespace rocetop::wire
