// SPDX-License-Identifier: BSD-3-Clause
// What the tracker found out, as plain data: the nouns of the JSON contract, before anything is rendered.
// Counts are final fates only; what later packets can still change is in the tracker, not here.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/frame_id.h"
#include "base/ip_address.h"
#include "base/lazy.h"
#include "base/nanos.h"
#include "base/psn.h"
#include "track/congestion_counts.h"
#include "track/delays.h"
#include "track/frame_sample.h"
#include "track/veroce_counts.h"
#include "wire/aeth.h"
#include "wire/cm.h"
#include "wire/opcode.h"
#include "wire/packet.h"

namespace rocetop::track {

/// What became of a missing PSN.
enum class Outcome : std::uint8_t {
  kRetransmitted,  ///< arrived because the sender went back: lost before the tap
  kReordered,      ///< arrived late without the sender going back
  kCaptureMissed,  ///< acknowledged all the same: the capture lost it, the network did not
  kUnresolved,     ///< the capture does not show
};
inline constexpr std::size_t kOutcomes = 4;

/// Consecutive PSNs that were skipped at the tap by one packet and met one fate.
struct MissingRun {
  Psn first_psn;
  Psn last_psn;
  FrameId seen_at;  ///< the frame that jumped over them; none for responses that the end of the capture left open
  Nanos seen_at_time;
  Outcome outcome = Outcome::kUnresolved;

  std::uint64_t psns() const {
    return static_cast<std::uint64_t>(serial_difference(last_psn.value, first_psn.value)) + 1;
  }
};

/// Why the sender went back.
enum class Cause : std::uint8_t {
  kNak,
  kRnr,
  kTimeout,
  kReadRestart,
  kSpurious,
  kSack,  ///< veRoCE: a SACK showed it as not received
  kUnknown,
};
inline constexpr std::size_t kCauses = 7;

/// The sender going back once.
struct Episode {
  Cause cause = Cause::kUnknown;
  Psn first_psn;
  Psn last_psn;  ///< highest PSN resent
  FrameId first_frame;
  FrameId last_frame;
  FrameId trigger_frame;  ///< NAK, RNR NAK, SACK, or for read_restart the response that revealed the gap; none for a
                          ///< timeout
  Nanos first_time;
  std::uint32_t packets = 0;
  std::uint64_t bytes = 0;             ///< payload bytes resent
  std::uint32_t wasted_packets = 0;    ///< resent although the responder had accepted them
  std::uint32_t unseen_packets = 0;    ///< of `packets`: the original was not seen (lost before the tap)
  std::uint32_t repeated_packets = 0;  ///< of `packets`, of veRoCE: resent once more
  Nanos wait;  ///< nak, rnr, sack: trigger to first resend; timeout: last transmission of the first resent PSN to its
               ///< resend
  Nanos advertised_wait;              ///< rnr: what the RNR NAK asked for
  Nanos silence;                      ///< how long this side had sent no request before the first resend
  bool first_psn_seen = false;        ///< the first resent PSN had been seen before
  bool first_psn_acked = false;       ///< …and had been acknowledged at the tap before the resend
  bool first_psn_late = false;        ///< the first resent PSN, or the one before it, had arrived late (reordered)
  bool first_psn_behind_gap = false;  ///< it was last sent behind a missing PSN: the receiver had to drop it
  bool first_psn_bad_icrc = false;    ///< it, or one after it, had been seen with a wrong ICRC only
  bool originals_arrived = false;     ///< more answers to its last PSN than the resends asked for: all had arrived
  bool reply_was_due = false;         ///< a packet that wants a reply had passed the tap, and none had come
  bool tail_unseen = false;           ///< after the resends came PSNs that the tap had never seen
  bool response_passed = false;       ///< a READ: the response that the first resent PSN asks for had passed the tap
                                      ///< in order, and then another
  bool named_by_nak = false;          ///< a sequence NAK named the first resent PSN
  bool may_be_late = false;           ///< nothing seen before came with it, and nothing tells its packets from the
                                      ///< originals, come late and after the NAK

