// SPDX-License-Identifier: BSD-3-Clause
#include "command_name.h"

#include <gtest/gtest.h>

namespace rocetop::cli {
namespace {

const std::vector<std::string> kOptions = {"--from", "--to", "--threshold", "--thresholds", "--html", "--host"};

TEST(MeantOption, IsTheNearest) {
  EXPECT_EQ(meant_option({"--treshold"}, kOptions), "Did you mean --threshold?");
  EXPECT_EQ(meant_option({"--tresholds=x"}, kOptions), "Did you mean --thresholds?");
  EXPECT_EQ(meant_option({"--form", "+1s"}, kOptions), "Did you mean --from?");
  EXPECT_EQ(meant_option({"--thr"}, kOptions), "Did you mean --threshold?");
}

TEST(MeantOption, IsNotWhatWasWrittenRight) {
  EXPECT_EQ(meant_option({"--from", "+1s", "--htlm", "x"}, kOptions), "Did you mean --html?");
}

TEST(MeantOption, IsNothingWhereNothingIsLikeIt) {
  EXPECT_FALSE(meant_option({"--frobnicate"}, kOptions));
  EXPECT_FALSE(meant_option({"treshold", "-x"}, kOptions));
  EXPECT_FALSE(meant_option({"--" + std::string(100'000, 'x')}, kOptions));
}

TEST(SimilarWord, IsOneWithAFewSlipsOrNothing) {
  const std::vector<std::string> names = {"clean", "incast", "lossy-link"};
  EXPECT_EQ(similar_word("cleen", names), "clean");
  EXPECT_EQ(similar_word("lossy", names), "lossy-link");
  EXPECT_FALSE(similar_word("storm", names));
}

}  // namespace
}  // namespace rocetop::cli
