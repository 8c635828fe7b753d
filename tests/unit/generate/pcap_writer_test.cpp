// SPDX-License-Identifier: BSD-3-Clause
#include "generate/pcap_writer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace rocetop::generate {
namespace {

TEST(PcapBytes, IsALittleEndianNanosecondFile) {
  const std::vector<TimedFrame> frames{{Nanos{3'000'000'007}, {0xAA, 0xBB}}, {Nanos{4}, {0xCC, 0xDD, 0xEE}}};
  const std::vector<std::uint8_t> expected{
      0x4D, 0x3C, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,    0,    0, 0, 1, 0, 0, 0,  //
      3,    0,    0,    0,    7, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0xAA, 0xBB,                    //
      0,    0,    0,    0,    4, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0xCC, 0xDD,  // cut by the snap length
  };
  EXPECT_EQ(pcap_bytes(frames, 2), expected);
}

TEST(WritePcap, WritesTheSameBytes) {
  const std::string path = testing::TempDir() + "/rocetop_pcap_writer_test.pcap";
  const std::vector<TimedFrame> frames{{Nanos{1}, {1, 2, 3}}};
  ASSERT_TRUE(write_pcap(path, frames));
  std::ifstream file(path, std::ios::binary);
  const std::vector<std::uint8_t> read{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(read, pcap_bytes(frames));
}

TEST(WritePcap, SaysWhichFileItCannotWrite) {
  const auto result = write_pcap("/nonexistent/x.pcap", {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message.find("/nonexistent/x.pcap"), 0U) << result.error().message;
}

}  // namespace
}  // namespace rocetop::generate
