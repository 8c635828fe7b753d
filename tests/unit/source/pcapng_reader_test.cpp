// SPDX-License-Identifier: BSD-3-Clause
#include "source/pcapng_reader.h"

#include <gtest/gtest.h>

#include "capture_bytes.h"

namespace rocetop::source {
namespace {

using test::Buffer;
using test::payload;
using test::PcapngFile;
using test::read_bytes;
using test::Reading;
using test::Writer;

constexpr std::int64_t kSecond = 1'000'000'000;

Buffer join(const Buffer& a, const Buffer& b) { return Writer().raw(a).raw(b).bytes(); }

/// The one problem of a reading, which must be fatal; its message.
std::string fatal_problem(const Reading& reading) {
  if (reading.problems.size() != 1 || !reading.problems[0].fatal) return "(not one fatal problem)";
  return reading.problems[0].message;
}

TEST(PcapngReader, ReadsBothByteOrders) {
  for (const bool big_endian : {false, true}) {
    PcapngFile file(big_endian);
    file.interface(1, 96).enhanced(0, 1'700'000'000'123'456, payload(61)).enhanced(0, 5, payload(96, 3), 1500);
    const Reading reading = read_bytes(file.bytes());
    ASSERT_EQ(reading.error, "");
    ASSERT_EQ(reading.frames.size(), 2u);
    EXPECT_EQ(reading.frames[0].frame.time.count, 1'700'000'000'123'456'000);
    EXPECT_EQ(reading.frames[0].bytes, payload(61));
    EXPECT_EQ(reading.frames[0].frame.id, FrameId(0, 1));
    EXPECT_EQ(reading.frames[1].frame.time.count, 5000);
    EXPECT_EQ(reading.frames[1].frame.wire_length, 1500u);
    EXPECT_EQ(reading.frames[1].bytes, payload(96, 3));
    ASSERT_EQ(reading.interfaces.size(), 1u);
    EXPECT_EQ(reading.interfaces[0].snap_length, 96u);
    EXPECT_EQ(reading.interfaces[0].ticks_per_second, 1'000'000u);
    EXPECT_TRUE(reading.problems.empty());
  }
}

TEST(PcapngReader, ReadsTheOptionsOfAnInterface) {
  for (const bool big_endian : {false, true}) {
    PcapngFile file(big_endian);
    Writer options(big_endian);
    options.raw(file.option(1, Writer().text("a comment").bytes()));
    options.raw(file.option(2, Writer().text("eth\x1b[0").bytes()));
    options.raw(file.option(8, Writer(big_endian).u64(100'000'000'000).bytes()));
    options.raw(file.option(9, {9}));
    options.raw(file.option(13, {4}));
    options.raw(file.option(14, Writer(big_endian).u64(1'000'000'000).bytes()));
    options.raw(file.option(0x7777, payload(11)));  // unknown
    options.raw(file.option(0, {}));
    options.raw(file.option(2, Writer().text("after the end").bytes()));
    file.interface(1, 0, options.bytes()).enhanced(0, 77, payload(10));
    const Reading reading = read_bytes(file.bytes());
    ASSERT_EQ(reading.frames.size(), 1u);
    EXPECT_EQ(reading.frames[0].frame.time.count, 1'000'000'000 * kSecond + 77);
    const InterfaceFacts& facts = reading.interfaces.at(0);
    EXPECT_EQ(facts.name, "eth\x1b[0");  // untrusted text: whoever shows it must quote it
    EXPECT_EQ(facts.speed_bits_per_second, 100'000'000'000u);
    EXPECT_EQ(facts.ticks_per_second, 1'000'000'000u);
    EXPECT_EQ(facts.fcs_bytes, 4);
    EXPECT_TRUE(reading.problems.empty());
  }
}

TEST(PcapngReader, NegativeTimeOffset) {
  PcapngFile file;
  file.interface(1, 0, file.option(14, Writer().u64(static_cast<std::uint64_t>(-3600)).bytes()));
  file.enhanced(0, 4'000'000'000, payload(1));
  EXPECT_EQ(read_bytes(file.bytes()).frames.at(0).frame.time.count, 400 * kSecond);
}

TEST(PcapngReader, AStampBeyondTheYearsThatFitIsNone) {
  PcapngFile file;
  file.interface(1).enhanced(0, 5'000'000, payload(8)).enhanced(0, 20'000'000'000'000'000, payload(8));
  const Reading reading = read_bytes(file.bytes());
  ASSERT_EQ(reading.frames.size(), 2u);
  EXPECT_FALSE(reading.frames[1].frame.has_time);
  EXPECT_EQ(reading.frames[1].frame.time.count, 5 * kSecond);  // the last one known
}

TEST(PcapngReader, SeveralInterfacesKeepTheirLinkTypesAndClocks) {
  PcapngFile file;
  file.interface(1).interface(101, 0, file.option(9, {9})).interface(276, 0, file.option(9, {0x80 | 10}));
  file.enhanced(2, 1024, payload(30)).enhanced(0, 2'000'000, payload(31)).enhanced(1, 3'000'000'000, payload(32));
  const Reading reading = read_bytes(file.bytes());
  ASSERT_EQ(reading.frames.size(), 3u);
  EXPECT_EQ(reading.frames[0].frame.link_type, LinkType::kLinuxSll2);
  EXPECT_EQ(reading.frames[0].frame.interface, 2u);
  EXPECT_EQ(reading.frames[0].frame.time.count, 1 * kSecond);
  EXPECT_EQ(reading.frames[1].frame.link_type, LinkType::kEthernet);
  EXPECT_EQ(reading.frames[1].frame.time.count, 2 * kSecond);
  EXPECT_EQ(reading.frames[2].frame.link_type, LinkType::kRaw);
  EXPECT_EQ(reading.frames[2].frame.time.count, 3 * kSecond);
  EXPECT_EQ(reading.interfaces.at(2).ticks_per_second, 1024u);
}

TEST(PcapngReader, EachSectionHasItsByteOrderAndItsInterfaces) {
  PcapngFile file(false);
  file.interface(1).enhanced(0, 1, payload(10));
  file.section(true).interface(101).interface(1).enhanced(1, 2, payload(11));
  file.section(false).interface(113).enhanced(0, 3, payload(12));
  const Reading reading = read_bytes(file.bytes());
  ASSERT_EQ(reading.frames.size(), 3u);
  EXPECT_EQ(reading.frames[0].frame.interface, 0u);
  EXPECT_EQ(reading.frames[1].frame.interface, 2u);
  EXPECT_EQ(reading.frames[1].frame.link_type, LinkType::kEthernet);
  EXPECT_EQ(reading.frames[2].frame.interface, 3u);
  EXPECT_EQ(reading.frames[2].frame.link_type, LinkType::kLinuxSll);
  EXPECT_EQ(reading.frames[2].frame.id, FrameId(0, 3));  // frames are counted across sections
  EXPECT_EQ(reading.interfaces.size(), 4u);
}

TEST(PcapngReader, ASectionForgetsTheInterfacesOfTheOneBefore) {
  PcapngFile file;
  file.interface().enhanced(0, 1, payload(10)).section().enhanced(0, 2, payload(10));
  const Reading reading = read_bytes(file.bytes());
  EXPECT_EQ(reading.frames.size(), 1u);
  EXPECT_NE(fatal_problem(reading).find("a packet names interface 0, which the section does not describe"),
            std::string::npos);
}

TEST(PcapngReader, SimplePacketsHaveNoStampAndEndAtTheSnapLength) {
  PcapngFile file;
  file.interface(1, 20).enhanced(0, 5'000'000, payload(8));
  file.simple(1500, payload(20)).simple(13, payload(13, 4));
  const Reading reading = read_bytes(file.bytes());
  ASSERT_EQ(reading.frames.size(), 3u);
  EXPECT_TRUE(reading.frames[0].frame.has_time);
  EXPECT_FALSE(reading.frames[1].frame.has_time);
  EXPECT_EQ(reading.frames[1].frame.time.count, 5 * kSecond);  // the last one known
  EXPECT_EQ(reading.frames[1].frame.wire_length, 1500u);
  EXPECT_EQ(reading.frames[1].bytes, payload(20));
  EXPECT_EQ(reading.frames[2].bytes, payload(13, 4));
}

TEST(PcapngReader, SimplePacketsNeverReachBeyondTheirBlock) {
  PcapngFile file;
  file.interface(1, 0).simple(1500, payload(20));
  const Reading reading = read_bytes(file.bytes());
  ASSERT_EQ(reading.frames.size(), 1u);
  EXPECT_EQ(reading.frames[0].bytes, payload(20));
}

TEST(PcapngReader, SimplePacketWithoutAnInterface) {
  EXPECT_EQ(fatal_problem(read_bytes(PcapngFile().simple(20, payload(20)).bytes())),
            "FILE: at byte 28: a packet names interface 0, which the section does not describe");
}

TEST(PcapngReader, ReadsTheObsoletePacketBlock) {
  for (const bool big_endian : {false, true}) {
    PcapngFile file(big_endian);
    file.interface().interface(101).obsolete(1, 1'000'007, payload(21), 900);
    const Reading reading = read_bytes(file.bytes());
    ASSERT_EQ(reading.frames.size(), 1u);
    EXPECT_EQ(reading.frames[0].frame.link_type, LinkType::kRaw);
    EXPECT_EQ(reading.frames[0].frame.time.count, 1'000'007'000);
    EXPECT_EQ(reading.frames[0].frame.wire_length, 900u);
    EXPECT_EQ(reading.frames[0].bytes, payload(21));
  }
}

TEST(PcapngReader, SumsTheDropsOfAnInterface) {
  PcapngFile file;
  file.interface().interface().interface();
  const auto drops = [&](std::uint16_t code, std::uint64_t count) {
    return file.option(code, Writer().u64(count).bytes());
  };
  file.statistics(0, join(drops(5, 1), drops(7, 1)));
  file.statistics(0, join(join(drops(4, 1000), drops(5, 10)), join(drops(7, 3), file.option(0, {}))));
  file.statistics(1, join(drops(5, ~std::uint64_t{0}), drops(7, 3)));
  file.statistics(2, drops(4, 1000));
  const Reading reading = read_bytes(file.bytes());
  ASSERT_EQ(reading.interfaces.size(), 3u);
  EXPECT_EQ(reading.interfaces[0].frames_dropped, 13u);  // the later block counts from the beginning, too
  EXPECT_EQ(reading.interfaces[1].frames_dropped, ~std::uint64_t{0});
  EXPECT_EQ(reading.interfaces[2].frames_dropped, std::nullopt);  // not said is not zero
}

TEST(PcapngReader, StatisticsOfAnUnknownInterfaceAreARemark) {
  const Reading reading = read_bytes(PcapngFile().interface().statistics(5, {}).enhanced(0, 1, payload(4)).bytes());
  EXPECT_EQ(reading.frames.size(), 1u);
  ASSERT_EQ(reading.problems.size(), 1u);
  EXPECT_FALSE(reading.problems[0].fatal);
}

TEST(PcapngReader, PassesOverBlocksItDoesNotKnow) {
  PcapngFile file;
  file.interface().block(4, payload(40)).block(0x0BAD, payload(64)).block(0x40000BAD, payload(4)).block(0x80000001, {});
  file.enhanced(0, 1, payload(33), 33, file.option(1, Writer().text("comment").bytes()));
  file.block(10, payload(3'000'000)).enhanced(0, 2, payload(34));
  for (const std::size_t chunk : {0, 5000}) {
    const Reading reading = read_bytes(file.bytes(), chunk);
    ASSERT_EQ(reading.frames.size(), 2u);
    EXPECT_EQ(reading.frames[0].bytes, payload(33));
    EXPECT_EQ(reading.frames[1].bytes, payload(34));
    EXPECT_TRUE(reading.problems.empty());
  }
}

TEST(PcapngReader, ComparesTheTwoLengthsOfAHugeBlockToo) {
  PcapngFile file;
  file.interface().block(10, payload(3'000'000));
  Buffer bytes = file.bytes();
  bytes[bytes.size() - 2] ^= 1;
  EXPECT_EQ(fatal_problem(read_bytes(bytes)),
            "FILE: at byte " + std::to_string(bytes.size() - 4) + ": the two lengths of a block differ");
}

TEST(PcapngReader, DeliversTheFrontOfAnEnormousPacket) {
  PcapngFile file;
  file.interface().enhanced(0, 1, payload(1'000'000)).enhanced(0, 2, payload(10));
  const Reading reading = read_bytes(file.bytes());
  ASSERT_EQ(reading.frames.size(), 2u);
  EXPECT_EQ(reading.frames[0].bytes.size(), kLongestFrame);
  EXPECT_EQ(reading.frames[0].frame.wire_length, 1'000'000u);
  EXPECT_TRUE(reading.problems.empty());
}

TEST(PcapngReader, RefusesABlockWhoseLengthsDiffer) {
  PcapngFile file;
  file.interface().enhanced(0, 1, payload(40));
  const std::size_t offset = file.bytes().size();
  file.enhanced(0, 2, payload(40));
  Buffer bytes = file.bytes();
  bytes[bytes.size() - 4] ^= 4;
  const Reading reading = read_bytes(bytes);
  EXPECT_EQ(reading.frames.size(), 1u);
  EXPECT_EQ(fatal_problem(reading), "FILE: at byte " + std::to_string(offset) + ": the two lengths of a block differ");
}

TEST(PcapngReader, RefusesImpossibleBlockLengths) {
  for (const std::uint32_t length : {0u, 4u, 8u, 11u, 13u, 31u, 0x10000000u, 0xFFFFFFFCu}) {
    PcapngFile file;
    file.interface().enhanced(0, 1, payload(40));
    const std::size_t offset = file.bytes().size();
    file.writer().u32(6).u32(length).raw(payload(100));
    const Reading reading = read_bytes(file.bytes());
    EXPECT_EQ(reading.frames.size(), 1u);
    EXPECT_EQ(fatal_problem(reading), "FILE: at byte " + std::to_string(offset) + ": a block claims a length of " +
                                          std::to_string(length) + " bytes");
  }
}

TEST(PcapngReader, RefusesBlocksTooShortForTheirFields) {
  const std::pair<std::uint32_t, std::size_t> cases[] = {{1, 4}, {2, 16}, {3, 0}, {5, 8}, {6, 16}};
  for (const auto& [type, length] : cases) {
    const Reading reading = read_bytes(PcapngFile().interface().block(type, payload(length)).bytes());
    EXPECT_NE(fatal_problem(reading).find("too short"), std::string::npos) << type;
  }
}

TEST(PcapngReader, RefusesACapturedLengthBeyondTheBlock) {
  for (const std::uint32_t captured : {45u, 48u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
    PcapngFile file;
    file.interface();
    Writer body;
    body.u32(0).u32(0).u32(1).u32(captured).u32(captured).raw(payload(44));
    const Reading reading = read_bytes(file.block(6, body.bytes()).bytes());
    EXPECT_TRUE(reading.frames.empty());
    EXPECT_NE(fatal_problem(reading).find("does not fit into its block"), std::string::npos);
  }
}

TEST(PcapngReader, RefusesAnUnknownInterface) {
  PcapngFile file;
  file.interface().enhanced(0, 1, payload(8));
  const std::size_t offset = file.bytes().size();
  const Reading reading = read_bytes(file.enhanced(1, 2, payload(8)).bytes());
  EXPECT_EQ(reading.frames.size(), 1u);
  EXPECT_EQ(fatal_problem(reading), "FILE: at byte " + std::to_string(offset) +
                                        ": a packet names interface 1, which the section does not describe");
}

TEST(PcapngReader, RefusesABadSectionHeader) {
  Buffer magic = PcapngFile().bytes();
  magic[8] ^= 1;
  EXPECT_EQ(read_bytes(magic).error, "FILE: at byte 0: the byte-order magic of a section header is wrong");
  Buffer version = PcapngFile().bytes();
  version[12] = 2;
  EXPECT_EQ(read_bytes(version).error, "FILE: at byte 0: version 2.0 of the pcapng format is not known");
  PcapngFile later;
  later.interface().enhanced(0, 1, payload(8));
  const Reading reading = read_bytes(later.block(0x0A0D0D0A, payload(16)).bytes());
  EXPECT_EQ(reading.frames.size(), 1u);
  EXPECT_NE(fatal_problem(reading).find("byte-order magic"), std::string::npos);
}

TEST(PcapngReader, MalformedOptionsAreARemark) {
  PcapngFile file;
  file.interface(1, 0, join(file.option(9, {9}), Writer().u16(2).u16(500).text("eth0").bytes()));
  file.interface(1, 0, file.option(9, {9, 9, 9}));  // if_tsresol has one byte
  file.enhanced(0, 7, payload(8));
  const Reading reading = read_bytes(file.bytes());
  ASSERT_EQ(reading.frames.size(), 1u);
  EXPECT_EQ(reading.frames[0].frame.time.count, 7);  // what came before the bad option counts
  ASSERT_EQ(reading.problems.size(), 1u);            // once a file
  EXPECT_FALSE(reading.problems[0].fatal);
  EXPECT_NE(reading.problems[0].message.find("FILE: at byte 28: options of the block are malformed"),
            std::string::npos);
}

TEST(PcapngReader, HasALimitOfInterfaces) {
  PcapngFile file;
  for (int i = 0; i < 16'385; ++i) file.interface();
  const Reading reading = read_bytes(file.bytes());
  EXPECT_EQ(reading.interfaces.size(), 16'384u);
  EXPECT_NE(fatal_problem(reading).find("rocetop reads no more than 16,384"), std::string::npos);
  EXPECT_TRUE(reading.problems.back().limit);  // nothing is wrong with the file
  EXPECT_EQ(reading.problems.back().hint.find("damaged"), std::string::npos);
}

TEST(PcapngReader, CutOffAnywhereIsARemarkAndKeepsWhatWasWhole) {
  PcapngFile file;
  std::vector<std::size_t> ends{0, file.bytes().size()};
  file.interface();
  ends.push_back(file.bytes().size());
  file.enhanced(0, 1, payload(30));
  ends.push_back(file.bytes().size());
  file.enhanced(0, 2, payload(50));
  const Buffer& whole = file.bytes();
  for (std::size_t length = 4; length < whole.size(); ++length) {
    const Reading reading = read_bytes(Buffer(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
    ASSERT_EQ(reading.error, "") << length;
    EXPECT_EQ(reading.frames.size(), length >= ends[3] ? 1u : 0u) << length;
    const auto next = std::upper_bound(ends.begin(), ends.end(), length);
    const std::size_t begin = *(next - 1);
    if (begin == length) {
      EXPECT_TRUE(reading.problems.empty()) << length;
      continue;
    }
    ASSERT_EQ(reading.problems.size(), 1u) << length;
    EXPECT_FALSE(reading.problems[0].fatal) << length;
    EXPECT_EQ(reading.problems[0].message, "FILE: cut off in the last block at byte " + std::to_string(begin) +
                                               ", after " + std::to_string(length - begin) + " bytes of it");
  }
}

TEST(PcapngReader, AnyChunkingGivesTheSameFrames) {
  PcapngFile file;
  file.interface(1, 40);
  for (std::uint32_t i = 0; i < 40; ++i) file.enhanced(0, i, payload(i)).simple(i, payload(i)).block(77, payload(i));
  for (const std::size_t chunk : {1, 3, 28, 61}) {
    const Reading reading = read_bytes(file.bytes(), chunk);
    ASSERT_EQ(reading.frames.size(), 80u) << chunk;
    for (std::uint32_t i = 0; i < 80; ++i) EXPECT_EQ(reading.frames[i].bytes, payload(i / 2)) << chunk;
  }
}

}  // namespace
}  // namespace rocetop::source
