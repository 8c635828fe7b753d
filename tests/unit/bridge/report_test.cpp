// SPDX-License-Identifier: BSD-3-Clause
// The plugin's report: the words of triage, of all connections or of those that a display filter chose.
#include "report.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "generate/scenario.h"

namespace rocetop {
namespace {

struct Free {
  void operator()(roce_analysis* analysis) const { roce_free(analysis); }
};
using Analysis = std::unique_ptr<roce_analysis, Free>;

Analysis analyse(const std::string& scenario) {
  roce_options options = {};
  options.max_frames = 1'000;
  Analysis analysis(roce_begin(&options));
  auto frames = generate::run_scenario(scenario);
  EXPECT_TRUE(frames) << scenario;
  std::uint32_t number = 0;
  for (const auto& from : *frames) {
    roce_frame frame = {};
    frame.bytes = from.bytes.data();
    frame.captured_length = frame.wire_length = static_cast<std::uint32_t>(from.bytes.size());
    frame.number = ++number;
    frame.link_type = 1;
    frame.has_time = true;
    frame.time_ns = from.time.count;
    roce_feed(analysis.get(), &frame);
  }
  return analysis;
}

roce_report_options options_of(roce_report_what what) {
  roce_report_options options = {};
  options.what = what;
  options.width = 200;
  return options;
}

std::string report(roce_analysis* analysis, const roce_report_options& options) {
  const std::unique_ptr<char, void (*)(char*)> text(roce_report(analysis, &options), roce_free_text);
  return text == nullptr ? "(none)" : text.get();
}

constexpr const char* kLoss = "W 100-103 | drop 102 | NAK 102 | W 102-103 | ACK 103";

TEST(Report, SaysFirstThatItIsOfWhatWiresharkHandedOver) {
  const Analysis analysis = analyse(kLoss);
  roce_end(analysis.get());
  const std::string text = report(analysis.get(), options_of(ROCE_REPORT_TEXT));
  EXPECT_EQ(text.find("rocetop's analysis of the frames that Wireshark handed over"), 0U) << text;
  EXPECT_NE(text.find("1 packet lost before the capture point"), std::string::npos) << text;
  EXPECT_EQ(text.find("showing only"), std::string::npos) << text;
}

TEST(Report, IsOfNowUntilTheEndAndOfTheEndAfterIt) {
  // The resend may go on: until the end it is in no count.
  const Analysis analysis = analyse("W 100-103 | drop 102 | NAK 102 | W 102");
  const auto told = [&] {
    return report(analysis.get(), options_of(ROCE_REPORT_TEXT)).find("rule retransmit.nak") != std::string::npos ||
           report(analysis.get(), options_of(ROCE_REPORT_TEXT)).find("went back once") != std::string::npos;
  };
  EXPECT_FALSE(told());
  EXPECT_FALSE(told()) << "to ask ends nothing";
  roce_end(analysis.get());
  EXPECT_TRUE(told()) << report(analysis.get(), options_of(ROCE_REPORT_TEXT));
  EXPECT_TRUE(told());
}

TEST(Report, AFilterChoosesConnections) {
  const Analysis analysis = analyse(kLoss);
  roce_end(analysis.get());
  roce_report_options options = options_of(ROCE_REPORT_TEXT);
  options.selection = "roce.qp == 18";
  EXPECT_NE(report(analysis.get(), options).find("match 'roce.qp == 18': 0 of 1 connection"), std::string::npos);
  const std::uint32_t streams[] = {1, 77};
  options.streams = streams;
  options.stream_count = 2;
  EXPECT_NE(report(analysis.get(), options).find("match 'roce.qp == 18': 1 of 1 connection"), std::string::npos);
  options.what = ROCE_REPORT_TABLE;
  EXPECT_NE(report(analysis.get(), options).find("qp 18"), std::string::npos);
}

TEST(Report, NoFilterCanWriteToATerminalWhatMovesItsCursor) {
  const Analysis analysis = analyse(kLoss);
  roce_report_options options = options_of(ROCE_REPORT_TEXT);
  options.selection = "frame contains \x1b[2J";
  EXPECT_EQ(report(analysis.get(), options).find('\x1b'), std::string::npos);
}

TEST(Report, OfNothingIsASentence) {
  EXPECT_NE(report(nullptr, options_of(ROCE_REPORT_TEXT)).find("no analysis of RoCE"), std::string::npos);
  const Analysis nothing = analyse("");
  EXPECT_NE(report(nothing.get(), options_of(ROCE_REPORT_TEXT)).find("0 frames"), std::string::npos)
      << report(nothing.get(), options_of(ROCE_REPORT_TEXT));
  EXPECT_EQ(report(nothing.get(), options_of(ROCE_REPORT_TABLE)).find("(none)"), std::string::npos);
}

TEST(Report, TakesAnyWidth) {
  const Analysis analysis = analyse(kLoss);
  roce_report_options options = options_of(ROCE_REPORT_TEXT);
  for (const std::uint32_t width : {0U, 1U, 39U, 40U, 1'000U}) {
    options.width = width;
    options.unicode = width % 2 == 0;
    EXPECT_GT(report(analysis.get(), options).size(), 100U) << width;
  }
}

}  // namespace
}  // namespace rocetop
