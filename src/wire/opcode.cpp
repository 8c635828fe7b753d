// SPDX-License-Identifier: BSD-3-Clause
// The table of all 256 BTH opcodes (IBTA vol. 1, table 38; XRC: annex A14; CNP: annex A17; FLUSH and ATOMIC WRITE:
// annex A19), made at compile time from 32 operations and the transports that have them.
#include "wire/opcode.h"

#include <array>
#include <cstddef>

#include "wire/extension.h"

namespace rocetop::wire {
namespace {

// Which transports have an operation: bits by Transport.
constexpr unsigned kRcBit = 1u << 0;
constexpr unsigned kUcBit = 1u << 1;
constexpr unsigned kRdBit = 1u << 2;
constexpr unsigned kUdBit = 1u << 3;
constexpr unsigned kXrcBit = 1u << 5;
constexpr unsigned kReliable = kRcBit | kRdBit | kXrcBit;
constexpr unsigned kConnected = kReliable | kUcBit;

struct OperationFacts {
  Operation operation;
  std::string_view name;
  std::string_view short_name;
  unsigned transports;
  std::uint32_t headers;  ///< as RC has them
  Role role;
  Position position;
};

constexpr Role kReq = Role::kRequest;
constexpr Role kRsp = Role::kResponse;
constexpr Role kAck = Role::kAcknowledge;

constexpr OperationFacts kOperations[] = {
    {kSendFirst, "SEND First", "SEND First", kConnected, 0, kReq, Position::kFirst},
    {kSendMiddle, "SEND Middle", "SEND Middle", kConnected, 0, kReq, Position::kMiddle},
    {kSendLast, "SEND Last", "SEND Last", kConnected, 0, kReq, Position::kLast},
    {kSendLastImmediate, "SEND Last with Immediate", "SEND Last Imm", kConnected, kImmDt, kReq, Position::kLast},
    {kSendOnly, "SEND Only", "SEND Only", kConnected | kUdBit, 0, kReq, Position::kOnly},
    {kSendOnlyImmediate, "SEND Only with Immediate", "SEND Only Imm", kConnected | kUdBit, kImmDt, kReq,
     Position::kOnly},
    {kWriteFirst, "RDMA WRITE First", "WRITE First", kConnected, kReth, kReq, Position::kFirst},
    {kWriteMiddle, "RDMA WRITE Middle", "WRITE Middle", kConnected, 0, kReq, Position::kMiddle},
    {kWriteLast, "RDMA WRITE Last", "WRITE Last", kConnected, 0, kReq, Position::kLast},
    {kWriteLastImmediate, "RDMA WRITE Last with Immediate", "WRITE Last Imm", kConnected, kImmDt, kReq,
     Position::kLast},
    {kWriteOnly, "RDMA WRITE Only", "WRITE Only", kConnected, kReth, kReq, Position::kOnly},
    {kWriteOnlyImmediate, "RDMA WRITE Only with Immediate", "WRITE Only Imm", kConnected, kReth | kImmDt, kReq,
     Position::kOnly},
    {kReadRequest, "RDMA READ Request", "READ Request", kReliable, kReth, kReq, Position::kOnly},
    {kReadResponseFirst, "RDMA READ response First", "READ Response First", kReliable, kAeth, kRsp, Position::kFirst},
    {kReadResponseMiddle, "RDMA READ response Middle", "READ Response Middle", kReliable, 0, kRsp, Position::kMiddle},
    {kReadResponseLast, "RDMA READ response Last", "READ Response Last", kReliable, kAeth, kRsp, Position::kLast},
    {kReadResponseOnly, "RDMA READ response Only", "READ Response Only", kReliable, kAeth, kRsp, Position::kOnly},
    {kAcknowledge, "Acknowledge", "ACK", kReliable, kAeth, kAck, Position::kNone},
    {kAtomicAcknowledge, "ATOMIC Acknowledge", "ATOMIC ACK", kReliable, kAeth | kAtomicAckEth, kRsp, Position::kOnly},
    {kCompareSwap, "CmpSwap", "CmpSwap", kReliable, kAtomicEth, kReq, Position::kOnly},
    {kFetchAdd, "FetchAdd", "FetchAdd", kReliable, kAtomicEth, kReq, Position::kOnly},
    {kResync, "RESYNC", "RESYNC", kRdBit, 0, kReq, Position::kOnly},
    {kSendLastInvalidate, "SEND Last with Invalidate", "SEND Last Inv", kRcBit | kXrcBit, kIeth, kReq, Position::kLast},
    {kSendOnlyInvalidate, "SEND Only with Invalidate", "SEND Only Inv", kRcBit | kXrcBit, kIeth, kReq, Position::kOnly},
    {kFlush, "FLUSH", "FLUSH", kReliable, kFeth | kReth, kReq, Position::kOnly},
    {kAtomicWrite, "ATOMIC WRITE", "ATOMIC WRITE", kReliable, kReth, kReq, Position::kOnly},
};

constexpr std::string_view kTransportPrefix[] = {"RC ", "UC ", "RD ", "UD ", "Reserved ", "XRC ", "Vendor ", "Vendor "};
constexpr std::uint8_t kCnpOpcode = 0x81;

/// Text of a name that is put together; the table's views point in here.
struct NameText {
  std::array<char, 40> text{};
  std::size_t length = 0;

