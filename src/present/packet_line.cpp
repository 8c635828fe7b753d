// SPDX-License-Identifier: BSD-3-Clause
#include "present/packet_line.h"

#include <fmt/format.h>

#include <vector>

#include "base/number_text.h"
#include "base/time_text.h"
#include "model/words.h"
#include "present/cm_text.h"
#include "present/peers_text.h"
#include "present/text.h"
#include "present/veroce_text.h"
#include "wire/aeth.h"
#include "wire/fast_cnp.h"
#include "wire/opcode.h"
#include "wire/veroce.h"

namespace rocetop::present {
namespace {

using wire::Packet;

constexpr std::int64_t kPerSecond = 1'000'000'000;

/// Seconds with as many decimals as the stamp resolves.
std::string decimal_seconds(Nanos t, bool nanoseconds) {
  const bool negative = t.count < 0;
  const std::uint64_t count = negative ? 0 - static_cast<std::uint64_t>(t.count) : static_cast<std::uint64_t>(t.count);
  const std::uint64_t part = count % kPerSecond;
  return nanoseconds ? fmt::format("{}{}.{:09}", negative ? "-" : "", count / kPerSecond, part)
                     : fmt::format("{}{}.{:06}", negative ? "-" : "", count / kPerSecond, part / 1000);
}

std::string time_of_day(Nanos t, bool nanoseconds) {
  std::int64_t whole = t.count / kPerSecond;
  std::int64_t part = t.count % kPerSecond;
  if (part < 0) {
    part += kPerSecond;
    --whole;
  }
  const std::tm tm = calendar_of(whole, Zone::kLocal);
  return fmt::format("{:02}:{:02}:{:02}.", tm.tm_hour, tm.tm_min, tm.tm_sec) +
         (nanoseconds ? fmt::format("{:09}", part) : fmt::format("{:06}", part / 1000));
}

std::string time_text(const PacketRecord& record, const PacketLineOptions& options) {
  if (!record.time) return "no time";
  switch (options.time) {
    case TimeFormat::kLocal:
      return time_of_day(*record.time, record.nanoseconds);
    case TimeFormat::kUtc:
      return rfc3339(*record.time);
    case TimeFormat::kEpoch:
      return decimal_seconds(*record.time, record.nanoseconds);
    case TimeFormat::kRelative:
      return decimal_seconds(*record.time - options.time_zero, record.nanoseconds);
  }
  return {};
}

/// "WRITE First", with the transport in front when it is not RC; for an acknowledgement what its syndrome says.
std::string what(const Packet& p) {
  if (p.protocol == wire::Protocol::kVeroce) return veroce_what(p);
  if (p.is_fast_cnp()) return "Fast CNP";
  const wire::OpcodeFacts& facts = wire::opcode_facts(p.bth.opcode);
  const wire::Transport transport = p.bth.transport();
  const std::string_view name = facts.short_name.empty() ? facts.name : facts.short_name;
  if (facts.role == wire::Role::kAcknowledge && p.has(wire::kAeth)) {
    return (transport == wire::Transport::kRc ? "" : std::string(model::word(transport)) + " ") +
           wire::aeth_text(p.aeth.syndrome);
  }
  const bool plain = !facts.known || transport == wire::Transport::kRc || transport == wire::Transport::kCnp ||
                     name.starts_with(model::word(transport));
  return plain ? std::string(name) : fmt::format("{} {}", model::word(transport), name);
}

std::string who(const Packet& p) {
  std::string from = p.src.to_string();
  if (p.udp_dst != 0) from += fmt::format(".{}", p.udp_src);
  return fmt::format("{} > {}", from, end_point_text(p.dst, p.bth.dest_qp));
}

void add_headers(const Packet& p, std::vector<std::string>& out) {
  if (p.has(wire::kReth)) {
    out.push_back(fmt::format("va 0x{:x} rkey 0x{:x} len {}", p.reth.virtual_address, p.reth.r_key, p.reth.dma_length));
  }
  if (p.has(wire::kAtomicEth)) {
    out.push_back(fmt::format("va 0x{:x} rkey 0x{:x} swap/add {} compare {}", p.atomic.virtual_address, p.atomic.r_key,
                              p.atomic.swap_or_add, p.atomic.compare));
  }
  if (p.has(wire::kAeth)) {
    if (wire::opcode_facts(p.bth.opcode).role != wire::Role::kAcknowledge &&
        wire::aeth_kind(p.aeth.syndrome) != wire::AethKind::kAck) {
      out.push_back(wire::aeth_text(p.aeth.syndrome));
    }
    out.push_back(fmt::format("{}msn {}", p.has(wire::kMsneth) ? "aeth " : "", p.aeth.msn.value));
  }
  if (p.has(wire::kAtomicAckEth)) out.push_back(fmt::format("original {}", p.atomic_original));
  if (p.has(wire::kImmDt)) out.push_back(fmt::format("imm 0x{:08x}", p.immediate));
  if (p.has(wire::kIeth)) out.push_back(fmt::format("invalidate rkey 0x{:x}", p.invalidate_r_key));
  if (p.has(wire::kDeth)) out.push_back(fmt::format("from qp {} qkey 0x{:x}", p.deth.src_qp.value, p.deth.q_key));
  if (p.has(wire::kXrceth)) out.push_back(fmt::format("srq {}", p.xrc_srq.value));
}

bool may_have_payload(const Packet& p) {
  if (p.protocol == wire::Protocol::kVeroce) return wire::veroce_opcode(p.bth.opcode).sequenced && !p.has(wire::kReth);
  const wire::Role role = wire::opcode_facts(p.bth.opcode).role;
  return role != wire::Role::kAcknowledge && role != wire::Role::kCnp && !p.has(wire::kReth);
}

std::vector<std::string> facts_of(const Packet& p) {
  std::vector<std::string> out;
  const bool veroce = p.protocol == wire::Protocol::kVeroce;
  const bool raw = veroce && p.veroce.check != wire::VeroceCheck::kPassed;
  if (!p.is_cnp()) out.push_back(fmt::format("psn {}", p.bth.psn.value));
  if (!raw && (p.payload_bytes != 0 || may_have_payload(p))) out.push_back(plural(p.payload_bytes, "byte"));
  if (veroce) {
    for (std::string& fact : veroce_line_facts(p)) out.push_back(std::move(fact));
  }
  add_headers(p, out);
  const std::string cm = cm_line(p);
  if (!cm.empty()) out.push_back(cm);
  if (p.bth.ack_request) out.push_back("ackreq");
  if (p.bth.solicited) out.push_back("solicited");
  if (p.bth.fecn) out.push_back("FECN");
  if (p.bth.becn && !p.is_cnp()) out.push_back("BECN");
  if (p.is_fast_cnp()) {
    const auto to = wire::parse_fast_cnp(p).data_destination;
    out.push_back(to ? "about data to " + to->to_string() : "about data to an address that its options do not tell");
  }
  if (p.ecn() == wire::Ecn::kCe) out.push_back("CE");
  if (p.fragment) out.push_back("first fragment");
  if (p.truncated) out.push_back("cut by the snap length");
  return out;
}

std::string pause_text(const wire::Pause& pause) {
  std::string text = fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x} > ", pause.src_mac[0], pause.src_mac[1],
                                 pause.src_mac[2], pause.src_mac[3], pause.src_mac[4], pause.src_mac[5]);
  const auto state = [](std::uint16_t quanta) {
    return quanta == 0 ? std::string("XON") : fmt::format("XOFF {} quanta", quanta);
  };
  if (!pause.priority) return text + "802.3x pause: " + state(pause.quanta[0]);
  text += "PFC:";
  const char* between = " ";
  for (std::size_t i = 0; i < pause.quanta.size(); ++i) {
    if ((pause.class_vector >> i & 1) == 0) continue;
    text += fmt::format("{}class {} {}", between, i, state(pause.quanta[i]));
    between = ", ";
  }
  if (pause.class_vector == 0) text += " no class named";
  return text;
}