  /// Whether `wait` is told: of the other causes nothing says since when the sender could have resent.
  bool has_wait() const {
    return cause == Cause::kNak || cause == Cause::kRnr || cause == Cause::kSack || cause == Cause::kTimeout;
  }
  /// What seemed to answer the NAK were the originals: the sender went back only after they had come.
  bool were_originals() const { return may_be_late && first_psn_late; }
};

/// One sequence space of one direction (design: two PSN spaces in one direction).
struct SpaceCounts {
  std::uint64_t packets = 0;
  std::uint64_t payload_bytes = 0;
  std::optional<Psn> first_psn;
  std::optional<Psn> highest_psn;
  std::vector<MissingRun> missing;                         ///< at most Limits::listed_runs
  std::array<std::uint64_t, kOutcomes> missing_packets{};  ///< PSNs by Outcome, always complete
  std::uint64_t missing_omitted = 0;                       ///< runs not listed
  std::uint64_t retransmitted_original_seen = 0;
  std::uint64_t retransmitted_original_unseen = 0;
  std::uint64_t retransmitted_bytes = 0;  ///< payload bytes
  std::uint64_t duplicate_packets = 0;
  std::uint64_t reordered_packets = 0;
  std::uint64_t late_originals =
      0;  ///< of these, came behind their NAK, and what was resent for it came too: nothing was lost
  std::vector<Episode> episodes;  ///< at most Limits::listed_episodes
  std::array<std::uint64_t, kCauses> episodes_by_cause{};
  std::uint64_t episodes_omitted = 0;
  /// Of the retransmitted ones, by Cause: packets, and payload bytes. Those of an episode come in when it ends, so the
  /// sum is that of all when nothing is open. A response that was asked for again has the cause of that.
  std::array<std::uint64_t, kCauses> retransmitted_by_cause{};
  std::array<std::uint64_t, kCauses> retransmitted_bytes_by_cause{};
  std::string inexact;  ///< empty, or why totals are not exact (a limit was reached)

