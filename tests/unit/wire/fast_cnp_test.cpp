// SPDX-License-Identifier: BSD-3-Clause
#include "wire/fast_cnp.h"

#include <gtest/gtest.h>

#include <string>

#include "frame.h"

namespace rocetop::wire::test {
namespace {

constexpr const char* kAddress = "20010db8 00000000 00000000 00000007";

Frame cnp(const std::string& options) { return ipv6(60, hex(options) + udp(4791, roce(0x81, zeros(16)))); }

std::string destination(const std::string& options) {
  const Result result = decode_frame(LinkType::kIpv6, cnp(options));
  EXPECT_EQ(result->kind, FrameKind::kRoce) << options;
  EXPECT_TRUE(result->packet.is_fast_cnp()) << options;
  const FastCnp cnp = parse_fast_cnp(result->packet);
  return cnp.data_destination ? cnp.data_destination->to_string() : "not told";
}

TEST(FastCnp, TheOneOptionOfSixteenBytesIsTheAddress) {
  EXPECT_EQ(destination(std::string("11 02 1E10") + kAddress + "0102 0000"), "2001:db8::7");
  EXPECT_EQ(destination(std::string("11 02 00 00 00 1E10") + kAddress + "00"), "2001:db8::7") << "behind Pad1";
  EXPECT_EQ(destination(std::string("11 03 1E10") + kAddress + "3108" + "0000000000000000 0100"), "2001:db8::7")
      << "with an IOAM option behind it";
}

TEST(FastCnp, OptionsWithAnotherMeaningAreNotTakenForIt) {
  EXPECT_EQ(destination("11 00 0104 00000000"), "not told");
  EXPECT_EQ(destination(std::string("11 02 C910") + kAddress + "0102 0000"), "not told") << "a home address";
  EXPECT_EQ(destination("11 02 0110 00000000 00000000 00000000 00000000 0102 0000"), "not told") << "padding";
  EXPECT_EQ(destination("11 01 1E08 0000000000000007 0102 0000"), "not told") << "half an address";
}

TEST(FastCnp, NothingIsSaidWhereItIsNotClear) {
  EXPECT_EQ(destination(std::string("11 04 1E10") + kAddress + "1E10" + kAddress + "0100"), "not told")
      << "two of them";
  EXPECT_EQ(destination("11 02 1E10 FF020000 00000000 00000000 00000001 0102 0000"), "not told") << "multicast";
  EXPECT_EQ(destination("11 02 1E10 00000000 00000000 00000000 00000000 0102 0000"), "not told") << "unspecified";
}

TEST(FastCnp, LyingLengthsEndTheOptions) {
  EXPECT_EQ(destination(std::string("11 02 0200 1EFF") + kAddress + "0000"), "not told");
  EXPECT_EQ(destination("11 00 0000 0000 001E"), "not told") << "no room for a length";
}

TEST(FastCnp, IsACnpWithDestinationOptionsAndNothingElse) {
  const Frame options = hex("11 00 0104 00000000");
  EXPECT_FALSE(decode_frame(LinkType::kIpv6, ipv6(60, options + udp(4791, roce(0x04, {}))))->packet.is_fast_cnp());
  EXPECT_FALSE(decode_frame(LinkType::kIpv6, ipv6(17, udp(4791, roce(0x81, zeros(16)))))->packet.is_fast_cnp());
  const Frame hop_by_hop = ipv6(0, options + udp(4791, roce(0x81, zeros(16))));
  EXPECT_FALSE(decode_frame(LinkType::kIpv6, hop_by_hop)->packet.is_fast_cnp());
}

TEST(FastCnp, EveryPrefixIsReadOrRefused) {
  const Frame whole = cnp(std::string("11 02 1E10") + kAddress + "0102 0000");
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const Result result =
        decode_frame(LinkType::kIpv6, Frame(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)));
    if (result->kind == FrameKind::kRoce && result->packet.is_fast_cnp()) parse_fast_cnp(result->packet);
  }
}

}  // namespace
}  // namespace rocetop::wire::test
