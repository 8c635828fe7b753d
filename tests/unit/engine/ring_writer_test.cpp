// SPDX-License-Identifier: BSD-3-Clause
#include "engine/ring_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace rocetop::engine {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string pattern = testing::TempDir() + "ring-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(path_)) out.push_back(entry.path().filename().string());
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  std::string path_;
};

struct Read {
  std::uint32_t interface;
  LinkType link_type;
  Nanos time;
  std::uint32_t wire_length;
  std::vector<std::uint8_t> bytes;
  friend bool operator==(const Read&, const Read&) = default;
};

std::vector<Read> read_back(const std::string& path, std::vector<source::InterfaceFacts>* interfaces = nullptr) {
  std::vector<Read> out;
  auto capture = source::open_capture(path);
  EXPECT_TRUE(capture) << path;
  if (!capture) return out;
  std::vector<source::Frame> batch;
  while ((*capture)->next_batch(batch)) {
    for (const auto& f : batch) {
      out.push_back({f.interface, f.link_type, f.time, f.wire_length, {f.bytes.begin(), f.bytes.end()}});
    }
  }
  EXPECT_TRUE((*capture)->problems().empty()) << path;
  if (interfaces) *interfaces = (*capture)->interfaces();
  return out;
}

/// Frame number n: n bytes of n, cut from twice as many.
struct Numbered {
  std::vector<std::uint8_t> bytes;
  source::Frame frame;
  explicit Numbered(std::uint32_t n, std::uint32_t interface = 0, LinkType type = LinkType::kEthernet)
      : bytes(n, static_cast<std::uint8_t>(n)) {
    frame.interface = interface;
    frame.link_type = type;
    frame.time = Nanos{1'700'000'000'000'000'000 + n};
    frame.wire_length = 2 * n;
    frame.bytes = bytes;
  }
  Read as_read() const { return {frame.interface, frame.link_type, frame.time, frame.wire_length, bytes}; }
};

source::InterfaceFacts facts(const std::string& name) {
  source::InterfaceFacts out;
  out.name = name;
  out.snap_length = 256;
  return out;
}

TEST(RingWriter, WhatIsWrittenIsReadBack) {
  const Folder folder;
  auto writer = RingWriter::open({folder / "a.pcapng"});
  ASSERT_TRUE(writer);
  std::vector<Read> given;
  for (std::uint32_t n = 1; n < 300; ++n) {
    const bool other = n % 3 == 0;
    const Numbered numbered(n, other ? 1 : 0, other ? LinkType::kLinuxSll : LinkType::kEthernet);
    (*writer)->add(numbered.frame, facts(other ? "any" : "eth0"));
    if (n % 7 == 0) (*writer)->hand_over();
    given.push_back(numbered.as_read());
  }
  ASSERT_TRUE((*writer)->finish());
  std::vector<source::InterfaceFacts> interfaces;
  EXPECT_EQ(read_back(folder / "a.pcapng", &interfaces), given);
  ASSERT_EQ(interfaces.size(), 2U);
  EXPECT_EQ(interfaces[0].name, "eth0");
  EXPECT_EQ(interfaces[1].name, "any");
  EXPECT_EQ(interfaces[0].snap_length, 256U);
  EXPECT_EQ((*writer)->state().frames, 299U);
  EXPECT_EQ((*writer)->state().dropped, 0U);
}

TEST(RingWriter, AnInterfaceThatComesLaterKeepsItsName) {
  const Folder folder;
  auto writer = RingWriter::open({folder / "a.pcapng"});
  ASSERT_TRUE(writer);
  (*writer)->add(Numbered(5, 1).frame, facts("second"));
  (*writer)->add(Numbered(6, 0).frame, facts("first"));
  ASSERT_TRUE((*writer)->finish());
  std::vector<source::InterfaceFacts> interfaces;
  read_back(folder / "a.pcapng", &interfaces);
  ASSERT_EQ(interfaces.size(), 2U);  // in the order in which they had frames
  EXPECT_EQ(interfaces[0].name, "second");
  EXPECT_EQ(interfaces[1].name, "first");
}

