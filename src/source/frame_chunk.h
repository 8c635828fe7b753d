// SPDX-License-Identifier: BSD-3-Clause
// FrameChunk: frames with bytes of their own, to be kept longer than whoever lent them keeps them. Reused, so that
// nothing is allocated once it has grown.
#pragma once

#include <cstdint>
#include <vector>

#include "source/frame_source.h"

namespace rocetop::source {

struct FrameChunk {
  std::vector<std::uint8_t> bytes;
  std::vector<std::size_t> offsets;  ///< of each frame's bytes
  std::vector<Frame> frames;
  std::size_t next = 0;  ///< the first frame not handed on

  bool empty() const { return next == frames.size(); }
  void clear() {
    bytes.clear();
    offsets.clear();
    frames.clear();
    next = 0;
  }
  /// A copy of `frame`, whose bytes are in place after settle().
  void add(const Frame& frame) {
    offsets.push_back(bytes.size());
    bytes.insert(bytes.end(), frame.bytes.begin(), frame.bytes.end());
    frames.push_back(frame);
  }
  /// Once all frames are there: points them at their bytes.
  void settle() {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      frames[i].bytes = Bytes(bytes).subspan(offsets[i], frames[i].bytes.size());
    }
  }
};

}  // namespace rocetop::source
