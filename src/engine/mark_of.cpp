// SPDX-License-Identifier: BSD-3-Clause
#include "engine/mark_of.h"

#include "wire/aeth.h"

namespace rocetop::engine {

using model::Mark;
using track::Kind;

Mark mark_of(const wire::Packet& packet, const track::Observation& observation) {
  switch (observation.kind) {
    case Kind::kNew:
    case Kind::kDatagram:
      return Mark::kNew;
    case Kind::kRetransmission:
      return model::resent(observation.cause.value_or(track::Cause::kUnknown));
    case Kind::kReordered:
      return Mark::kReordered;
    case Kind::kDuplicate:
      return Mark::kDuplicate;
    case Kind::kAck:
      return Mark::kAck;
    case Kind::kNak:
      return wire::nak_code(packet.aeth.syndrome) == wire::NakCode::kPsnSequenceError ? Mark::kSequenceNak
                                                                                      : Mark::kFatalNak;
    case Kind::kRnrNak:
      return Mark::kRnrNak;
    case Kind::kCnp:
      return packet.is_fast_cnp() ? Mark::kFastCnp : Mark::kCnp;
    case Kind::kManagement:
    case Kind::kUntracked:
      break;
  }
  return Mark::kOther;
}

}  // namespace rocetop::engine
