// SPDX-License-Identifier: BSD-3-Clause
// Plan: what a simulated scenario says: hosts, switches and links, connections, what applications ask of them, and what
// goes wrong. It is data; plan_text.h makes it from the language, simulation.h carries it out.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/ip_address.h"
#include "base/nanos.h"
#include "generate/veroce_encoder.h"

namespace rocetop::generate::sim {

/// Picoseconds since the start: a byte at 400 Gb/s takes 20.
using Time = std::int64_t;
/// PFC class of everything but CNPs.
inline constexpr unsigned kDataClass = 3;

inline constexpr Time kNever = std::numeric_limits<Time>::max();
/// Longer than any scenario: a simulation ends there, so that no sum of times overflows.
inline constexpr Time kHorizon = 1'000'000'000'000'000'000;  // 11 days
constexpr Time from_nanos(Nanos n) { return n.count >= kHorizon / 1'000 ? kHorizon : n.count * 1'000; }

/// A host or a switch. Names are unique.
struct NodePlan {
  std::string name;
  bool host = true;
  // of hosts
  IpAddress ip;
  Nanos cnp_gap = microseconds(50);  ///< between CNPs for one queue pair; negative: sends none
  std::uint8_t cnp_dscp = 48;
  Nanos latency = Nanos{400};  ///< from a packet's arrival to what it sets off
  std::uint64_t drain = 0;     ///< bits/s that the host takes in; 0: all that comes
  // of switches
  bool spray = false;  ///< chooses among equal paths packet by packet, not by flow
};

/// Both directions alike.
struct LinkPlan {
  std::size_t a = 0;  ///< nodes
  std::size_t b = 0;
  std::uint64_t rate = 25'000'000'000;  ///< bits/s
  Nanos delay = Nanos{500};
  // The queue in front of each end that a switch sends into:
  std::uint64_t buffer = 1 << 20;  ///< bytes; what does not fit is dropped
  std::uint64_t kmin = 0;          ///< bytes; ECN marks from here on; 0: none
  std::uint64_t kmax = 0;          ///< from here on every packet
  double pmax = 0.2;               ///< chance just below kmax
  // PFC at each end that receives:
  std::uint64_t xoff = 0;  ///< bytes held of this link's packets from which it is paused; 0: no PFC
  std::uint64_t xon = 0;   ///< … and down to which it goes on
};

/// How a connection is set up: silently (out of band), or by CM in the capture, which B may reject.
enum class SetUp : std::uint8_t { kSilent, kCm, kRejected };

enum class CongestionControl : std::uint8_t { kNone, kDcqcn };

/// PSNs behind the acknowledged one that a veRoCE receiver can take.
inline constexpr std::uint32_t kSackBits = 128;

/// What only connections by veRoCE have.
struct VerocePlan {
  std::vector<std::uint16_t> ports;  ///< UDP source ports, each a path; none: `paths` from the connection's port on
  std::uint32_t paths = 1;
  std::vector<std::uint32_t> weights;   ///< of the paths; none: all alike
  std::uint32_t lazy = 4;               ///< PSNs of disorder up to which the receiver sends no SACK
  std::uint32_t slow_path = 0;          ///< PSNs that a packet may trail before it is told; 0: any
  Nanos round_trip = microseconds(20);  ///< what the sender takes for one: a second round of resends waits so long
  Nanos probe = {};                     ///< time between RTT requests on each path; 0: none
  bool becn = false;                    ///< the receiver answers CE by BECN in acknowledgements, not by CNPs
  bool overrun = false;                 ///< sends more than the receiver's bitmap takes, if the window says so
  VeroceWire wire;
  std::uint32_t cnp_body = 16;  ///< bytes

