// SPDX-License-Identifier: BSD-3-Clause
// Pause frames for the generator: PFC (IEEE 802.1Q, clause 36) and 802.3x PAUSE (IEEE 802.3, annex 31B). Like encoder.h
// it shares nothing with the wire layer.
#pragma once

#include "generate/encoder.h"

namespace rocetop::generate {

struct PauseSpec {
  std::array<std::uint8_t, 6> mac_src{0x02, 0, 0, 0, 0, 2};  ///< the port that asks for silence
  bool priority = true;                                      ///< PFC; else 802.3x, for all classes
  std::uint8_t classes = 0;                                  ///< PFC: bit n for class n
  std::uint16_t quanta = 0xFFFF;                             ///< of 512 bit times; 0: go on
};

/// The frame, padded to 60 bytes, without FCS.
FrameBytes encode(const PauseSpec& pause);

}  // namespace rocetop::generate
