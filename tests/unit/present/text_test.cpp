// SPDX-License-Identifier: BSD-3-Clause
#include "present/text.h"

#include <gtest/gtest.h>

#include "base/number_text.h"

namespace rocetop::present {
namespace {

TEST(Clean, NothingMovesTheCursor) {
  EXPECT_EQ(clean("eth0\x1b[31m\r\n", true), "eth0\\x1b[31m\\x0d\\x0a");
  EXPECT_EQ(clean("a\xc2\x9b"
                  "1A",
                  true),
            "a\\x9b1A");
  EXPECT_EQ(clean("x\xe2\x80\xaey", true), "x\\u202ey");
  EXPECT_EQ(clean("bad\xff", true), "bad\xef\xbf\xbd");
}

TEST(Clean, SpeaksAsciiWhenAsked) {
  EXPECT_EQ(clean("a → b ↔ c, 3 µs … ×2", false), "a -> b <-> c, 3 us ... x2");
  EXPECT_EQ(clean("日本", false), "??");
  EXPECT_EQ(clean("日本", true), "日本");
}

TEST(Cells, CountsWhatATerminalShows) {
  EXPECT_EQ(cells("abc"), 3U);
  EXPECT_EQ(cells("→µ"), 2U);
  EXPECT_EQ(cells("日本"), 4U);
  EXPECT_EQ(cells("e\xcc\x81"), 1U);  // e with a combining acute
}

TEST(Fit, CutsWithAnEllipsis) {
  EXPECT_EQ(fit("abcdef", 6, true), "abcdef");
  EXPECT_EQ(fit("abcdef", 4, true), "abc…");
  EXPECT_EQ(fit("abcdef", 4, false), "a...");
  EXPECT_EQ(fit("日本語", 4, true), "日…");
}

TEST(Wrap, BreaksAtSpacesAndCutsLongWords) {
  EXPECT_EQ(wrap("one two three", 7, true), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("abcdefghij k", 4, true), (std::vector<std::string>{"abcd", "efgh", "ij k"}));
  EXPECT_EQ(wrap("mtu=4096,port=4791,priority=3", 20, true),
            (std::vector<std::string>{"mtu=4096,port=4791,", "priority=3"}));
  EXPECT_EQ(wrap("", 10, true), (std::vector<std::string>{""}));
  EXPECT_EQ(wrap("a\nb", 10, true), (std::vector<std::string>{"a", "b"}));
}

TEST(Wrap, NoLineIsWiderThanAsked) {
  const std::string text = "日本語 words→of different\x1bkinds and averyveryveryverylongone";
  for (std::size_t width = 2; width < 40; ++width) {
    for (const bool unicode : {true, false}) {
      for (const std::string& line : wrap(text, width, unicode)) EXPECT_LE(cells(line), width) << line;
    }
  }
}

TEST(KeepTogether, NoBreakBetweenWhatIsReadAsOne) {
  EXPECT_EQ(wrap(keep_together("from qp 17"), 7, true), (std::vector<std::string>{"from", "qp 17"}));
  EXPECT_EQ(wrap(keep_together("waited 44.1 ms, then"), 12, true),
            (std::vector<std::string>{"waited", "44.1 ms,", "then"}));
  EXPECT_EQ(wrap(keep_together("a b  c"), 20, true), (std::vector<std::string>{"a b c"}));
  EXPECT_EQ(clean(keep_together("qp 17"), true), "qp 17");  // an ordinary space, to be found with grep
}

TEST(Numbers, ReadWell) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1590), "1,590");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(bytes_text(812), "812 B");
  EXPECT_EQ(bytes_text(1'320'000), "1.32 MB");
  EXPECT_EQ(bytes_text(999'999), "1.00 MB");
  EXPECT_EQ(rate_text(9.41e9), "9.41 Gb/s");
  EXPECT_EQ(plural(1, "packet"), "1 packet");
  EXPECT_EQ(plural(0, "packet"), "0 packets");
}

TEST(Percent, NeverRoundsSomethingToNothingOrAll) {
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(percent(0.00001), "<0.1 %");
  EXPECT_EQ(percent(0.013), "1.3 %");
  EXPECT_EQ(percent(0.99999), ">99.9 %");
  EXPECT_EQ(percent(1), "100 %");
}

}  // namespace
}  // namespace rocetop::present