  friend bool operator==(const VerocePlan&, const VerocePlan&) = default;
};

enum class Protocol : std::uint8_t { kRocev2, kVeroce };

struct ConnectionPlan {
  std::size_t a = 0;  ///< hosts
  std::size_t b = 0;
  Qpn qpn_a;
  Qpn qpn_b;
  std::optional<std::uint16_t> port;  ///< UDP source port of both; else made of the queue pairs as Linux does
  std::optional<Psn> first_psn;       ///< of both; else random
  bool unreliable = false;            ///< UC
  SetUp set_up = SetUp::kSilent;
  std::uint32_t path_mtu = 1024;
  std::uint8_t dscp = 26;
  std::uint8_t ecn = 2;
  std::uint32_t window = 64;    ///< PSNs under way at most
  std::uint32_t ack_every = 8;  ///< AckReq on every n-th packet, and on the last of a message
  std::uint8_t timeout = 14;    ///< QP timeout: 4.096 µs * 2^n
  std::uint32_t retries = 7;    ///< timeouts in a row after which the queue pair gives up
  std::uint8_t rnr_timer = 12;  ///< code in RNR NAKs
  std::uint32_t receives = 0;   ///< receive buffers of each queue pair; 0: always enough
  Nanos post_every = {};        ///< … one of which is given back in this time
  std::uint32_t reorder = 0;    ///< packets that the responder takes ahead of a missing one before it complains
  CongestionControl control = CongestionControl::kDcqcn;
  bool ignores_cnps = false;
  Protocol protocol = Protocol::kRocev2;
  std::optional<std::uint8_t> profile;  ///< veRoCE's, that A's REQ offers
  VerocePlan veroce;

  bool is_veroce() const { return protocol == Protocol::kVeroce; }
};

enum class Operation : std::uint8_t { kWrite, kSend, kRead, kAtomic };

/// What the last packet of a message brings besides data; of veRoCE alone.
enum class Notice : std::uint8_t { kNone, kImmediate, kInvalidate };

/// An application that asks one queue pair for messages, of which `depth` are under way.
struct FlowPlan {
  std::size_t connection = 0;
  bool from_b = false;
  Operation operation = Operation::kWrite;
  Notice notice = Notice::kNone;
  std::uint32_t bytes = 65'536;
  std::uint64_t count = 0;  ///< messages; 0: until the end
  std::uint32_t depth = 4;
  Nanos pause = {};  ///< after each completion
  Nanos start = {};
};

enum class FaultKind : std::uint8_t { kLose, kDelay, kCopy, kDamage, kMark, kTrim };

/// What a fault takes: bits, by kind of packet.
enum PacketMask : std::uint8_t {
  kDataPackets = 1,  ///< requests, and READ and atomic responses
  kAckPackets = 2,
  kNakPackets = 4,  ///< RNR NAKs included
  kCnpPackets = 8,
  kCmPackets = 16,
  kSackPackets = 32,
  kProbePackets = 64,
  kSlowPathPackets = 128,
  kAnyPackets = 255,
};

/// Something that happens to packets on the wire from one node to the next.
struct FaultPlan {
  FaultKind kind = FaultKind::kLose;
  std::size_t from_node = 0;
  std::size_t to_node = 0;
  std::uint8_t what = kDataPackets;
  std::vector<std::size_t> connections;  ///< whose packets; none: everybody's
  std::vector<std::uint16_t> ports;      ///< UDP source ports; none: any
  bool resent = false;                   ///< only what is sent again
  bool last = false;                     ///< only the last packets of messages
  double chance = 1;
  std::uint64_t nth = 0;                                           ///< the n-th packet that fits, from 1; 0: any
  std::uint64_t every = 0;                                         ///< each n-th packet that fits; 0: any
  std::uint64_t burst = 1;                                         ///< packets that a hit takes
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  ///< hits
  Nanos from = {};
  Nanos to = Nanos::max();
  Nanos by = microseconds(10);  ///< kDelay
};

enum class TroubleKind : std::uint8_t { kHang, kStorm, kRefuse, kRemark };

/// Something that a host does wrong.
struct TroublePlan {
  TroubleKind kind = TroubleKind::kHang;
  std::size_t host = 0;        ///< kHang, kStorm
  std::size_t connection = 0;  ///< kRefuse, kRemark
  Nanos from = {};
  Nanos to = Nanos::max();
  std::uint64_t after = 0;  ///< kRefuse: messages of that responder that are executed before
  std::uint8_t code = 2;    ///< kRefuse: of the NAK
  std::uint8_t dscp = 0;    ///< kRemark
};

/// Where the capture is made: the end of `node` of its link to `neighbour`; all that reaches `node` where there is none
/// (a switch), or all of its one link (a host).
struct TapPlan {
  std::size_t node = 0;
  std::optional<std::size_t> neighbour;
};

struct Plan {
  std::vector<NodePlan> nodes;
  std::vector<LinkPlan> links;
  std::vector<ConnectionPlan> connections;
  std::vector<FlowPlan> flows;
  std::vector<FaultPlan> faults;
  std::vector<TroublePlan> troubles;
  TapPlan tap;
  std::string tap_name;
  double miss = 0;  ///< share of packets that the capture misses
  Nanos duration = milliseconds(10);
};

}  // namespace rocetop::generate::sim
