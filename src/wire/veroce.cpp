// SPDX-License-Identifier: BSD-3-Clause
// veRoCE's headers, in the order in which they follow the BTH under the default layout (see veroce_layout.h for what
// else is possible, docs/veroce.md for sources). All big-endian.
//
//   SEND                     MSNETH RQETH [POETH] [ImmDt or IETH]      POETH: Middle and Last
//   WRITE                    MSNETH RETH [RQETH] [POETH] [ImmDt]       RQETH: with immediate
//   READ request             MSNETH RETH
//   READ response            MSNETH AETH [POETH]
//   CmpSwap, FetchAdd        MSNETH AtomicETH
//   ATOMIC ACK               MSNETH AETH AtomicAckETH
//   ACK, ACK_Rsp, NAK        AETH POETH
//   SACK, SACK_Rsp           AETH POETH SACKETH
//   RTT Request, Response    RTTReqETH, RTTRspETH
//
//   MSNETH   reserved 8, MSN 24              RTT…ETH  CC Context ID 32, TX1 32, RX1 32, TX2 32, RX2 32
//   POETH    reserved 8, packet order 24     SACKETH  Bitmap Valid Length 8, Bitmap Starting PSN 24, bitmap 128
//   RQETH    reserved 8, RQMSN 24
#include "wire/veroce.h"

#include <algorithm>

#include "wire/aeth.h"
#include "wire/extension.h"

