// SPDX-License-Identifier: BSD-3-Clause
// ScenarioTrace: the packets that a scenario has drawn so far, and what is needed to draw the next ones right: who
// talks, what each side asked of the other, the settings. Knows packets, not the language (scenario.cpp).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "generate/cm_encoder.h"
#include "generate/encoder.h"
#include "generate/pause_encoder.h"
#include "generate/scenario_text.h"

namespace rocetop::generate {

/// A frame of the scenario: a RoCE packet or a pause frame.
struct Drawn {
  PacketSpec packet;
  std::optional<PauseSpec> pause;
  Nanos time;
  Side sender = Side::kA;
  bool dropped = false;
  std::string_view edit = {};  ///< what was done to it after it was drawn, in the truth's words; empty: nothing
};

/// A packet that a scenario changed after it had drawn it.
struct DrawnEdit {
  std::string_view what;
  Nanos time;
  PacketSpec packet;
  std::uint64_t frame = 0;  ///< in the capture, from 1; 0: the tap does not see it
};

/// The credit count of an AETH that limits nothing (IBTA vol. 1, 9.7.7.2).
inline constexpr std::uint8_t kUnlimitedCredits = 0x1F;

struct Message {
  Sequence last = 0;
  bool read = false;
  bool complete = false;  ///< its last packet was drawn
};

/// What one side asked of the other.
struct Space {
  std::map<Sequence, PacketSpec> sent;   ///< newest packet by PSN
  std::map<Sequence, Message> messages;  ///< by first PSN
  std::optional<Sequence> newest;

  Sequence sequence(Psn psn) const { return newest ? extend(*newest, psn) : Sequence{psn.value}; }
  void advance(Sequence s) { newest = std::max(newest.value_or(s), s); }
  /// Registers a message unless it repeats (a part of) a known one; a continuation extends the one it continues.
  void add(Sequence first, const Message& message, bool continues, bool afresh);
  /// What a responder reports when everything up to `s` (a NAK: below it) has arrived: READs count from their request
  /// on.
  Msn completed(Sequence s, bool nak) const;
};

/// Opcodes of one operation by the packet's place in the message.
struct Family {
  Opcode first, middle, last, only, last_immediate, only_immediate;

  bool contains(std::uint8_t operation) const {
    return operation >= static_cast<std::uint8_t>(first) && operation <= static_cast<std::uint8_t>(only_immediate);
  }
};
inline constexpr Family kSends{Opcode::kSendFirst, Opcode::kSendMiddle,        Opcode::kSendLast,
                               Opcode::kSendOnly,  Opcode::kSendLastImmediate, Opcode::kSendOnlyImmediate};
inline constexpr Family kWrites{Opcode::kWriteFirst, Opcode::kWriteMiddle,        Opcode::kWriteLast,
                                Opcode::kWriteOnly,  Opcode::kWriteLastImmediate, Opcode::kWriteOnlyImmediate};
inline constexpr Family kReadResponse{Opcode::kReadResponseFirst, Opcode::kReadResponseMiddle,
                                      Opcode::kReadResponseLast,  Opcode::kReadResponseOnly,
                                      Opcode::kReadResponseLast,  Opcode::kReadResponseOnly};

/// A run of packets that form one message, or a part of one.
struct Run {
  Sequence first = 0;
  std::uint32_t count = 1;
  std::uint32_t last_bytes = 0;  ///< payload of the last packet
  bool open = false;
  bool more = false;

  bool starts(std::uint32_t i) const { return i == 0 && !open; }
  bool ends(std::uint32_t i) const { return i + 1 == count && !more; }
  Opcode opcode(const Family& family, std::uint32_t i, bool immediate = false) const {
    if (starts(i) && ends(i)) return immediate ? family.only_immediate : family.only;
    if (starts(i)) return family.first;
    if (ends(i)) return immediate ? family.last_immediate : family.last;
    return family.middle;
  }
};

/// How a WRITE or SEND is drawn.
struct MessageStyle {
  std::uint32_t last_bytes = 0;  ///< payload of the last packet
  bool open = false;             ///< it began before
  bool more = false;             ///< it goes on after
  bool afresh = false;           ///< a new message although the PSNs were sent before
  bool immediate = false;
  bool ack_none = false;  ///< AckReq on no packet
  bool ack_all = false;   ///< … on all
};

/// What holds from a statement on.
struct ScenarioSettings {
  Nanos step = microseconds(1);
  std::uint32_t pmtu = 1024;
  std::uint8_t transport = 0;  ///< 0 RC, 1 UC
  std::uint8_t dscp = 26;
  std::uint8_t ecn = 2;
  std::optional<std::uint16_t> vlan;
  std::array<Qpn, 2> qpn{Qpn{17}, Qpn{18}};
  std::array<IpAddress, 2> ip{*IpAddress::parse("192.0.2.1"), *IpAddress::parse("192.0.2.2")};
  std::array<std::optional<std::uint16_t>, 2> port;
};

class ScenarioTrace {
 public:
  /// `start`: when the first packet passes.
  explicit ScenarioTrace(Nanos start) : now_(start) {}

  ScenarioSettings settings;

  /// One WRITE or SEND. PSNs sent before are repeated as they were, unless `style.afresh`.
  void message(Side from, const Family& family, const PsnRange& psns, const MessageStyle& style);
  void read(Side from, const PsnRange& psns, std::uint32_t last_bytes);
  void fetch_add(Side from, Psn psn);
  /// `msn` here and below: instead of the number of messages completed.
  void read_response(Side from, const Run& run, std::optional<Msn> msn);
  void reply(Side from, Opcode opcode, Psn psn, std::uint8_t syndrome, std::optional<Msn> msn);
  void datagrams(Side from, const PsnRange& psns, std::uint32_t bytes);
  void cnp(Side from);
  /// A switch at `address` tells the other side of `instead_of` what a CNP of that one would; both are IPv6.
  void fast_cnp(Side instead_of, const IpAddress& address);
  void pause(Side from, const PauseSpec& pause);
  void cm(Side from, CmType type, std::optional<Psn> starting_psn, std::optional<std::uint16_t> reject_reason);

  /// The latest packet with this PSN, by anybody or by `side`; none that was dropped.
  Drawn* latest(Psn psn, std::optional<Side> side);
  /// The tap sees a packet a second time.
  void copy(const Drawn& drawn);
  void wait(Nanos duration) { now_ = now_ + duration; }
  /// A queue pair used again: what was sent on it is forgotten.
  void forget_connection();

  /// The PSN among those that `requester` used.
  Sequence sequence_of(Side requester, Psn psn) { return space_of(requester).sequence(psn); }
  std::size_t size() const { return drawn_.size(); }
  std::vector<TimedFrame> frames() const;
  /// In the order of the capture; what the tap does not see where it would have been.
  std::vector<DrawnEdit> edits() const;

 private:
  std::vector<const Drawn*> by_time() const;
  void draw_message(Side from, const Family& family, const Run& run, const MessageStyle& style);
  std::uint64_t address_of(Sequence s) const;
  PacketSpec packet_from(Side from) const;
  PacketSpec packet_from(Side from, Opcode opcode, Psn psn) const;
  Space& space_of(Side requester);
  void draw(Side from, PacketSpec packet);

  std::vector<Drawn> drawn_;
  Nanos now_;
  std::array<std::uint16_t, 2> next_ip_id_{1, 1};
  std::map<std::tuple<IpAddress, IpAddress, Qpn, Qpn>, std::array<Space, 2>> spaces_;
};

}  // namespace rocetop::generate
