// SPDX-License-Identifier: BSD-3-Clause
#include "present/host_counter_page.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace rocetop::present {
namespace {

/// After a change of the table: ROCETOP_ACCEPT=1 unit_present --gtest_filter='HostCounterPage*'.
TEST(HostCounterPage, IsTheOneInDocs) {
  const std::string path = std::string(ROCETOP_DOCS) + "/host-counters.md";
  const std::string page = host_counter_page();
  if (std::getenv("ROCETOP_ACCEPT") != nullptr) std::ofstream(path) << page;  // NOLINT(concurrency-mt-unsafe)
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), page);
}

}  // namespace
}  // namespace rocetop::present
