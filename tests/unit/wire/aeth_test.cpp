// SPDX-License-Identifier: BSD-3-Clause
#include "wire/aeth.h"

#include <gtest/gtest.h>

namespace rocetop::wire {
namespace {

TEST(Aeth, Kinds) {
  EXPECT_EQ(aeth_kind(0x1F), AethKind::kAck);
  EXPECT_EQ(aeth_kind(0x20), AethKind::kRnrNak);
  EXPECT_EQ(aeth_kind(0x40), AethKind::kReserved);
  EXPECT_EQ(aeth_kind(0x60), AethKind::kNak);
}

TEST(Aeth, Words) {
  EXPECT_EQ(aeth_text(0x1F), "ACK");
  EXPECT_EQ(aeth_text(0x07), "ACK, 12 credits");
  EXPECT_EQ(aeth_text(0x01), "ACK, 1 credit");
  EXPECT_EQ(aeth_text(0x00), "ACK, 0 credits");
  EXPECT_EQ(aeth_text(0x2C), "RNR NAK, wait 0.64 ms");
  EXPECT_EQ(aeth_text(0x20), "RNR NAK, wait 655.36 ms");
  EXPECT_EQ(aeth_text(0x60), "NAK, PSN sequence error");
  EXPECT_EQ(aeth_text(0x61), "NAK, invalid request");
  EXPECT_EQ(aeth_text(0x62), "NAK, remote access error");
  EXPECT_EQ(aeth_text(0x63), "NAK, remote operational error");
  EXPECT_EQ(aeth_text(0x64), "NAK, invalid RD request");
  EXPECT_EQ(aeth_text(0x65), "NAK, reserved code 5");
  EXPECT_EQ(aeth_text(0x4A), "reserved syndrome 0x4A");
}

TEST(Aeth, NakCodes) {
  EXPECT_EQ(nak_code(0x60), NakCode::kPsnSequenceError);
  EXPECT_EQ(nak_code(0x64), NakCode::kInvalidRdRequest);
  EXPECT_FALSE(nak_code(0x65));
  EXPECT_FALSE(nak_code(0x00));
  EXPECT_EQ(nak_key(NakCode::kRemoteAccessError), "remote_access_error");
  for (std::size_t i = 0; i < kNakCodes; ++i) EXPECT_NE(nak_key(static_cast<NakCode>(i)), "unknown");
}

TEST(Aeth, RnrTimers) {
  EXPECT_EQ(rnr_timer(0x20), Nanos{655'360'000});
  EXPECT_EQ(rnr_timer(0x21), Nanos{10'000});
  EXPECT_EQ(rnr_timer(0x2E), Nanos{1'280'000});
  EXPECT_EQ(rnr_timer(0x3F), Nanos{491'520'000});
  // From code 2 on, the waits of even codes double.
  for (std::uint8_t code = 4; code < 30; code += 2) {
    EXPECT_EQ(rnr_timer(static_cast<std::uint8_t>(code + 2)).count, 2 * rnr_timer(code).count) << int{code};
  }
}

TEST(Aeth, Credits) {
  EXPECT_EQ(credits(0x00), 0u);
  EXPECT_EQ(credits(0x05), 6u);
  EXPECT_EQ(credits(0x1E), 32768u);
  EXPECT_FALSE(credits(0x1F));
  EXPECT_FALSE(credits(0x60));
  for (std::uint8_t code = 2; code < 29; ++code) {
    EXPECT_EQ(credits(static_cast<std::uint8_t>(code + 2)).value(), 2 * credits(code).value()) << int{code};
  }
}

}  // namespace
}  // namespace rocetop::wire
