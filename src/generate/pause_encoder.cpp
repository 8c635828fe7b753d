// SPDX-License-Identifier: BSD-3-Clause
#include "generate/pause_encoder.h"

#include "generate/byte_writer.h"

namespace rocetop::generate {

FrameBytes encode(const PauseSpec& pause) {
  constexpr std::array<std::uint8_t, 6> kMacControl{0x01, 0x80, 0xC2, 0, 0, 0x01};
  constexpr std::size_t kFrameBytes = 60;
  ByteWriter out;
  out.bytes(kMacControl);
  out.bytes(pause.mac_src);
  out.u16(0x8808);
  out.u16(pause.priority ? 0x0101 : 0x0001);
  if (pause.priority) {
    out.u16(pause.classes);
    for (unsigned c = 0; c < 8; ++c) out.u16((pause.classes >> c & 1U) != 0 ? pause.quanta : 0U);
  } else {
    out.u16(pause.quanta);
  }
  out.zeros(kFrameBytes - out.data().size());
  return std::move(out.data());
}

}  // namespace rocetop::generate
