// SPDX-License-Identifier: BSD-3-Clause
#include "base/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace rocetop {
namespace {

std::vector<std::int64_t> values_over_many_octaves(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(0.0, 11.0);
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<std::int64_t>(std::pow(10.0, exponent(random))));
  return values;
}

std::int64_t exact_percentile(std::vector<std::int64_t> values, double share) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

TEST(Histogram, PercentilesAreWithinTheStatedError) {
  const auto values = values_over_many_octaves(5000, 1);
  Histogram histogram;
  for (const auto v : values) histogram.add(v);
  for (const double share : {0.0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto exact = static_cast<double>(exact_percentile(values, share));
    EXPECT_NEAR(static_cast<double>(histogram.percentile(share)), exact, std::max(exact / 64, 0.0)) << share;
  }
}

TEST(Histogram, EveryValueAloneIsExact) {
  for (std::int64_t v = 0; v < 5000; ++v) {
    Histogram histogram;
    histogram.add(v);
    EXPECT_EQ(histogram.percentile(0.5), v);
  }
}

TEST(Histogram, BucketEdgesMeet) {
  Histogram histogram;
  for (std::int64_t v = 1; v < 100'000; ++v) histogram.add(v);
  std::int64_t next = 1;
  std::uint64_t values = 0;
  histogram.each_bucket([&](std::int64_t low, std::int64_t high, std::uint64_t n) {
    EXPECT_EQ(low, next);
    if (high < 99'999) {
      EXPECT_EQ(n, static_cast<std::uint64_t>(high - low + 1));
    }
    next = high + 1;
    values += n;
  });
  EXPECT_EQ(values, 99'999u);
}

TEST(Histogram, MergedIsAsIfOneHadSeenAll) {
  Histogram all;
  Histogram small;
  Histogram large;
  for (const auto v : values_over_many_octaves(1000, 2)) {
    all.add(v);
    (v < 10'000 ? small : large).add(v);
  }
  large.merge(small);
  large.merge(Histogram{});
  Histogram copy;
  copy.merge(large);
  EXPECT_EQ(copy.count(), all.count());
  EXPECT_EQ(copy.min(), all.min());
  EXPECT_EQ(copy.max(), all.max());
  EXPECT_NEAR(copy.sum(), all.sum(), all.sum() * 1e-12);
  for (const double share : {0.01, 0.5, 0.99}) EXPECT_EQ(copy.percentile(share), all.percentile(share));
}

TEST(Histogram, TakesWhateverNumberComes) {
  Histogram histogram;
  histogram.add(-5);
  histogram.add(0);
  histogram.add(std::numeric_limits<std::int64_t>::max());
  histogram.add(Nanos::min());
  EXPECT_EQ(histogram.count(), 4u);
  EXPECT_EQ(histogram.min(), 0);
  EXPECT_EQ(histogram.max(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(histogram.percentile(0.5), 0);
  EXPECT_EQ(histogram.percentile(1.0), std::numeric_limits<std::int64_t>::max());
  EXPECT_LE(histogram.size_bytes(), 5120u);
}

TEST(Histogram, CostsNothingUntilUsedAndLittleForNearValues) {
  Histogram histogram;
  EXPECT_EQ(histogram.size_bytes(), 0u);
  EXPECT_EQ(histogram.percentile(0.5), 0);
  EXPECT_EQ(histogram.share_above(5), 0.0);
  for (std::int64_t v = 4096; v < 8192; ++v) histogram.add(v);
  EXPECT_LE(histogram.size_bytes(), 1536u);
}

TEST(Histogram, KeepsItsShapeWhenACounterIsFull) {
  Histogram histogram;
  histogram.add(10, 0xFFFFFFFF);
  histogram.add(10, 0xFFFFFFFF);
  histogram.add(20, 0xFFFFFFFF);
  EXPECT_EQ(histogram.count(), 3 * std::uint64_t{0xFFFFFFFF});
  EXPECT_EQ(histogram.percentile(0.5), 10);
  EXPECT_EQ(histogram.percentile(0.75), 20);
}

TEST(Histogram, ShareAboveALimit) {
  Histogram histogram;
  for (std::int64_t v = 1; v <= 100; ++v) histogram.add(v * 1000);
  EXPECT_NEAR(histogram.share_above(50'000), 0.5, 0.02);
  EXPECT_EQ(histogram.share_above(100'000), 0.0);
  EXPECT_EQ(histogram.share_above(10), 1.0);
}

}  // namespace
}  // namespace rocetop
