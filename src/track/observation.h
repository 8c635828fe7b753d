// SPDX-License-Identifier: BSD-3-Clause
// Observation: what the tracker says about a packet the moment it is read. ResolutionSink: who is told what later
// packets settle about it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/frame_id.h"
#include "base/nanos.h"
#include "track/counts.h"

namespace rocetop::track {

enum class SpaceName : std::uint8_t { kNone, kRequests, kResponses };

enum class Kind : std::uint8_t {
  kNew,
  kRetransmission,
  kReordered,
  kDuplicate,
  kAck,
  kNak,
  kRnrNak,
  kCnp,
  kDatagram,
  kManagement,
  kUntracked,
};

struct Observation {
  std::uint32_t connection = 0;  ///< ConnectionCounts::id, 0 = none
  SpaceName space = SpaceName::kNone;
  Kind kind = Kind::kUntracked;
  std::optional<Cause> cause;
  FrameId original_frame;  ///< of a retransmission, duplicate or reordered packet: when the PSN was first seen
  FrameId trigger_frame;   ///< of a retransmission: the NAK or RNR NAK
  std::uint32_t missing_before = 0;  ///< PSNs skipped right before this packet
  bool captured_twice = false;       ///< the capture holds it once more, as another interface saw it: of no connection
  FrameId acks_frame;                ///< of an acknowledgement or response: the newest packet it acknowledges
  std::optional<Nanos> rtt;          ///< from that packet to this acknowledgement, when it was sent once (Karn)
};

inline Observation observed(Kind kind, SpaceName space, std::uint32_t connection) {
  Observation observation;
  observation.connection = connection;
  observation.space = space;
  observation.kind = kind;
  return observation;
}

struct FlowKey;
struct PacketFacts;

/// What became of a packet: a reply acknowledged it, or the sender's next packets showed what kind of packet it was.
struct Resolution {
  enum class Fate : std::uint8_t { kAcknowledged, kRetransmission, kReordered, kDuplicate };
  FrameId frame;
  Fate fate = Fate::kAcknowledged;
  Cause cause = Cause::kUnknown;  ///< of a retransmission
  FrameId trigger_frame;
  FrameId acked_in;  ///< the reply that acknowledged it first, for kAcknowledged
};

/// What became of PSNs that Observation::missing_before of `frame` counts.
struct GapFate {
  FrameId frame;
  std::uint32_t psns = 0;
  std::optional<Outcome> outcome;  ///< none: they never were missing, a READ request takes them
};

/// A veRoCE packet that passed the tap was sent again, and nothing says that it had arrived (VerocePath::lost); or,
/// once a reply came too soon to answer the resend, that it was not lost after all.
struct PathLoss {
  FrameId resend;  ///< the packet sent in its place
  FrameId frame;   ///< the lost one; none where it is taken back
  Nanos time;
  std::uint16_t udp_src = 0;
  bool taken_back = false;
};

/// A packet turned out to belong to another connection than it was taken for: what is observed of it there replaces
/// what was observed before, and nothing has been settled about it yet.
struct SecondLook {
  const FlowKey& key;
  const PacketFacts& packet;
  const Observation& observation;
};

class ResolutionSink {
 public:
  virtual ~ResolutionSink() = default;
  virtual void on_resolution(const Resolution& resolution) = 0;
  virtual void on_gap_fate(const GapFate&) {}
  virtual void on_path_loss(const PathLoss&) {}
  virtual void on_second_look(const SecondLook&) {}
  /// Two connections turned out to be one, which goes by the number `kept`.
  virtual void on_join(std::uint32_t /*kept*/, std::uint32_t /*gone*/) {}
};

}  // namespace rocetop::track
