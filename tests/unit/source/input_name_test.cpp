// SPDX-License-Identifier: BSD-3-Clause
#include "source/input_name.h"

#include <gtest/gtest.h>

namespace rocetop::source {
namespace {

TEST(InputName, LeavesOrdinaryNamesAlone) {
  EXPECT_EQ(input_name("/var/tmp/a b.pcap"), "/var/tmp/a b.pcap");
  EXPECT_EQ(input_name("größe-日本-🦀.pcap"), "größe-日本-🦀.pcap");
  EXPECT_EQ(input_name("-"), "standard input");
  EXPECT_EQ(input_name("./-"), "./-");
  EXPECT_EQ(input_name(""), "\"\"");
}

TEST(InputName, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(input_name("a\x1b[31m\n\r\t\x7f"), "a\\x1b[31m\\x0a\\x0d\\x09\\x7f");
  EXPECT_EQ(input_name("back\\slash"), "back\\x5cslash");
  EXPECT_EQ(input_name("\xc2\x9b"), "\\xc2\\x9b");           // U+009B, the one-character CSI
  EXPECT_EQ(input_name("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // U+202E, right-to-left override
  EXPECT_EQ(input_name("\xe2\x81\xa6"), "\\xe2\\x81\\xa6");  // U+2066, left-to-right isolate
}

TEST(InputName, EscapesWhatIsNotUtf8) {
  EXPECT_EQ(input_name("\xff"), "\\xff");
  EXPECT_EQ(input_name("\xc3"), "\\xc3");                             // cut off
  EXPECT_EQ(input_name("\xc0\xaf"), "\\xc0\\xaf");                    // overlong '/'
  EXPECT_EQ(input_name("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");           // overlong
  EXPECT_EQ(input_name("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(input_name("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
}

TEST(InputName, HasALimit) {
  const std::string name = input_name(std::string(100'000, 'a'));
  EXPECT_EQ(name, std::string(256, 'a') + "…");
}

}  // namespace
}  // namespace rocetop::source
