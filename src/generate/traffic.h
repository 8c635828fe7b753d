// SPDX-License-Identifier: BSD-3-Clause
// Traffic: a small model of two RC queue pairs with a tap between them, and of what may go wrong, which yields the
// packets that the tap sees and, from inside, the truth about them. The properties of the tracker are checked against
// it.
//
//   requester A --(to_tap)--> tap --(to_responder)--> responder B, and the same way back
//
// It behaves as a plain go-back-N stack does (IBTA vol. 1, 9.7): the responder complains once a gap and acknowledges
// repeats; the requester resumes with the packet that a NAK names, after an RNR NAK only when its timer is over, and
// after silence with the first packet that is not acknowledged; it asks for the rest of a READ when responses skip
// some. It is no model of a particular adapter: times are constant, selective repeat and congestion control are absent.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "generate/encoder.h"

namespace rocetop::generate {

enum class Operation : std::uint8_t { kWrite, kSend, kRead, kAtomic };

struct MessagePlan {
  Operation operation = Operation::kWrite;
  std::uint32_t bytes = 1;               ///< ignored for atomics
  std::uint32_t receiver_not_ready = 0;  ///< SEND: times the responder answers its first packet with an RNR NAK
  Nanos pause_before = {};               ///< the application waits before it asks
};

enum class FaultKind : std::uint8_t {
  kLostBeforeTap,
  kLostAfterTap,
  kCaptureMissed,     ///< delivered, but not in the capture
  kDelayedBeforeTap,  ///< by one and a half packet gaps, so that the next packet overtakes it
  kCopiedBeforeTap,   ///< by the network: tap and receiver see it twice
  kCopiedAtTap,       ///< by the capture: the tap alone sees it twice
};

enum class PacketClass : std::uint8_t { kRequest, kResponse, kAcknowledge, kNak };

/// Happens to the transmission number `attempt` (0: the original) of the packet of that class with PSN first_psn +
/// offset.
struct Fault {
  FaultKind kind = FaultKind::kLostBeforeTap;
  PacketClass victim = PacketClass::kRequest;
  std::uint32_t offset = 0;
  std::uint32_t attempt = 0;
};

/// One requester and its responder. A connection that asks in both directions is two plans with the ends exchanged.
struct TrafficPlan {
  IpAddress requester_ip;
  IpAddress responder_ip;
  Qpn requester_qpn{17};
  Qpn responder_qpn{18};
  std::vector<MessagePlan> messages;
  std::uint32_t path_mtu = 256;
  Psn first_psn;
  std::uint32_t window = 16;            ///< PSNs under way at most; at least the longest READ
  std::uint32_t acknowledge_every = 0;  ///< AckReq on every n-th packet besides the last of a message; 0: no more
  std::vector<Fault> faults;
  Nanos start = seconds(1'700'000'000);
  Nanos gap = microseconds(1);  ///< between packets of one sender
  Nanos to_tap = microseconds(2);
  Nanos to_responder = microseconds(2);
  Nanos timeout = milliseconds(67);
  std::uint8_t rnr_timer_code = 12;
  Nanos rnr_wait = microseconds(700);  ///< what the requester really waits
};

/// The fates of design words at the tap.
enum class MissingFate : std::uint8_t { kRetransmitted, kReordered, kCaptureMissed };
enum class GoBackCause : std::uint8_t { kNak, kRnr, kTimeout, kReadRestart, kSpurious };

struct MissingTruth {
  Psn psn;
  MissingFate fate = MissingFate::kCaptureMissed;
  friend bool operator==(const MissingTruth&, const MissingTruth&) = default;
};

struct EpisodeTruth {
  GoBackCause cause = GoBackCause::kNak;
  bool cause_visible = true;  ///< false: what the tap saw fits another cause as well
  Psn first_psn;
  std::uint64_t first_frame = 0;    ///< from 1
  std::uint64_t trigger_frame = 0;  ///< the NAK or RNR NAK; 0 when there is none or the tap did not see it
  std::uint32_t packets = 0;        ///< resent packets at or below the highest PSN seen before
};

struct SpaceTruth {
  std::uint64_t packets = 0;
  std::uint64_t payload_bytes = 0;
  std::vector<MissingTruth> missing;  ///< in the order in which they were skipped
  std::uint64_t original_seen = 0;
  std::uint64_t original_unseen = 0;
  std::uint64_t retransmitted_bytes = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t reordered = 0;
  std::vector<EpisodeTruth> episodes;  ///< of requests only
  /// False: a response passed three times or more, so that the third may look like a copy.
  bool repeats_visible = true;
  /// False: what followed a late packet was no new one, as if it had been resent.
  bool lateness_visible = true;
};

/// What happened to one plan.
struct TrafficTruth {
  SpaceTruth requests;
  SpaceTruth responses;
  std::uint64_t acknowledgements = 0;
  std::uint64_t naks = 0;
  std::uint64_t rnr_naks = 0;
  bool completed = false;               ///< the requester got all it asked for
  std::uint32_t messages_executed = 0;  ///< by the responder, each once and in order
  std::size_t faults_fired = 0;
};

struct Traffic {
  std::vector<TimedFrame> frames;
  std::vector<TrafficTruth> truths;  ///< one a plan
};

/// PSNs that a message takes.
std::uint32_t psn_count(const MessagePlan& message, std::uint32_t path_mtu);

Traffic simulate(std::span<const TrafficPlan> plans);

}  // namespace rocetop::generate