void add_gap_marks(const PacketRecord& record, std::vector<std::string>& marks) {
  const auto add = [&](std::uint32_t psns, std::string_view what) {
    if (psns != 0) marks.push_back(fmt::format("{} {}", grouped(psns), what));
  };
  const track::Gap gap = record.gap_before();
  add(gap.missing, "missing before");
  add(gap.came_late, "before came late");
  add(gap.not_captured, "before not captured");
}

Tone marks_tone(const PacketRecord& record) {
  switch (record.observation.kind) {
    case track::Kind::kRetransmission:
    case track::Kind::kRnrNak:
      return Tone::kWarning;
    case track::Kind::kNak:
      return Tone::kCritical;
    case track::Kind::kReordered:
    case track::Kind::kDuplicate:
      return Tone::kInfo;
    default:
      return record.gap_before().missing != 0 ? Tone::kWarning : Tone::kQuiet;
  }
}

/// "retransmission of #41 (NAK #40)", "reordered", "duplicate of #7"; "" for anything else.
std::string repeat_mark(const PacketRecord& record, bool several_files) {
  using Fate = track::Resolution::Fate;
  const track::Observation& o = record.observation;
  track::Kind kind = o.kind;
  if (record.final && record.final->fate) {
    const Fate fate = *record.final->fate;
    if (fate == Fate::kRetransmission) kind = track::Kind::kRetransmission;
    if (fate == Fate::kReordered) kind = track::Kind::kReordered;
    if (fate == Fate::kDuplicate) kind = track::Kind::kDuplicate;
  }
  const std::string original = o.original_frame ? " of " + frame_text(o.original_frame, several_files) : "";
  if (kind == track::Kind::kDuplicate) return (o.captured_twice ? "captured twice, copy" : "duplicate") + original;
  if (kind == track::Kind::kReordered) return "reordered";
  if (kind != track::Kind::kRetransmission) return {};
  std::string text = "retransmission" + (original.empty() ? std::string(", first one not seen") : original);
  if (!record.cause()) return text;
  text += " (";
  text += model::in_words(*record.cause());
  if (record.trigger_frame()) text += " " + frame_text(record.trigger_frame(), several_files);
  return text + ")";
}

