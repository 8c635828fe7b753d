// SPDX-License-Identifier: BSD-3-Clause
// PacketRecord: what one line of `rocetop packets` is made of, text or JSON.
#pragma once

#include <cstdint>
#include <optional>

#include "base/byte_reader.h"
#include "base/frame_id.h"
#include "base/nanos.h"
#include "track/observation.h"
#include "track/settlement.h"
#include "wire/decode.h"

namespace rocetop::present {

using Final = track::Settlement;

struct PacketRecord {
  FrameId id;
  std::optional<Nanos> time;
  bool nanoseconds = true;  ///< the stamp resolves them; else microseconds
  Bytes frame;              ///< captured bytes, for the outer headers
  std::uint32_t wire_length = 0;
  const wire::Decoded* decoded = nullptr;
  track::Observation observation;
  std::optional<Final> final;  ///< what later packets settled about the frame (two passes)

  /// Cause and trigger as known: settled ones first.
  std::optional<track::Cause> cause() const { return final && final->cause ? final->cause : observation.cause; }
  /// As it is known.
  track::Gap gap_before() const { return final.value_or(Final{}).gap_before(observation); }
  FrameId trigger_frame() const {
    return final && final->trigger_frame ? final->trigger_frame : observation.trigger_frame;
  }
};

}  // namespace rocetop::present
