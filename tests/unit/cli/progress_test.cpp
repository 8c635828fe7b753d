// SPDX-License-Identifier: BSD-3-Clause
// What the progress bar says, and that it never takes more than a line.
#include "progress.h"

#include <gtest/gtest.h>

namespace rocetop::cli {
namespace {

constexpr std::uint64_t kGigabyte = 1'000'000'000;

TEST(ProgressBar, SaysHowFarHowFastAndHowLong) {
  EXPECT_EQ(ProgressBar::text(kGigabyte, 4 * kGigabyte, 2),
            " 25 % [#####               ] 1.00 GB of 4.00 GB, 500 MB/s, 6 s left");
  EXPECT_EQ(ProgressBar::text(kGigabyte, kGigabyte, 2),
            "100 % [####################] 1.00 GB of 1.00 GB, 500 MB/s, 0 s left");
  EXPECT_EQ(ProgressBar::text(kGigabyte, std::nullopt, 2), "1.00 GB read, 500 MB/s");
}

TEST(ProgressBar, FitsWhateverTheWidth) {
  for (std::size_t width = 19; width < 90; ++width) {
    for (const std::uint64_t total : {kGigabyte, 900 * kGigabyte}) {
      EXPECT_LE(ProgressBar::text(kGigabyte / 3, total, 1'000, width).size(), width);
      EXPECT_LE(ProgressBar::text(total, std::nullopt, 3, width).size(), width);
    }
  }
  EXPECT_EQ(ProgressBar::text(kGigabyte, 4 * kGigabyte, 2, 50), " 25 % 1.00 GB of 4.00 GB, 500 MB/s, 6 s left");
  EXPECT_EQ(ProgressBar::text(kGigabyte, 4 * kGigabyte, 2, 30), " 25 % 1.00 GB of 4.00 GB");
  EXPECT_EQ(ProgressBar::text(kGigabyte, 4 * kGigabyte, 2, 20), " 25 %");
}

TEST(ProgressBar, TellsLongWaitsInLargerUnits) {
  EXPECT_NE(ProgressBar::text(kGigabyte, 61 * kGigabyte, 10).find(", 10 min left"), std::string::npos);
  EXPECT_NE(ProgressBar::text(kGigabyte, 1081 * kGigabyte, 10).find(", 3 h left"), std::string::npos);
}

}  // namespace
}  // namespace rocetop::cli
