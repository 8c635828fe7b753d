// SPDX-License-Identifier: BSD-3-Clause
#include "live_input.h"

#include <gtest/gtest.h>

#include "privileges.h"

namespace rocetop::cli {
namespace {

TEST(Speed, IsAFactorOrMax) {
  EXPECT_EQ(parse_speed("max").value(), 0.0);
  EXPECT_EQ(parse_speed("1").value(), 1.0);
  EXPECT_EQ(parse_speed("10x").value(), 10.0);
  EXPECT_EQ(parse_speed("0.5").value(), 0.5);
  for (const char* wrong : {"", "0", "-1", "x", "1e9", "nan", "inf", "1xx", "fast"}) {
    EXPECT_FALSE(parse_speed(wrong)) << wrong;
  }
}

TEST(LiveFilter, IsGivenOnce) {
  Words words;
  EXPECT_EQ(filter_of(words).value(), "");
  words.plain = {"host", "192.0.2.1"};
  EXPECT_EQ(filter_of(words).value(), "host 192.0.2.1");
  words.filter_option = "udp";
  EXPECT_FALSE(filter_of(words));
  words.plain.clear();
  EXPECT_EQ(filter_of(words).value(), "udp");
  words.filter_option.clear();
  words.after_dashes = {"not", "port", "1"};
  EXPECT_EQ(filter_of(words).value(), "not port 1");
}

TEST(LiveInput, ReadsOrWatches) {
  LiveInputOptions options;
  options.interfaces = {"eth0"};
  options.files = {"x.pcap"};
  EXPECT_FALSE(open_live_input(options, "live"));
}

TEST(Privileges, WhoeverCalledSudoElseNobody) {
  EXPECT_EQ(user_behind_sudo("1000", "1001").uid, 1000U);
  EXPECT_EQ(user_behind_sudo("1000", "1001").gid, 1001U);
  for (const char* wrong : {static_cast<const char*>(nullptr), "", "0", "-1", "1000x", "99999999999"}) {
    EXPECT_EQ(user_behind_sudo(wrong, "1001").uid, 65534U) << (wrong ? wrong : "none");
    EXPECT_EQ(user_behind_sudo(wrong, "1001").gid, 65534U);
  }
  EXPECT_EQ(user_behind_sudo("1000", nullptr).uid, 65534U);
}

TEST(Privileges, AMissingRightIsExplainedByCommands) {
  const Error error = explain_missing_right({"eth0: cannot be captured", ""}, "/opt/rocetop", "live -i eth0");
  EXPECT_EQ(error.message, "eth0: cannot be captured");
  EXPECT_NE(error.hint.find("sudo setcap cap_net_raw+ep /opt/rocetop"), std::string::npos);
  EXPECT_NE(error.hint.find("sudo /opt/rocetop live -i eth0"), std::string::npos);
}

}  // namespace
}  // namespace rocetop::cli