std::string roce_line(const PacketRecord& record, const PacketLineOptions& options) {
  const Packet& p = record.decoded->packet;
  std::string text =
      fmt::format("{}: {}", who(p), paint(options.style, Tone::kStrong, clean(what(p), options.style.unicode)));
  for (const std::string& fact : facts_of(p)) text += ", " + clean(fact, options.style.unicode);
  if (p.icrc == wire::IcrcStatus::kBad) text += ", " + paint(options.style, Tone::kCritical, "ICRC bad");
  const std::string marks = clean(analysis_marks(record, options.several_files), options.style.unicode);
  if (!marks.empty()) text += " " + paint(options.style, marks_tone(record), "[" + marks + "]");
  return text;
}

}  // namespace

std::string analysis_marks(const PacketRecord& record, bool several_files) {
  const track::Observation& o = record.observation;
  std::vector<std::string> marks;
  const std::string repeat = repeat_mark(record, several_files);
  if (!repeat.empty()) marks.push_back(repeat);
  add_gap_marks(record, marks);
  const bool refuses =
      o.kind == track::Kind::kNak || o.kind == track::Kind::kRnrNak;  // names a packet, acknowledges none
  if (o.acks_frame) marks.push_back((refuses ? "names " : "acks ") + frame_text(o.acks_frame, several_files));
  if (o.rtt) marks.push_back("rtt " + short_duration(*o.rtt));
  if (record.final && record.final->acked_in) {
    marks.push_back("acked in " + frame_text(record.final->acked_in, several_files));
  }
  return fmt::format("{}", fmt::join(marks, ", "));
}

std::string packet_line(const PacketRecord& record, const PacketLineOptions& options) {
  const TextStyle& style = options.style;
  const std::string start =
      paint(style, Tone::kQuiet, time_text(record, options)) + " " + frame_text(record.id, options.several_files) + " ";
  switch (record.decoded->kind) {
    case wire::FrameKind::kRoce:
      return start + roce_line(record, options);
    case wire::FrameKind::kPause:
      return start + pause_text(record.decoded->pause);
    case wire::FrameKind::kUndecodable:
      return start +
             paint(style, Tone::kWarning,
                   fmt::format("RoCE, not decodable: {} ({} of {} bytes captured)",
                               model::in_words(record.decoded->reason), record.frame.size(), record.wire_length));
    case wire::FrameKind::kOther:
      break;
  }
  return {};
}

}  // namespace rocetop::present
