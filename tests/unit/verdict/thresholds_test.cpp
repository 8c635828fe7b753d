// SPDX-License-Identifier: BSD-3-Clause
// Thresholds as a user sets them, and the tables that tell of them.
#include "verdict/thresholds.h"

#include <gtest/gtest.h>

#include <set>

#include "verdict/rule_book.h"

namespace rocetop::verdict {
namespace {

TEST(Thresholds, EachRowNamesAMemberOfItsOwnAndReadsWhatItPrints) {
  std::set<std::string> names;
  for (const ThresholdFacts& row : kThresholds) {
    EXPECT_TRUE(names.insert(std::string(row.name)).second) << row.name;
    Thresholds changed;
    const bool is_time = row.unit == ThresholdUnit::kTime;
    const char* other = is_time ? "17ms" : row.unit == ThresholdUnit::kShare ? "37%" : "17";
    ASSERT_TRUE(set_threshold(changed, row.name, other)) << row.name;
    EXPECT_EQ(threshold_text(row, changed), other);
    for (const ThresholdFacts& another : kThresholds) {
      if (another.name == row.name) continue;
      EXPECT_EQ(threshold_text(another, changed), threshold_text(another, Thresholds{}))
          << row.name << " changes " << another.name;
    }
    ASSERT_TRUE(set_threshold(changed, row.name, threshold_text(row, Thresholds{})));
    EXPECT_EQ(changed, Thresholds{}) << row.name;
  }
}

TEST(Thresholds, RefuseWhatIsNoValue) {
  Thresholds t;
  const std::pair<const char*, const char*> refused[] = {
      {"early_wait", "5"},        {"early_wait", "0ms"},       {"early_wait", "-1ms"},      {"early_wait", "1 year"},
      {"early_wait", "1e9s"},     {"burst_packets", "0"},      {"burst_packets", "1.5"},    {"burst_packets", "-3"},
      {"burst_packets", "1e99"},  {"rnr_stall_share", "1.01"}, {"rnr_stall_share", "101%"}, {"rnr_stall_share", "%"},
      {"waste_ratio", "0"},       {"waste_ratio", "nan"},      {"waste_ratio", ""},         {"no_such", "1"},
      {"low_completeness", "inf"}};
  for (const auto& [name, value] : refused) EXPECT_FALSE(set_threshold(t, name, value)) << name << "=" << value;
  EXPECT_EQ(t, Thresholds{});
}

TEST(Thresholds, AreReadFromAFile) {
  Thresholds t;
  ASSERT_TRUE(read_thresholds(t, "# mine\n\nearly_wait = 500us  # short\r\n  burst_packets=3"));
  EXPECT_EQ(t.early_wait, microseconds(500));
  EXPECT_EQ(t.burst_packets, 3U);
  const auto bad = read_thresholds(t, "early_wait = 1ms\nburst_packets 4\n");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("line 2"), std::string::npos) << bad.error().message;
}

TEST(RuleBook, NamesRulesOnceAndThresholdsThatExist) {
  std::set<std::string_view> ids;
  std::set<std::string_view> used = {"rtt_target"};  // of the report
  for (const RuleFacts& rule : kRuleBook) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_LE(rule.least, rule.worst) << rule.id;
    EXPECT_FALSE(rule.fires.empty() || rule.silent.empty() || rule.next.empty()) << rule.id;
    for (const std::string_view name : rule.thresholds) {
      if (name.empty()) continue;
      EXPECT_NE(find_threshold(name), nullptr) << rule.id << " names " << name;
      used.insert(name);
    }
  }
  for (const ThresholdFacts& row : kThresholds) EXPECT_TRUE(used.count(row.name)) << row.name << ": no rule uses it";
}

}  // namespace
}  // namespace rocetop::verdict
