// SPDX-License-Identifier: BSD-3-Clause
#include "bound.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace rocetop::cli {
namespace {

constexpr Nanos kFirst{1'700'000'000'500'000'000};  // 2023-11-14T22:13:20.5Z

engine::Bound bound(std::string_view text, Zone zone = Zone::kUtc) {
  auto parsed = parse_bound("--from", text, zone);
  EXPECT_TRUE(parsed) << text;
  return parsed ? settle(*parsed, kFirst) : engine::Bound{};
}

TEST(Bound, Frames) {
  EXPECT_EQ(bound("#120").frame, 120U);
  EXPECT_EQ(bound("#2:9").file, 1U);
  EXPECT_EQ(bound("#2:9").frame, 9U);
  EXPECT_FALSE(bound("#9").file);
  for (const char* text : {"#", "#0", "#-1", "#1x", "#0:9", "#2:", "#:9", "#2:0", "#2:9:1", "#70000:1"})
    EXPECT_FALSE(parse_bound("--from", text, Zone::kUtc)) << text;
}

TEST(Bound, Moments) {
  EXPECT_EQ(bound("2023-11-14T22:13:20Z").time, Nanos{1'700'000'000'000'000'000});
  EXPECT_EQ(bound("1700000000.25").time, Nanos{1'700'000'000'250'000'000});
}

TEST(Bound, MomentsThatThereAreNot) {
  for (const char* text :
       {"", "2023-02-29T00:00:00Z", "2023-04-31T00:00:00Z", "2023-13-01T00:00:00Z", "2023-11-14T24:00:00Z",
        "2023-11-14T22:60:00Z", "2023-11-14T22:13:61Z", "2023-11-1 T22:13:20Z", "2023-11-14T22:13:20+24:00",
        "2023-11-14T22:13:20+1:000", "2023-11-14X22:13:20Z", "22:60:00", "22:13:99"}) {
    EXPECT_FALSE(parse_bound("--from", text, Zone::kUtc)) << text;
  }
  EXPECT_TRUE(parse_bound("--from", "2024-02-29T23:59:60Z", Zone::kUtc)) << "a leap day, and a leap second";
}

TEST(Bound, DistancesFromTheFirstFrame) {
  EXPECT_EQ(bound("+1.5s").time, kFirst + milliseconds(1'500));
  EXPECT_EQ(bound("+2").time, kFirst + seconds(2));
  for (const char* text : {"+250us", "+250µs", "+250μs"}) EXPECT_EQ(bound(text).time, kFirst + microseconds(250));
  EXPECT_EQ(bound("+1m").time, kFirst + seconds(60));
  for (const char* text : {"+", "+s", "+1x", "+1.2.3s", "+-1s", "+1e30s"}) {
    EXPECT_FALSE(parse_bound("--from", text, Zone::kUtc)) << text;
  }
}

TEST(Bound, TimesOfTheFirstFramesDay) {
  setenv("TZ", "UTC", 1);
  tzset();
  EXPECT_EQ(bound("22:13:21.5").time, kFirst + seconds(1));
  EXPECT_FALSE(parse_bound("--from", "25:00:00", Zone::kUtc));
}

TEST(Bound, APastMidnightTimeIsOfTheNextDay) {
  EXPECT_EQ(bound("00:00:00").time, seconds(1'700'006'400));  // 2023-11-15T00:00:00Z
  EXPECT_EQ(bound("22:00:00").time, seconds(1'699'999'200)) << "shortly before the first frame is that day";
}

TEST(Bound, WithoutAZoneTheLocalOneIsMeant) {
  setenv("TZ", "XYZ-01:30", 1);  // an hour and a half east
  tzset();
  EXPECT_EQ(bound("23:43:21.5", Zone::kLocal).time, kFirst + seconds(1));
  EXPECT_EQ(bound("2023-11-14T23:43:21.5", Zone::kLocal).time, kFirst + seconds(1));
  EXPECT_EQ(bound("2023-11-14T22:13:21.5", Zone::kUtc).time, kFirst + seconds(1));
  EXPECT_EQ(bound("2023-11-14T22:13:21.5Z", Zone::kLocal).time, kFirst + seconds(1));
  const std::string printed = rfc3339(kFirst, Zone::kLocal);
  EXPECT_EQ(printed, "2023-11-14T23:43:20.500000000+01:30");
  EXPECT_EQ(bound(printed, Zone::kLocal).time, kFirst) << "--from reads what is printed";
  setenv("TZ", "UTC", 1);
  tzset();
}

TEST(Bound, SmallNumbersAreRefusedWithAHint) {
  const auto parsed = parse_bound("--to", "120", Zone::kUtc);
  ASSERT_FALSE(parsed);
  EXPECT_NE(parsed.error().hint.find("'#120'"), std::string::npos);
  const auto fraction = parse_bound("--to", "0.55", Zone::kUtc);
  ASSERT_FALSE(fraction);
  EXPECT_EQ(fraction.error().hint.find('#'), std::string::npos);
  EXPECT_NE(fraction.error().hint.find("+0.55s"), std::string::npos);
}

TEST(Bound, WithoutAFrameNothingIsCut) {
  auto parsed = parse_bound("--from", "+1s", Zone::kUtc);
  ASSERT_TRUE(parsed);
  EXPECT_FALSE(settle(*parsed, std::nullopt).time);
}

}  // namespace
}  // namespace rocetop::cli
