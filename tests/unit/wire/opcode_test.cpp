// SPDX-License-Identifier: BSD-3-Clause
// The opcode table against the specification's, spelt out.
#include "wire/opcode.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace rocetop::wire {
namespace {

TEST(Opcode, Names) {
  const std::pair<std::uint8_t, std::string_view> names[] = {{0x00, "RC SEND First"},
                                                             {0x01, "RC SEND Middle"},
                                                             {0x02, "RC SEND Last"},
                                                             {0x03, "RC SEND Last with Immediate"},
                                                             {0x04, "RC SEND Only"},
                                                             {0x05, "RC SEND Only with Immediate"},
                                                             {0x06, "RC RDMA WRITE First"},
                                                             {0x07, "RC RDMA WRITE Middle"},
                                                             {0x08, "RC RDMA WRITE Last"},
                                                             {0x09, "RC RDMA WRITE Last with Immediate"},
                                                             {0x0A, "RC RDMA WRITE Only"},
                                                             {0x0B, "RC RDMA WRITE Only with Immediate"},
                                                             {0x0C, "RC RDMA READ Request"},
                                                             {0x0D, "RC RDMA READ response First"},
                                                             {0x0E, "RC RDMA READ response Middle"},
                                                             {0x0F, "RC RDMA READ response Last"},
                                                             {0x10, "RC RDMA READ response Only"},
                                                             {0x11, "RC Acknowledge"},
                                                             {0x12, "RC ATOMIC Acknowledge"},
                                                             {0x13, "RC CmpSwap"},
                                                             {0x14, "RC FetchAdd"},
                                                             {0x15, "RC Reserved 0x15"},
                                                             {0x16, "RC SEND Last with Invalidate"},
                                                             {0x17, "RC SEND Only with Invalidate"},
                                                             {0x1C, "RC FLUSH"},
                                                             {0x1D, "RC ATOMIC WRITE"},
                                                             {0x2A, "UC RDMA WRITE Only"},
                                                             {0x2C, "UC Reserved 0x2C"},
                                                             {0x40, "RD SEND First"},
                                                             {0x55, "RD RESYNC"},
                                                             {0x60, "UD Reserved 0x60"},
                                                             {0x64, "UD SEND Only"},
                                                             {0x65, "UD SEND Only with Immediate"},
                                                             {0x80, "Reserved 0x80"},
                                                             {0x81, "CNP"},
                                                             {0xA0, "XRC SEND First"},
                                                             {0xB7, "XRC SEND Only with Invalidate"},
                                                             {0xB8, "XRC Reserved 0xB8"},
                                                             {0xC0, "Vendor 0xC0"},
                                                             {0xFF, "Vendor 0xFF"}};
  for (const auto& [opcode, name] : names) EXPECT_EQ(opcode_facts(opcode).name, name);
}

TEST(Opcode, KnownOnesAreTheSpecifications) {
  std::set<int> expected{0x81, 0x64, 0x65, 0x55};
  for (const int transport : {0x00, 0x40, 0xA0}) {
    for (int operation = 0x00; operation <= 0x14; ++operation) expected.insert(transport + operation);
    for (const int operation : {0x1C, 0x1D}) expected.insert(transport + operation);
  }
  for (const int opcode : {0x16, 0x17, 0xB6, 0xB7}) expected.insert(opcode);
  for (int operation = 0x00; operation <= 0x0B; ++operation) expected.insert(0x20 + operation);
  for (int opcode = 0; opcode < 256; ++opcode) {
    EXPECT_EQ(opcode_facts(static_cast<std::uint8_t>(opcode)).known, expected.contains(opcode)) << opcode;
  }
}

TEST(Opcode, NamesAreUnique) {
  std::set<std::string_view> names;
  for (int opcode = 0; opcode < 256; ++opcode) names.insert(opcode_facts(static_cast<std::uint8_t>(opcode)).name);
  EXPECT_EQ(names.size(), 256u);
}

TEST(Opcode, UnknownOnesCarryNothing) {
  for (int opcode = 0; opcode < 256; ++opcode) {
    const OpcodeFacts& facts = opcode_facts(static_cast<std::uint8_t>(opcode));
    if (facts.known) continue;
    EXPECT_EQ(facts.headers, 0u);
    EXPECT_EQ(facts.header_bytes, 0);
    EXPECT_EQ(facts.role, Role::kUnknown);
    EXPECT_EQ(facts.position, Position::kNone);
    EXPECT_EQ(facts.short_name, facts.name);
  }
}

TEST(Opcode, Headers) {
  struct Expected {
    std::uint8_t opcode;
    std::uint32_t headers;
    int bytes;
  };
  const Expected all[] = {{0x00, 0, 0},
                          {0x03, kImmDt, 4},
                          {0x06, kReth, 16},
                          {0x07, 0, 0},
                          {0x08, 0, 0},
                          {0x09, kImmDt, 4},
                          {0x0B, kReth | kImmDt, 20},
                          {0x0C, kReth, 16},
                          {0x0D, kAeth, 4},
                          {0x0E, 0, 0},
                          {0x0F, kAeth, 4},
                          {0x10, kAeth, 4},
                          {0x11, kAeth, 4},
                          {0x12, kAeth | kAtomicAckEth, 12},
                          {0x13, kAtomicEth, 28},
                          {0x14, kAtomicEth, 28},
                          {0x16, kIeth, 4},
                          {0x1C, kFeth | kReth, 20},
                          {0x1D, kReth, 16},
                          {0x2B, kReth | kImmDt, 20},
                          {0x40, kRdeth | kDeth, 12},
                          {0x4B, kRdeth | kDeth | kReth | kImmDt, 32},
                          {0x4E, kRdeth, 4},
                          {0x52, kRdeth | kAeth | kAtomicAckEth, 16},
                          {0x55, kRdeth | kDeth, 12},
                          {0x64, kDeth, 8},
                          {0x65, kDeth | kImmDt, 12},
                          {0x81, 0, 0},
                          {0xA0, kXrceth, 4},
                          {0xAC, kXrceth | kReth, 20},
                          {0xAE, 0, 0},
                          {0xB1, kAeth, 4},
                          {0xB3, kXrceth | kAtomicEth, 32},
                          {0xBC, kXrceth | kFeth | kReth, 24}};
  for (const Expected& expected : all) {
    EXPECT_EQ(opcode_facts(expected.opcode).headers, expected.headers) << int{expected.opcode};
    EXPECT_EQ(opcode_facts(expected.opcode).header_bytes, expected.bytes) << int{expected.opcode};
  }
}

TEST(Opcode, RolesAndPositions) {
  struct Expected {
    std::uint8_t opcode;
    Role role;
    Position position;
  };
  const Expected all[] = {{0x00, Role::kRequest, Position::kFirst},   {0x01, Role::kRequest, Position::kMiddle},
                          {0x09, Role::kRequest, Position::kLast},    {0x0A, Role::kRequest, Position::kOnly},
                          {0x0C, Role::kRequest, Position::kOnly},    {0x0D, Role::kResponse, Position::kFirst},
                          {0x0E, Role::kResponse, Position::kMiddle}, {0x0F, Role::kResponse, Position::kLast},
                          {0x10, Role::kResponse, Position::kOnly},   {0x11, Role::kAcknowledge, Position::kNone},
                          {0x12, Role::kResponse, Position::kOnly},   {0x13, Role::kRequest, Position::kOnly},
                          {0x1C, Role::kRequest, Position::kOnly},    {0x1D, Role::kRequest, Position::kOnly},
                          {0x26, Role::kRequest, Position::kFirst},   {0x44, Role::kUnknown, Position::kOnly},
                          {0x64, Role::kDatagram, Position::kOnly},   {0x81, Role::kCnp, Position::kNone},
                          {0xA6, Role::kRequest, Position::kFirst},   {0xB1, Role::kAcknowledge, Position::kNone}};
  for (const Expected& expected : all) {
    EXPECT_EQ(opcode_facts(expected.opcode).role, expected.role) << int{expected.opcode};
    EXPECT_EQ(opcode_facts(expected.opcode).position, expected.position) << int{expected.opcode};
  }
}

}  // namespace
}  // namespace rocetop::wire