void record_one(const RingOptions& options, std::uint32_t n) {
  auto writer = RingWriter::open(options);
  ASSERT_TRUE(writer) << writer.error().message;
  (*writer)->add(Numbered(n).frame, facts("eth0"));
  ASSERT_TRUE((*writer)->finish());
}

TEST(RingWriter, WhatExistsIsOverwrittenOnlyWhenAsked) {
  const Folder folder;
  record_one({folder / "a.pcapng"}, 5);
  const auto again = RingWriter::open({folder / "a.pcapng"});
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("a.pcapng exists"), std::string::npos);
  EXPECT_NE(again.error().hint.find("--overwrite"), std::string::npos);
  EXPECT_EQ(read_back(folder / "a.pcapng").at(0).bytes.size(), 5U);
  RingOptions options{folder / "a.pcapng"};
  options.overwrite = true;
  record_one(options, 6);
  EXPECT_EQ(read_back(folder / "a.pcapng").at(0).bytes.size(), 6U);
  record_one({"/dev/null"}, 5);  // is no file
}

TEST(RingWriter, ARingGoesOnBehindTheOneBefore) {
  const Folder folder;
  RingOptions options{folder / "a.pcapng", 10'000, 3};
  record_one(options, 5);
  record_one({folder / "a_00041.pcapng"}, 5);
  record_one({folder / "a_x.pcapng"}, 5);
  record_one({folder / "b_00077.pcapng"}, 5);
  record_one(options, 6);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a_00001.pcapng", "a_00041.pcapng", "a_00042.pcapng",
                                                      "a_x.pcapng", "b_00077.pcapng"}));
  options.overwrite = true;
  record_one(options, 7);
  EXPECT_EQ(read_back(folder / "a_00001.pcapng").at(0).bytes.size(), 7U);
  EXPECT_EQ(folder.names().size(), 5U);
}

TEST(RingWriter, ARingKeepsTheNewestFilesWhole) {
  const Folder folder;
  auto writer = RingWriter::open({folder / "a.b.pcapng", 10'000, 3});
  ASSERT_TRUE(writer);
  std::vector<Read> given;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const Numbered numbered(200 + i % 50);
    (*writer)->add(numbered.frame, facts("eth0"));
    (*writer)->hand_over();
    given.push_back(numbered.as_read());
  }
  ASSERT_TRUE((*writer)->finish());
  const auto names = folder.names();
  ASSERT_EQ(names.size(), 3U);
  EXPECT_EQ(names[0].rfind("a.b_000", 0), 0U) << names[0];
  std::vector<Read> kept;
  for (const std::string& name : names) {
    EXPECT_LE(fs::file_size(folder / name), 10'000U);
    const auto part = read_back(folder / name);
    kept.insert(kept.end(), part.begin(), part.end());
  }
  ASSERT_GT(kept.size(), 60U);
  EXPECT_TRUE(std::equal(kept.rbegin(), kept.rend(), given.rbegin())) << "the newest frames, in order";
}

TEST(RingWriter, AFrameLargerThanAFileGetsOne) {
  const Folder folder;
  auto writer = RingWriter::open({folder / "a", 100, 10});
  ASSERT_TRUE(writer);
  for (int i = 0; i < 2; ++i) (*writer)->add(Numbered(1'000).frame, facts("x"));
  ASSERT_TRUE((*writer)->finish());
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a_00001", "a_00002"}));
}

TEST(RingWriter, SaysWhatItCannotWrite) {
  const Folder folder;
  EXPECT_FALSE(RingWriter::open({folder / "no/such/folder.pcapng"}));
  auto writer = RingWriter::open({"/dev/full"});
  ASSERT_TRUE(writer);
  (*writer)->add(Numbered(100).frame, facts("x"));
  (*writer)->hand_over();
  const auto done = (*writer)->finish();
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("/dev/full: cannot be written: No space left"), std::string::npos)
      << done.error().message;
  EXPECT_EQ((*writer)->state().frames, 0U);
  EXPECT_EQ((*writer)->state().dropped, 1U);
}

}  // namespace
}  // namespace rocetop::engine