namespace rocetop::wire {
namespace {

constexpr std::uint32_t kMostPayloadBytes = 4096;
constexpr std::uint8_t kPacketDropNak = 0x60;
constexpr std::uint32_t kCnpBodyBytes = 16;

bool is_last_or_middle(Position p) { return p == Position::kMiddle || p == Position::kLast; }
bool is_first_or_middle(Position p) { return p == Position::kFirst || p == Position::kMiddle; }

class Chain {
 public:
  void add(Header header) {
    chain_.headers[chain_.count++] = header;
    chain_.bytes = static_cast<std::uint8_t>(chain_.bytes + extension_bytes(header));
  }
  void add_if(bool there, Header header) {
    if (there) add(header);
  }
  void add_tail(TailOrder order, bool has_order, Header own) {
    constexpr std::array<std::array<int, 3>, 6> kOrders = {
        {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
    for (const int which : kOrders[static_cast<std::size_t>(order)]) {
      if (which == 0) add(kRqeth);
      if (which == 1) add_if(has_order, kPoeth);
      if (which == 2) add(own);
    }
  }
  const HeaderChain& chain() const { return chain_; }

 private:
  HeaderChain chain_;
};

/// Shapes that carry no payload, ever.
bool has_no_payload(VeroceShape shape) { return shape == VeroceShape::kReadRequest || shape >= VeroceShape::kAtomic; }

/// Checks what follows from lengths alone, and divides the bytes.
VeroceCheck divide(const Packet& packet, const VeroceOpcode& opcode, std::uint32_t path_mtu, VeroceReading& out) {
  const std::uint32_t overhead_bytes = out.header_bytes + std::uint32_t{packet.bth.pad};
  if (packet.veroce.raw_bytes < overhead_bytes) return VeroceCheck::kLength;
  const std::uint32_t payload_bytes = packet.veroce.raw_bytes - overhead_bytes;
  out.payload_bytes = payload_bytes;
  if (has_no_payload(opcode.shape)) {
    return payload_bytes == 0 && packet.bth.pad == 0 ? VeroceCheck::kPassed : VeroceCheck::kLength;
  }
  if (payload_bytes > kMostPayloadBytes) return VeroceCheck::kLength;
  if (is_first_or_middle(opcode.position)) {
    if (packet.bth.pad != 0) return VeroceCheck::kLength;
    out.trimmed = payload_bytes == 0 || payload_bytes < path_mtu;
    return out.trimmed || is_path_mtu(payload_bytes) ? VeroceCheck::kPassed : VeroceCheck::kLength;
  }
  out.trimmed = opcode.position == Position::kLast && payload_bytes == 0;  // a Last carries a byte or more
  return VeroceCheck::kPassed;
}

VeroceCheck divide_cnp(const Packet& packet, CnpBody body) {
  const std::uint32_t bytes = packet.veroce.raw_bytes;
  const bool none = bytes == 0 && body != CnpBody::kReserved16;
  const bool reserved = bytes == kCnpBodyBytes && body != CnpBody::kNone;
  return (none || reserved) && packet.bth.pad == 0 ? VeroceCheck::kPassed : VeroceCheck::kLength;
}

/// Reserved 8, value 24. False if the reserved byte is not 0.
bool read_numbered(ByteReader& reader, std::uint32_t& value) {
  const std::uint32_t word = reader.u32();
  value = word & kMask24;
  return word == value;
}

void read_sack(ByteReader& reader, const VeroceLayout& layout, SackEth& out) {
  const bool length_first = layout.sack_order() == SackOrder::kLengthFirst;
  if (length_first) out.valid_length = reader.u8();
  out.start = Psn{reader.u24()};
  if (!length_first) out.valid_length = reader.u8();
  const Bytes bitmap = reader.bytes(kSackBitmapBytes);
  if (!reader.failed()) out.bitmap = read_sack_bitmap(bitmap.data(), layout.sack_bits());
}

/// Reads one header; false if a reserved byte is not 0.
bool read_header(Header header, ByteReader& reader, const VeroceLayout& layout, VeroceReading& out) {
  switch (header) {
    case kMsneth:
      return read_numbered(reader, out.msn);
    case kPoeth:
      return read_numbered(reader, out.packet_order);
    case kRqeth:
      return read_numbered(reader, out.rq_msn);
    case kReth:
      read(reader, out.reth);
      return true;
    case kAeth:
      read(reader, out.aeth);
      return true;
    case kAtomicEth:
      read(reader, out.atomic);
      return true;
    case kAtomicAckEth:
      out.atomic_original = reader.u64();
      return true;
    case kImmDt:
      out.immediate = reader.u32();
      return true;
    case kIeth:
      out.invalidate_r_key = reader.u32();
      return true;
    case kSacketh:
      read_sack(reader, layout, out.sack);
      return true;
    case kRtteth:
      out.rtt = {reader.u32(), reader.u32(), reader.u32(), reader.u32(), reader.u32()};
      return true;
    default:
      return true;  // no other header is in any chain
  }
}

/// Reads the captured headers. A damaged reserved byte does not stop it: the rest is still read.
VeroceCheck read_headers(const HeaderChain& chain, Bytes raw, const VeroceLayout& layout, VeroceReading& out) {
  VeroceCheck check = VeroceCheck::kPassed;
  ByteReader reader(raw);
  for (std::uint8_t i = 0; i < chain.count; ++i) {
    const bool clean = read_header(chain.headers[i], reader, layout, out);
    if (reader.failed()) break;  // from the first cut header on all are absent
    out.headers |= chain.headers[i];
    if (!clean) check = VeroceCheck::kReserved;
  }
  return check;
}

/// The start is near what the BTH acknowledges, the bits end within the valid length, and the PSN behind the
/// acknowledged one was not received: else it would be acknowledged.
bool is_possible(const SackEth& sack, Psn acknowledged) {
  if (sack.valid_length == 0 || sack.valid_length > kSackBitmapBits) return false;
  const std::int32_t ahead = serial_difference(sack.start.value, acknowledged.value);
  if (ahead < -1 || ahead > static_cast<std::int32_t>(kSackBitmapBits)) return false;
  if (sack.bitmap.empty() || sack.bitmap.highest() >= sack.valid_length) return false;
  const std::int32_t next = 1 - ahead;  // offset of the first PSN that is not acknowledged
  return next < 0 || !sack.bitmap.has(static_cast<std::size_t>(next));
}

bool is_possible(std::uint8_t syndrome, VeroceShape shape) {
  if (shape == VeroceShape::kSack) return true;  // only its credits mean something
  if ((syndrome & 0x80) != 0) return false;
  const AethKind kind = aeth_kind(syndrome);
  return shape == VeroceShape::kAck ? kind != AethKind::kReserved : kind == AethKind::kAck;
}

bool is_possible_order(const VeroceReading& out, const VeroceOpcode& opcode) {
  if (opcode.acknowledges()) return true;
  return out.packet_order != 0 && out.packet_order != kNoPacketOrder;  // First and Only carry none: they are 0
}

/// A WRITE packet does not carry more than its RETH announces; one alone carries all of it, unless it was trimmed.
VeroceCheck check_reth(const VeroceOpcode& opcode, VeroceReading& out) {
  if (out.payload_bytes > out.reth.dma_length) return VeroceCheck::kField;
  if (out.payload_bytes == out.reth.dma_length) {
    out.trimmed = false;  // a RETH that announces nothing
    return VeroceCheck::kPassed;
  }
  if (opcode.position == Position::kOnly || out.payload_bytes == 0) out.trimmed = true;
  return VeroceCheck::kPassed;
}

VeroceCheck check_fields(const Packet& packet, const VeroceOpcode& opcode, VeroceReading& out) {
  if (out.has(kAeth) && !is_possible(out.aeth.syndrome, opcode.shape)) return VeroceCheck::kField;
  if (out.has(kPoeth) && !is_possible_order(out, opcode)) return VeroceCheck::kField;
  if (out.has(kSacketh) && !is_possible(out.sack, packet.bth.psn)) return VeroceCheck::kField;
  const bool write = opcode.shape == VeroceShape::kWrite || opcode.shape == VeroceShape::kWriteImmediate;
  if (write && out.has(kReth)) return check_reth(opcode, out);
  return VeroceCheck::kPassed;
}

}  // namespace

bool HeaderChain::has(Header header) const {
  return std::find(headers.begin(), headers.begin() + count, header) != headers.begin() + count;
}

bool is_path_mtu(std::uint32_t bytes) {
  return bytes >= 256 && bytes <= kMostPayloadBytes && (bytes & (bytes - 1)) == 0;
}

HeaderChain header_chain(const VeroceOpcode& opcode, const VeroceLayout& layout) {
  Chain chain;
  chain.add_if(opcode.sequenced, kMsneth);
  const bool ordered = is_last_or_middle(opcode.position);
  const bool reth = !ordered || layout.write_reth() == WriteReth::kEvery;
  switch (opcode.shape) {
    case VeroceShape::kSend:
      chain.add(kRqeth);
      chain.add_if(ordered, kPoeth);
      break;
    case VeroceShape::kSendImmediate:
      chain.add_tail(layout.tail_order(VeroceItem::kSendImmediate), ordered, kImmDt);
      break;
    case VeroceShape::kSendInvalidate:
      chain.add_tail(layout.tail_order(VeroceItem::kSendInvalidate), ordered, kIeth);
      break;
    case VeroceShape::kWrite:
      chain.add_if(reth, kReth);
      chain.add_if(ordered, kPoeth);
      break;
    case VeroceShape::kWriteImmediate:
      chain.add_if(reth, kReth);
      chain.add_tail(layout.tail_order(VeroceItem::kWriteImmediate), ordered, kImmDt);
      break;
    case VeroceShape::kReadRequest:
      chain.add(kReth);
      break;
    case VeroceShape::kReadResponse:
      chain.add(kAeth);
      chain.add_if(ordered, kPoeth);
      break;
    case VeroceShape::kAtomic:
      chain.add(kAtomicEth);
      break;
    case VeroceShape::kAtomicAck:
      chain.add(layout.atomic_ack() == AtomicAckOrder::kAethFirst ? kAeth : kAtomicAckEth);
      chain.add(layout.atomic_ack() == AtomicAckOrder::kAethFirst ? kAtomicAckEth : kAeth);
      break;
    case VeroceShape::kAck:
    case VeroceShape::kSack:
      chain.add(kAeth);
      chain.add(kPoeth);
      chain.add_if(opcode.shape == VeroceShape::kSack, kSacketh);
      break;
    case VeroceShape::kRtt:
      chain.add(kRtteth);
      break;
    case VeroceShape::kUnknown:
    case VeroceShape::kCnp:
    case VeroceShape::kSlowPath:
      break;
  }
  return chain.chain();
}

VeroceReading read_veroce(const Packet& packet, const VeroceLayout& layout, std::uint32_t path_mtu) {
  VeroceReading out;
  const VeroceOpcode opcode = veroce_opcode(packet.bth.opcode);
  if (!opcode.known()) {
    out.check = VeroceCheck::kUnknownOpcode;
    return out;
  }
  if (opcode.shape == VeroceShape::kCnp) {
    out.check = divide_cnp(packet, layout.cnp_body());
    return out;
  }
  const HeaderChain chain = header_chain(opcode, layout);
  out.header_bytes = chain.bytes;
  for (std::uint8_t i = 0; i < chain.count; ++i) out.expected_headers |= chain.headers[i];
  out.check = divide(packet, opcode, path_mtu, out);
  if (!out.passed()) return out;
  out.check = read_headers(chain, packet.veroce.raw, layout, out);
  if (out.passed()) out.check = check_fields(packet, opcode, out);
  return out;
}

void make_raw(VeroceCheck check, Packet& packet) {
  packet.veroce.check = check;
  packet.veroce.confidence = LayoutConfidence::kFailed;
  packet.veroce.trimmed = packet.veroce.retransmit = false;
  packet.headers = packet.expected_headers = 0;
  packet.payload_bytes = packet.veroce.raw_bytes;
  packet.payload = packet.veroce.raw;
}

void apply(const VeroceReading& reading, const VeroceLayout& layout, Packet& packet) {
  VeroceHeaders& own = packet.veroce;
  own.layout = layout;
  if (!reading.passed()) return make_raw(reading.check, packet);
  own.check = VeroceCheck::kPassed;
  own.trimmed = own.trimmed || reading.trimmed;
  own.retransmit = veroce_opcode(packet.bth.opcode).sequenced && (packet.bth.reserved7 & layout.retransmit_mask()) != 0;
  own.msn = reading.msn;
  own.packet_order = reading.packet_order;
  own.rq_msn = reading.rq_msn;
  own.sack = reading.sack;
  own.rtt = reading.rtt;
  packet.expected_headers = reading.expected_headers;
  packet.headers = reading.headers;
  packet.reth = reading.reth;
  packet.aeth = reading.aeth;
  packet.atomic = reading.atomic;
  packet.atomic_original = reading.atomic_original;
  packet.immediate = reading.immediate;
  packet.invalidate_r_key = reading.invalidate_r_key;
  packet.payload_bytes = reading.payload_bytes;
  packet.payload = {};
  if (own.raw.size() > reading.header_bytes) {
    const Bytes behind = own.raw.subspan(reading.header_bytes);
    packet.payload = behind.first(std::min<std::size_t>(behind.size(), reading.payload_bytes));
  }
}

bool fits_ibta(const Packet& packet) {
  const OpcodeFacts& facts = opcode_facts(packet.bth.opcode);
  const std::uint32_t overhead_bytes = facts.header_bytes + std::uint32_t{packet.bth.pad};
  const std::uint32_t bytes = packet.veroce.raw_bytes;
  if (!facts.known || packet.bth.version != 0 || bytes < overhead_bytes) return false;
  if (facts.role == Role::kCnp) return bytes == kCnpBodyBytes;
  const std::uint32_t payload_bytes = bytes - overhead_bytes;
  if (payload_bytes > kMostPayloadBytes) return false;
  if (facts.role == Role::kAcknowledge || packet.bth.operation() == kReadRequest || (facts.headers & kAtomicEth) != 0 ||
      (facts.headers & kAtomicAckEth) != 0) {
    return payload_bytes == 0;
  }
  if (is_first_or_middle(facts.position)) return packet.bth.pad == 0 && is_path_mtu(payload_bytes);
  if (facts.position == Position::kLast && payload_bytes == 0) return false;
  const bool write_only = facts.position == Position::kOnly && (facts.headers & kReth) != 0;
  if (!write_only || packet.veroce.raw.size() < facts.header_bytes) return true;
  Packet trial;
  trial.expected_headers = facts.headers;
  parse_extensions(packet.veroce.raw, trial);
  return packet.bth.operation() == kFlush || trial.reth.dma_length == payload_bytes;
}

bool read_as_rocev2(Packet& packet) {
  const OpcodeFacts& facts = opcode_facts(packet.bth.opcode);
  const std::uint32_t overhead_bytes = facts.header_bytes + std::uint32_t{packet.bth.pad};
  const VeroceHeaders& own = packet.veroce;
  if (!facts.known || packet.bth.version != 0 || own.raw_bytes < overhead_bytes) return false;
  packet.protocol = Protocol::kRoceV2;
  packet.payload_bytes = packet.is_cnp() ? 0 : own.raw_bytes - overhead_bytes;
  packet.expected_headers = facts.headers;
  parse_extensions(own.raw, packet);
  packet.payload = {};
  if (own.raw.size() > facts.header_bytes) {
    const Bytes behind = own.raw.subspan(facts.header_bytes);
    packet.payload = behind.first(std::min<std::size_t>(behind.size(), packet.payload_bytes));
  }
  const bool matches = (own.icrc_rules >> static_cast<unsigned>(IcrcRule::kAnnexA17) & 1) != 0;
  packet.icrc = !own.icrc_whole ? IcrcStatus::kUnchecked : matches ? IcrcStatus::kGood : IcrcStatus::kBad;
  return true;
}

std::string veroce_aeth_text(std::uint8_t syndrome) {
  return syndrome == kPacketDropNak ? "NAK, Packet Drop" : aeth_text(syndrome);
}

std::string veroce_short_text(const Packet& packet) {
  const VeroceOpcode opcode = veroce_opcode(packet.bth.opcode);
  if (!opcode.known()) return "veRoCE (unknown opcode " + std::string(opcode.name) + ")";
  const bool speaks = opcode.shape == VeroceShape::kAck && packet.has(kAeth);
  if (!speaks || packet.bth.opcode == kAcknowledge) {
    return speaks ? veroce_aeth_text(packet.aeth.syndrome) : std::string(opcode.short_name);
  }
  // Of the responses' space: ACK_Rsp, NAK_Rsp.
  const std::string text = veroce_aeth_text(packet.aeth.syndrome);
  const std::size_t end = std::min(text.find(','), text.size());
  return text.substr(0, end) + "_Rsp" + text.substr(end);
}

std::string_view word(VeroceCheck check) {
  constexpr std::array<std::string_view, kVeroceChecks> kWords = {"passed",   "unknown_opcode", "length",
                                                                  "reserved", "field",          "connection"};
  return kWords[static_cast<std::size_t>(check)];
}

std::string_view word(LayoutConfidence confidence) {
  constexpr std::array<std::string_view, kLayoutConfidences> kWords = {"assumed", "supported", "confirmed", "failed"};
  return kWords[static_cast<std::size_t>(confidence)];
}

std::string_view in_words(VeroceCheck check) {
  constexpr std::array<std::string_view, kVeroceChecks> kWords = {
      "its headers pass the checks",
      "what follows the BTH of this opcode is not known",
      "its length does not fit the headers of the layout",
      "a reserved byte is not 0",
      "a header holds what it cannot",
      "most packets of this connection fail the checks",
  };
  return kWords[static_cast<std::size_t>(check)];
}

}  // namespace rocetop::wire
