// SPDX-License-Identifier: BSD-3-Clause
// What an acknowledgement is, whatever it answers: by its AETH's syndrome.
#pragma once

#include "track/observation.h"
#include "track/packet_facts.h"

namespace rocetop::track {

inline Kind reply_kind(const PacketFacts& acknowledgement) {
  switch (wire::aeth_kind(acknowledgement.syndrome)) {
    case wire::AethKind::kNak:
      return Kind::kNak;
    case wire::AethKind::kRnrNak:
      return Kind::kRnrNak;
    default:
      return Kind::kAck;
  }
}

}  // namespace rocetop::track