  void add_retransmitted(Cause cause, std::uint64_t packets_resent, std::uint64_t bytes_resent) {
    retransmitted_by_cause[static_cast<std::size_t>(cause)] += packets_resent;
    retransmitted_bytes_by_cause[static_cast<std::size_t>(cause)] += bytes_resent;
  }
};

/// A DSCP, 802.1p class or TTL and the packets that had it, ascending.
using ValueTable = std::vector<std::pair<std::uint8_t, std::uint64_t>>;

/// A sender using another DSCP than before for packets of one kind.
struct DscpChange {
  FrameId frame;
  Nanos time;
  wire::Role role = wire::Role::kUnknown;
  std::uint8_t from = 0;
  std::uint8_t to = 0;
};

inline constexpr std::uint8_t kNoDscp = 0xFF;

/// What was left of a direction's requests when nothing more came.
enum class LeftOver : std::uint8_t {
  kNothing,
  kMessage,  ///< a message that was not sent to its end
  kRead,     ///< a READ that was answered in part
  kAnswer,   ///< all was sent, and an answer was due
};

/// What of a direction needs no sequence number to be counted: kept for each side of a connection while it lives.
struct DirectionTraffic {
  // What every packet touches comes first, in two cache lines.
  std::uint64_t frames = 0;
  std::uint64_t bytes_on_wire = 0;
  FrameId last_frame;
  Nanos last_time;
  Nanos first_data_time;  ///< first and last request or response
  Nanos last_data_time;
  std::array<std::uint8_t, wire::kRoles> dscp_of{};  ///< by wire::Role: the latest, kNoDscp where there was none
  std::uint16_t udp_src = 0;                         ///< of the first packet
  std::uint32_t path_mtu = 0;                        ///< bytes, of the first First or Middle packet; 0: there was none
  bool udp_src_varies = false;
  std::array<std::uint64_t, 4> ecn{};   ///< by wire::Ecn
  std::array<std::uint64_t, 3> icrc{};  ///< by wire::IcrcStatus
  std::uint64_t truncated_frames = 0;
  std::uint64_t acks = 0;
  std::array<std::uint64_t, 4> control_ecn{};  ///< by wire::Ecn, of ACKs and CNPs: the rest of `ecn` is data
  std::uint16_t udp_dst = 0;                   ///< of the first packet
  FrameId first_frame;
  Nanos first_time;
  IpAddress src;
  IpAddress dst;
  std::optional<Qpn> dst_qpn;
  std::optional<Qpn> src_qpn;  ///< UD only: the DETH's
  std::uint8_t hop_limit = 0;  ///< TTL or hop limit of the first packet
  FrameId path_mtu_frame;      ///< the packet that tells path_mtu
  Nanos path_mtu_time;
  std::vector<std::pair<std::uint8_t, std::uint64_t>> opcodes;  ///< opcode -> packets, ascending
  std::uint64_t rnr_naks = 0;
  std::uint64_t rnr_nak_copies = 0;  ///< of these, copies of one just seen
  std::array<std::uint64_t, wire::kNakCodes> naks{};
  FrameId first_fatal_nak;  ///< first NAK other than PSN sequence error
  Nanos first_fatal_nak_time;
  wire::NakCode first_fatal_nak_code = wire::NakCode::kInvalidRequest;
  FrameId last_rnr_nak;
  Nanos last_rnr_nak_time;
  Nanos last_rnr_nak_wait;  ///< what it asked for
  FrameId first_rnr_timer_zero;
  Nanos first_rnr_timer_zero_time;
  std::uint64_t cnps = 0;
  std::uint64_t fast_cnps = 0;  ///< of these, sent by a switch
  FrameId first_cnp;
  Nanos first_cnp_time;
  std::uint64_t cnps_elsewhere = 0;                   ///< of `cnps`, that travelled in another VLAN than the rest
  std::optional<wire::NetworkKey> cnps_elsewhere_in;  ///< … which of them the latest did in
  Lazy<FrameSample> bad_icrcs;
  ValueTable dscp;                                         ///< DSCP -> frames (CNPs included), ascending
  ValueTable priorities;                                   ///< 802.1p class -> frames that carried a tag
  ValueTable hop_limits;                                   ///< TTL -> frames: one a path length
  std::array<std::uint8_t, wire::kRoles> first_dscp_of{};  ///< … and the first
  std::vector<DscpChange> dscp_changes;                    ///< the first few
  std::uint64_t dscp_changes_in_all = 0;
  std::array<std::uint64_t, 8> data_while_paused{};  ///< data packets that passed while class n was paused
};

/// One direction of a connection: everything sent from src to dst's queue pair.
struct DirectionCounts : DirectionTraffic {
  Tap tap = Tap::kUnknown;
  TapEvidence tap_evidence;
  Loop loop = Loop::kUnknown;               ///< filled by the verdict
  Lazy<CongestionCounts> congestion;        ///< none without CE and CNP
  std::optional<wire::NetworkKey> network;  ///< where it is not the connection's
  std::optional<Psn> last_acked_psn;        ///< highest PSN of this direction's requests that the peer acknowledged
  FrameId last_ack_frame;                   ///< … and the frame that did
  Nanos last_ack_time;
  std::optional<Nanos> last_reply_time;      ///< last reply of the peer to this direction's requests, whatever it said
  Nanos last_new_request_time;               ///< last request packet above all before
  Nanos last_request_time;                   ///< last request packet sent
  std::uint64_t unacknowledged_packets = 0;  ///< requests above last_acked_psn when the capture (or connection) ended
  FrameId last_request_frame;
  LeftOver left_over = LeftOver::kNothing;
  RoundTripCounts round_trips;  ///< of this direction's requests
  MessageStats messages;        ///< of this direction's requests
  SpaceCounts requests;
  SpaceCounts responses;
  Lazy<VeroceDirection> veroce;  ///< of a veRoCE connection
};

enum class PairedBy : std::uint8_t { kNone, kCm, kAck, kUdpPort };

/// What CM said about a connection, when it was captured.
struct CmFacts {
  std::uint64_t service_id = 0;
  std::optional<std::uint16_t> rdma_cm_port;
  std::uint8_t local_ack_timeout = 0;
  std::uint8_t retry_count = 0;
  std::uint8_t rnr_retry_count = 0;
  std::uint32_t path_mtu = 0;  ///< bytes, of the REQ; 0 where it was cut off
  FrameId request_frame;
};

struct ConnectionCounts {
  std::uint32_t id = 0;  ///< from 1, in order of first packet
  wire::Protocol protocol = wire::Protocol::kRoceV2;
  wire::Transport transport = wire::Transport::kRc;
  wire::NetworkKey network;
  IpAddress a_ip;  ///< the side whose packet was seen first
  std::optional<Qpn> a_qpn;
  IpAddress b_ip;
  std::optional<Qpn> b_qpn;
  PairedBy paired_by = PairedBy::kNone;
  FrameId first_frame;
  FrameId last_frame;
  Nanos first_time;
  Nanos last_time;
  bool ended_early = false;  ///< before the end of the capture: forgotten at a limit, or its QPN used again
  bool headers_cut = false;  ///< a header that the analysis needs was cut off by the snap length
  std::optional<std::uint32_t> path_mtu;  ///< bytes, from CM or from a First/Middle packet
  std::optional<CmFacts> cm;
  std::optional<DirectionCounts> a_to_b;
  std::optional<DirectionCounts> b_to_a;
};

/// Setting up a connection by CM, as far as it was seen: REQ, REP, RTU.
struct CmSetUp {
  IpAddress from;  ///< who sent the REQ
  IpAddress to;
  std::optional<std::uint16_t> rdma_cm_port;
  FrameId request_frame;
  Nanos request_time;
  FrameId last_request_frame;  ///< the last repeat; request_frame where there was none
  Nanos last_request_time;
  std::uint32_t request_repeats = 0;
  FrameId reply_frame;  ///< first REP, or none
  Nanos reply_time;
  std::uint32_t reply_repeats = 0;
  Qpn request_qpn;                ///< of the REQ's sender
  Qpn reply_qpn;                  ///< of the first REP's sender; 0 without one
  std::uint32_t request_ece = 0;  ///< vendor id of enhanced connection establishment in the REQ; 0: none
  std::uint32_t reply_ece = 0;    ///< … in the first REP
  FrameId ready_frame;            ///< first RTU, or none
  Nanos ready_time;
  bool rejected = false;
};

/// A CM exchange that was rejected or repeated, for findings and the connection-management view.
struct CmRejection {
  FrameId frame;
  Nanos time;
  IpAddress from;
  IpAddress to;
  std::uint16_t reason = 0;
  FrameId request_frame;  ///< the REQ (or REP) it answers, when seen
  Nanos request_time;
  std::uint64_t service_id = 0;
  std::optional<std::uint16_t> rdma_cm_port;
};

}  // namespace rocetop::track