  constexpr void append(std::string_view part) {
    for (const char c : part) text[length++] = c;
  }
  constexpr void append_hex(std::uint8_t value) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    append("0x");
    text[length++] = kDigits[value >> 4];
    text[length++] = kDigits[value & 0x0F];
  }
};

constexpr const OperationFacts* operation_of(std::uint8_t opcode) {
  for (const OperationFacts& facts : kOperations) {
    if (facts.operation == (opcode & 0x1F) && facts.transports >> (opcode >> 5) & 1) return &facts;
  }
  return nullptr;
}

/// "RC SEND Only"; "RC Reserved 0x15", "Vendor 0xC0", "Reserved 0x80" for those that no specification names.
constexpr NameText name_text(std::uint8_t opcode) {
  NameText name;
  name.append(kTransportPrefix[opcode >> 5]);
  if (const OperationFacts* facts = operation_of(opcode)) {
    name.append(facts->name);
    return name;
  }
  const bool transport_is_standard = opcode < 0x80 || opcode >> 5 == 5;
  if (transport_is_standard) name.append("Reserved ");
  name.append_hex(opcode);
  return name;
}

constexpr auto kNames = [] {
  std::array<NameText, 256> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = name_text(static_cast<std::uint8_t>(i));
  return names;
}();

/// What a transport puts before the headers that RC has.
constexpr std::uint32_t transport_headers(Transport transport, Role role) {
  const std::uint32_t request = role == Role::kRequest ? ~std::uint32_t{0} : 0;
  switch (transport) {
    case Transport::kRd:
      return kRdeth | (kDeth & request);
    case Transport::kUd:
      return kDeth;
    case Transport::kXrc:
      return kXrceth & request;
    default:
      return 0;
  }
}

constexpr Role role_of(Transport transport, Role rc_role) {
  switch (transport) {
    case Transport::kUd:
      return Role::kDatagram;
    case Transport::kRd:
      return Role::kUnknown;  // adapters that use this class speak DC, not RD
    default:
      return rc_role;
  }
}

constexpr OpcodeFacts facts_of(std::uint8_t opcode) {
  OpcodeFacts facts;
  if (opcode == kCnpOpcode) {
    facts.name = facts.short_name = "CNP";
    facts.role = Role::kCnp;
    facts.known = true;
    return facts;
  }
  facts.name = facts.short_name = {kNames[opcode].text.data(), kNames[opcode].length};
  const OperationFacts* operation = operation_of(opcode);
  if (!operation) return facts;
  const auto transport = static_cast<Transport>(opcode >> 5);
  facts.short_name = operation->short_name;
  facts.headers = operation->headers | transport_headers(transport, operation->role);
  facts.header_bytes = extension_bytes(facts.headers);
  facts.role = role_of(transport, operation->role);
  facts.position = operation->position;
  facts.known = true;
  return facts;
}

}  // namespace

constexpr std::array<OpcodeFacts, 256> kOpcodeFacts = [] {
  std::array<OpcodeFacts, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = facts_of(static_cast<std::uint8_t>(i));
  return table;
}();

constexpr std::array<PlainOpcode, 256> kPlainOpcodes = [] {
  std::array<PlainOpcode, 256> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const OpcodeFacts& facts = kOpcodeFacts[i];
    const auto transport = static_cast<Transport>(i >> 5);
    PlainOpcode& out = all[i];
    out.header_bytes = facts.header_bytes;
    out.role = facts.role;
    out.position = facts.position;
    out.plain = facts.known && facts.role != Role::kCnp && transport != Transport::kRd;
    out.common =
        out.plain && (transport == Transport::kRc || transport == Transport::kUc) && (facts.headers & kFeth) == 0;
    out.has_reth = (facts.headers & kReth) != 0;
    out.has_aeth = (facts.headers & kAeth) != 0;
  }
  return all;
}();

}  // namespace rocetop::wire
