// SPDX-License-Identifier: BSD-3-Clause
#include "bound.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace rocetop::cli {
namespace {

constexpr Nanos kFirst{1'700'000'000'500'000'000};  // 2023-11-14T22:13:20.5Z

engine::Bound bound(std::string_view text) {
  auto parsed = parse_bound("--from", text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? settle(*parsed, kFirst) : engine::Bound{};
}

TEST(Bound, Frames) {
  EXPECT_EQ(bound("#120").frame, 120U);
  for (const char* text : {"#", "#0", "#-1", "#1x"}) EXPECT_FALSE(parse_bound("--from", text)) << text;
}

TEST(Bound, Moments) {
  EXPECT_EQ(bound("2023-11-14T22:13:20Z").time, Nanos{1'700'000'000'000'000'000});
  EXPECT_EQ(bound("1700000000.25").time, Nanos{1'700'000'000'250'000'000});
}

TEST(Bound, DistancesFromTheFirstFrame) {
  EXPECT_EQ(bound("+1.5s").time, kFirst + milliseconds(1'500));
  EXPECT_EQ(bound("+2").time, kFirst + seconds(2));
  EXPECT_EQ(bound("+250us").time, kFirst + microseconds(250));
  EXPECT_EQ(bound("+1m").time, kFirst + seconds(60));
  for (const char* text : {"+", "+s", "+1x", "+1.2.3s", "+-1s", "+1e30s"}) {
    EXPECT_FALSE(parse_bound("--from", text)) << text;
  }
}

TEST(Bound, TimesOfTheFirstFramesDay) {
  setenv("TZ", "UTC", 1);
  tzset();
  EXPECT_EQ(bound("22:13:21.5").time, kFirst + seconds(1));
  EXPECT_FALSE(parse_bound("--from", "25:00:00"));
}

TEST(Bound, SmallNumbersAreRefusedWithAHint) {
  const auto parsed = parse_bound("--to", "120");
  ASSERT_FALSE(parsed);
  EXPECT_NE(parsed.error().hint.find("'#120'"), std::string::npos);
  const auto fraction = parse_bound("--to", "0.55");
  ASSERT_FALSE(fraction);
  EXPECT_EQ(fraction.error().hint.find('#'), std::string::npos);
  EXPECT_NE(fraction.error().hint.find("+0.55s"), std::string::npos);
}

TEST(Bound, WithoutAFrameNothingIsCut) {
  auto parsed = parse_bound("--from", "+1s");
  ASSERT_TRUE(parsed);
  EXPECT_FALSE(settle(*parsed, std::nullopt).time);
}

}  // namespace
}  // namespace rocetop::cli
