// SPDX-License-Identifier: BSD-3-Clause
// MAC control frames behind EtherType 0x8808: 802.3x PAUSE (IEEE 802.3, annex 31B) and PFC (IEEE 802.1Q, 36.1.3).
//
//   PAUSE  0             2             PFC  0             2                  4
//         +-------------+------+           +-------------+------------------+-----------------+
//         | opcode 0001 | time |           | opcode 0101 | reserved 8,      | 8 times, class  |
//         |             |      |           |             | class vector 8   | 0 first, 16 each|
//         +-------------+------+           +-------------+------------------+-----------------+
#include "wire/pause.h"

#include <algorithm>

#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::uint16_t kPauseOpcode = 0x0001;
constexpr std::uint16_t kPfcOpcode = 0x0101;

}  // namespace

bool parse_pause(Bytes after_ethertype, Pause& out) {
  ByteReader reader(after_ethertype);
  const std::uint16_t opcode = reader.u16();
  if (opcode != kPauseOpcode && opcode != kPfcOpcode) return false;
  out.priority = opcode == kPfcOpcode;
  out.class_vector = out.priority ? static_cast<std::uint8_t>(reader.u16()) : std::uint8_t{1};
  out.quanta = {};
  for (std::size_t i = 0; i < (out.priority ? out.quanta.size() : 1); ++i) out.quanta[i] = reader.u16();
  return !reader.failed();
}

Next mac_control(Walk& walk) {
  Pause& pause = walk.out.pause;
  if (!parse_pause({walk.frame + walk.at, walk.end - walk.at}, pause)) return Next::kOther;
  pause.src_mac = {};
  if (walk.src_mac) std::copy_n(walk.src_mac, pause.src_mac.size(), pause.src_mac.begin());
  walk.out.kind = FrameKind::kPause;
  return Next::kDone;
}

}  // namespace rocetop::wire
