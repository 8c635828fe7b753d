// SPDX-License-Identifier: BSD-3-Clause
#include "present/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace rocetop::present {
namespace {

template <typename T>
std::string written(const T& value) {
  std::string out;
  JsonWriter json([&out](std::string_view text) { out += text; });
  json.value(value);
  json.finish();
  out.pop_back();  // the line feed
  return out;
}

TEST(JsonWriter, IntegersAreExact) {
  EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(written(std::uint8_t{200}), "200");
}

TEST(JsonWriter, DoublesAreShortestAndNeverInvalid) {
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(1e6), "1000000");
  EXPECT_EQ(written(-2.5), "-2.5");
  EXPECT_EQ(written(1.0), "1");
  EXPECT_EQ(written(std::nan("")), "null");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
  const double odd = 1.0 / 3;
  EXPECT_EQ(nlohmann::json::parse(written(odd)).get<double>(), odd);
}

TEST(JsonWriter, NothingIsNull) {
  EXPECT_EQ(written(std::optional<int>{}), "null");
  EXPECT_EQ(written(std::optional<int>{3}), "3");
}

TEST(JsonWriter, EscapesWhatJsonOrATerminalWouldChokeOn) {
  EXPECT_EQ(written(std::string("a\"b\\c\nd")), R"("a\"b\\c\nd")");
  EXPECT_EQ(written(std::string("\x1b[2J\x07")), R"("\u001b[2J\u0007")");
  EXPECT_EQ(written(std::string("\x7f\xc2\x9b")), R"("\u007f\u009b")");
  EXPECT_EQ(written(std::string("nul\0!", 5)), R"("nul\u0000!")");
  EXPECT_EQ(written(std::string("\xe2\x80\xae")), R"("\u202e")");
}

TEST(JsonWriter, IllFormedUtf8BecomesReplacementCharacters) {
  const std::string r = "\xef\xbf\xbd";
  EXPECT_EQ(written(std::string("a\xff") + "b"), "\"a" + r + "b\"");
  EXPECT_EQ(written(std::string("\xc3")), "\"" + r + "\"");
  EXPECT_EQ(written(std::string("\xe2\x82x")), "\"" + r + "x\"");
  EXPECT_EQ(written(std::string("\xed\xa0\x80")), "\"" + r + "\"");      // surrogate
  EXPECT_EQ(written(std::string("\xc0\xaf")), "\"" + r + r + "\"");      // overlong
  EXPECT_EQ(written(std::string("\xf4\x90\x80\x80")), "\"" + r + "\"");  // above U+10FFFF
  EXPECT_EQ(written(std::string("µ→😀")), "\"µ→😀\"");
}

TEST(JsonWriter, EveryByteStringIsValidJson) {
  std::string all;
  for (int i = 0; i < 256; ++i) {
    for (int j = 0; j < 256; j += 7) all += {static_cast<char>(i), static_cast<char>(j)};
  }
  EXPECT_TRUE(nlohmann::json::accept(written(all)));
}

TEST(JsonWriter, NestsAndSeparates) {
  std::string out;
  JsonWriter json([&out](std::string_view text) { out += text; });
  json.begin_object();
  json.member("a", 1);
  json.key("b");
  json.begin_array();
  json.begin_object();
  json.end_object();
  json.value("x");
  json.end_array();
  json.null_member("c");
  json.end_object();
  json.finish();
  EXPECT_EQ(out, "{\"a\":1,\"b\":[{},\"x\"],\"c\":null}\n");
}

TEST(JsonWriter, HandsTextOnBeforeItIsComplete) {
  std::size_t pieces = 0;
  JsonWriter json([&pieces](std::string_view) { ++pieces; });
  json.begin_array();
  for (int i = 0; i < 100'000; ++i) json.value("0123456789");
  EXPECT_GT(pieces, 10U);
  json.end_array();
  json.finish();
}

}  // namespace
}  // namespace rocetop::present
