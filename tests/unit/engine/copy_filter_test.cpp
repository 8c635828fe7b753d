// SPDX-License-Identifier: BSD-3-Clause
#include "engine/copy_filter.h"

#include <gtest/gtest.h>

#include "engine/analysis.h"

namespace rocetop::engine {
namespace {

using Buffer = std::vector<std::uint8_t>;

source::Frame frame_of(const Buffer& bytes, Nanos time, std::uint32_t interface,
                       LinkType link_type = LinkType::kEthernet, std::uint32_t file = 0) {
  source::Frame frame;
  frame.id = FrameId(file, 1);
  frame.bytes = bytes;
  frame.wire_length = 1'000;
  frame.time = time;
  frame.interface = interface;
  frame.link_type = link_type;
  return frame;
}

/// A cooked frame: 0 received, 4 sent.
Buffer sll(std::uint8_t type, const Buffer& payload) {
  Buffer out = {0, type, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0, 0x08, 0x00};
  out.insert(out.end(), payload.begin(), payload.end());
  return out;
}
Buffer sll2(std::uint8_t interface, const Buffer& payload) {
  Buffer out = {0x08, 0, 0, 0, 0, 0, 0, interface, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0};
  out.insert(out.end(), payload.begin(), payload.end());
  return out;
}

const Buffer kPacket(90, 7);
const Nanos kTime = seconds(1'700'000'000);

TEST(CopyFilter, IsTheSameOnAnotherInterfaceAtOnce) {
  CopyFilter filter;
  EXPECT_FALSE(static_cast<bool>(filter.original_of(frame_of(kPacket, kTime, 0))));
  EXPECT_TRUE(static_cast<bool>(filter.original_of(frame_of(kPacket, kTime + microseconds(3), 1))));
  EXPECT_TRUE(static_cast<bool>(filter.original_of(frame_of(kPacket, kTime + microseconds(4), 2))));
  EXPECT_FALSE(static_cast<bool>(filter.original_of(frame_of(kPacket, kTime + microseconds(5), 0))))
      << "sent again, or the network's copy";
  EXPECT_FALSE(static_cast<bool>(filter.original_of(frame_of(kPacket, kTime + milliseconds(1), 1)))) << "too late";
}

TEST(CopyFilter, NamesTheFrameThatWasFirst) {
  CopyFilter filter;
  source::Frame first = frame_of(kPacket, kTime, 0);
  first.id = FrameId(0, 41);
  filter.original_of(first);
  EXPECT_EQ(filter.original_of(frame_of(kPacket, kTime + microseconds(3), 1)), FrameId(0, 41));
  EXPECT_EQ(filter.original_of(frame_of(kPacket, kTime + microseconds(4), 2)), FrameId(0, 41));
}

TEST(CopyFilter, PausesOfTwoLinksAreTwo) {
  Buffer pause(60, 0);
  pause[12] = 0x88;
  pause[13] = 0x08;
  EXPECT_FALSE(CopyFilter::may_be_copy(frame_of(pause, kTime, 0), 2));
  EXPECT_TRUE(CopyFilter::may_be_copy(frame_of(kPacket, kTime, 0), 2));
}

/// One batch of two interfaces.
class TwoPorts final : public source::FrameSource {
 public:
  explicit TwoPorts(std::vector<source::Frame> frames) : frames_(std::move(frames)), interfaces_(2) {}
  bool next_batch(std::vector<source::Frame>& batch) override {
    batch = std::exchange(frames_, {});
    return !batch.empty();
  }
  const std::vector<source::InterfaceFacts>& interfaces() const override { return interfaces_; }
  const std::vector<source::Problem>& problems() const override { return problems_; }
  std::uint64_t bytes_read() const override { return 0; }
  std::optional<std::uint64_t> bytes_total() const override { return std::nullopt; }

 private:
  std::vector<source::Frame> frames_;
  std::vector<source::InterfaceFacts> interfaces_;
  std::vector<source::Problem> problems_;
};

TEST(CopyFilter, SeesEveryBatchWhateverItBeginsWith) {
  Buffer pause(60, 0);
  pause[12] = 0x88;
  pause[13] = 0x08;
  TwoPorts source(
      {frame_of(pause, kTime, 0), frame_of(kPacket, kTime, 0), frame_of(kPacket, kTime + microseconds(3), 1)});
  auto analysis = Analysis::create({});
  ASSERT_TRUE(analysis);
  (*analysis)->run(source, {}, {}, nullptr);
  EXPECT_EQ((*analysis)->finish().capture.duplicated_frames, 1U);
}

TEST(CopyFilter, OtherBytesLengthsAndFilesAreOthers) {
  CopyFilter filter;
  EXPECT_FALSE(static_cast<bool>(filter.original_of(frame_of(kPacket, kTime, 0))));
  Buffer other = kPacket;
  other.back() = 8;
  EXPECT_FALSE(static_cast<bool>(filter.original_of(frame_of(other, kTime, 1))));
  auto longer = frame_of(kPacket, kTime, 1);
  longer.wire_length += 1;
  EXPECT_FALSE(static_cast<bool>(filter.original_of(longer)));
  EXPECT_FALSE(static_cast<bool>(filter.original_of(frame_of(kPacket, kTime, 1, LinkType::kEthernet, 1))));
}

TEST(CopyFilter, CookedFramesSayWhereTheyCame) {
  CopyFilter filter;
  const auto is_copy = [&](const Buffer& bytes, LinkType type) {
    return filter.original_of(frame_of(bytes, kTime, 0, type));
  };
  EXPECT_FALSE(is_copy(sll(4, kPacket), LinkType::kLinuxSll));
  EXPECT_TRUE(is_copy(sll(0, kPacket), LinkType::kLinuxSll));
  EXPECT_FALSE(is_copy(sll2(7, kPacket), LinkType::kLinuxSll2));
  EXPECT_TRUE(is_copy(sll2(8, kPacket), LinkType::kLinuxSll2));
  EXPECT_FALSE(is_copy(sll2(7, kPacket), LinkType::kLinuxSll2));
}

TEST(CopyFilter, OneEthernetInterfaceHoldsNone) {
  EXPECT_FALSE(CopyFilter::may_be_copy(frame_of(kPacket, kTime, 0), 1));
  EXPECT_TRUE(CopyFilter::may_be_copy(frame_of(kPacket, kTime, 0), 2));
  EXPECT_TRUE(CopyFilter::may_be_copy(frame_of(kPacket, kTime, 0, LinkType::kLinuxSll2), 1));
}

TEST(CopyFilter, TakesShortFrames) {
  CopyFilter filter;
  for (std::size_t size = 0; size < 40; ++size) {
    for (const LinkType type : {LinkType::kEthernet, LinkType::kLinuxSll, LinkType::kLinuxSll2}) {
      const Buffer bytes(size, 1);
      EXPECT_FALSE(filter.original_of(frame_of(bytes, kTime + seconds(static_cast<std::int64_t>(size)), 0, type)));
    }
  }
}

}  // namespace
}  // namespace rocetop::engine
