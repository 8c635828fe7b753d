// SPDX-License-Identifier: BSD-3-Clause
#include "inputs.h"

#include <gtest/gtest.h>

#include "options.h"

namespace rocetop::cli {
namespace {

using Files = std::vector<std::string>;

bool only_a_and_b(const std::string& path) { return path == "a.pcap" || path == "b"; }

Result<Inputs> sorted(Files plain, Files after_dashes = {}, Files read = {}, std::string filter = {}) {
  return sort_words({std::move(plain), std::move(after_dashes), std::move(read), std::move(filter)}, only_a_and_b);
}

TEST(SortWords, TheFirstWordThatIsNoFileStartsTheFilter) {
  auto inputs = sorted({"a.pcap", "b", "udp", "port", "4791"});
  ASSERT_TRUE(inputs);
  EXPECT_EQ(inputs->files, (Files{"a.pcap", "b"}));
  EXPECT_EQ(inputs->filter, "udp port 4791");
}

TEST(SortWords, OneQuotedFilterIsOneWord) {
  auto inputs = sorted({"a.pcap", "net 192.0.2.0/24 and udp"});
  ASSERT_TRUE(inputs);
  EXPECT_EQ(inputs->filter, "net 192.0.2.0/24 and udp");
}

TEST(SortWords, AFilterMayHoldTheNameOfAFile) {
  auto inputs = sorted({"a.pcap", "host", "b"});
  ASSERT_TRUE(inputs);
  EXPECT_EQ(inputs->files, (Files{"a.pcap"}));
  EXPECT_EQ(inputs->filter, "host b");
}

TEST(SortWords, MisspeltFilesAreNotFilters) {
  auto first = sorted({"nofile", "udp"});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->files, (Files{"nofile"}));
  auto later = sorted({"a.pcap", "missing.pcapng.zst", "captures/x"});
  ASSERT_TRUE(later);
  EXPECT_EQ(later->files, (Files{"a.pcap", "missing.pcapng.zst", "captures/x"}));
}

TEST(SortWords, StandardInputIsAFile) {
  auto inputs = sorted({"-", "udp"});
  ASSERT_TRUE(inputs);
  EXPECT_EQ(inputs->files, (Files{"-"}));
  EXPECT_FALSE(sorted({"-", "-"}));
}

TEST(SortWords, OtherWaysToGiveTheFilter) {
  EXPECT_EQ(sorted({"a.pcap"}, {"udp", "port", "1"})->filter, "udp port 1");
  EXPECT_EQ(sorted({"a.pcap"}, {}, {}, "tcp")->filter, "tcp");
  auto tcpdump_style = sorted({"b", "or", "udp"}, {}, {"a.pcap"});
  EXPECT_EQ(tcpdump_style->files, (Files{"a.pcap"}));
  EXPECT_EQ(tcpdump_style->filter, "b or udp");
}

TEST(SortWords, RefusesNothingAndTooMuch) {
  EXPECT_FALSE(sorted({}));
  EXPECT_FALSE(sorted({"a.pcap", "udp"}, {"tcp"}));
  EXPECT_FALSE(sorted({"a.pcap", "udp"}, {}, {}, "tcp"));
  EXPECT_FALSE(sorted({"a.pcap"}, {"udp"}, {}, "tcp"));
}

TEST(ParseQpn, DecimalAndHex) {
  EXPECT_EQ(parse_qpn("18"), Qpn{18});
  EXPECT_EQ(parse_qpn("0x12"), Qpn{18});
  EXPECT_EQ(parse_qpn("16777215"), Qpn{0xFFFFFF});
  for (const char* text : {"", "0x", "16777216", "-1", "12x", "0x1000000"}) EXPECT_FALSE(parse_qpn(text)) << text;
}

TEST(Interpret, RefusesWhatMakesNoSense) {
  CommonOptions options;
  options.words.plain = {"-"};
  EXPECT_TRUE(interpret(options));
  options.host = "server7";
  EXPECT_FALSE(interpret(options));
  options.host = "2001:db8::1";
  EXPECT_TRUE(interpret(options));
  options.qp = "seven";
  EXPECT_FALSE(interpret(options));
  options.qp = "7";
  options.to = "yesterday";
  EXPECT_FALSE(interpret(options));
}

}  // namespace
}  // namespace rocetop::cli
