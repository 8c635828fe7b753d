// SPDX-License-Identifier: BSD-3-Clause
// FrameSample: of frames that are too many to keep, the first few and the last, with their times, for proof.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/frame_id.h"
#include "base/nanos.h"

namespace rocetop::track {

class FrameSample {
 public:
  struct Kept {
    FrameId frame;
    Nanos time;
  };
  static constexpr std::size_t kMost = 8;

  void add(FrameId frame, Nanos time) { kept_[size_ < kMost ? size_++ : kMost - 1] = {frame, time}; }
  std::span<const Kept> kept() const { return {kept_.data(), size_}; }

 private:
  std::array<Kept, kMost> kept_{};
  std::size_t size_ = 0;
};

}  // namespace rocetop::track
