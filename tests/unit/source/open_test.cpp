// SPDX-License-Identifier: BSD-3-Clause
#include "source/open.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "compression.h"
#include "temporary_files.h"

namespace rocetop::source {
namespace {

using test::Buffer;
using test::gzip;
using test::payload;
using test::PcapFile;
using test::PcapngFile;
using test::read_all;
using test::read_bytes;
using test::Reading;
using test::Writer;
using test::zstd;

Buffer small_pcap() { return PcapFile().record(1, 2, payload(60)).record(1, 3, payload(61)).bytes(); }
Buffer text(std::string_view characters) { return Writer().text(characters).bytes(); }

class OpenCapture : public test::TemporaryFiles {
 protected:
  std::string error_of(const std::string& path) const {
    const auto source = open_capture(path);
    return source ? "(opened)" : source.error().message;
  }
};

TEST_F(OpenCapture, ReadsPlainAndCompressedFiles) {
  const Buffer pcapng = PcapngFile().interface().enhanced(0, 1, payload(60)).enhanced(0, 2, payload(61)).bytes();
  for (const Buffer& plain : {small_pcap(), pcapng}) {
    for (const Buffer& file : {plain, gzip(plain), zstd(plain)}) {
      const Reading reading = read_all(open_capture(write("capture", file)));
      ASSERT_EQ(reading.error, "");
      ASSERT_EQ(reading.frames.size(), 2u);
      EXPECT_EQ(reading.frames[1].bytes, payload(61));
      EXPECT_TRUE(reading.problems.empty());
    }
  }
}

TEST_F(OpenCapture, KnowsTheSizeOfAFile) {
  const Buffer bytes = zstd(small_pcap());
  const auto source = open_capture(write("capture", bytes));
  ASSERT_TRUE(source);
  EXPECT_EQ(source.value()->bytes_total(), bytes.size());
}

TEST_F(OpenCapture, SaysWhatIsWrongWithTheFile) {
  EXPECT_EQ(error_of(path("missing")), path("missing") + ": no such file");
  EXPECT_EQ(error_of(path("")), path("") + ": is a directory");
  EXPECT_EQ(error_of(write("empty", {})), path("empty") + ": is empty (0 bytes)");
  EXPECT_EQ(error_of(write("short", {0xFF, 1})), path("short") + ": is too short to be a capture");
  EXPECT_EQ(error_of(write("notes", text("Dear diary,\n"))), path("notes") + ": is text, not a capture");
  EXPECT_EQ(error_of(std::string("a\0b", 3)), "a\\x00b: no such file");
  for (const auto& name : {path("missing"), path(""), path("empty"), path("notes")}) {
    EXPECT_NE(open_capture(name).error().hint, "") << name;
  }
}

TEST_F(OpenCapture, SaysThatPermissionIsMissing) {
  const std::string name = write("secret", small_pcap());
  ASSERT_EQ(::chmod(name.c_str(), 0), 0);
  ASSERT_EQ(::chmod(directory_.c_str(), 0755), 0);
  const bool root = ::geteuid() == 0;
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const std::string message = error_of(name);
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_EQ(message, name + ": no permission to read it");
}

TEST_F(OpenCapture, QuotesHostileNames) {
  EXPECT_EQ(error_of(path("\x1b[2J\n")), path("") + "\\x1b[2J\\x0a: no such file");
}

TEST_F(OpenCapture, RefusesOtherFormatsByName) {
  const std::pair<Buffer, const char*> cases[] = {
      {Writer(true).u32(0xA1B2CD34).bytes(), "Kuznetzov"},
      {Writer(false).u32(0xA1B2CD34).bytes(), "Kuznetzov"},
      {Writer(true).u32(0xA1E2CB12).bytes(), "netsniff-ng"},
      {Writer(true).u32(0xA1B234CD).bytes(), "modified pcap"},
      {Writer(true).u32(0xA12B3C4D).bytes(), "Navtel"},
      {Writer(true).u32(0x1C0001AC).bytes(), "Ixia"},
      {Writer(false).u32(0x1C0001AB).bytes(), "Ixia"},
      {text(std::string_view("snoop\0\0\0", 8)), "snoop"},
      {text("GMBU"), "Network Monitor"},
      {text(std::string_view("\xfd"
                             "7zXZ\0",
                             6)),
       "xz"},
      {text("BZh91AY"), "bzip2"},
      {Writer(false).u32(0x184D2204).bytes(), "lz4"},
      {text("PK\x03\x04"), "zip archive"},
      {text("\x7f"
            "ELF\x02\x01\x01"),
       "ELF"},
      {text("%PDF-1.4"), "PDF"},
      {text("0000  02 00 00 00 00 02"), "hex dump"},
      {Buffer(40, 0), "not a capture"},
  };
  for (const auto& [head, word] : cases) {
    Buffer bytes = head;
    bytes.resize(std::max<std::size_t>(bytes.size(), 40));
    // Text must not be followed by zeros to be text.
    const Reading reading = read_bytes(std::string_view(word) == "hex dump" ? head : bytes);
    EXPECT_NE(reading.error.find(word), std::string::npos) << word << ": " << reading.error;
    EXPECT_NE(reading.error_hint, "") << word;
    const Reading inside = read_bytes(gzip(std::string_view(word) == "hex dump" ? head : bytes));
    EXPECT_NE(inside.error.find("FILE: what is compressed in it "), std::string::npos) << inside.error;
    EXPECT_NE(inside.error.find(word), std::string::npos) << word << ": " << inside.error;
  }
}

TEST_F(OpenCapture, RefusesDoubleCompression) {
  EXPECT_EQ(read_bytes(gzip(zstd(small_pcap()))).error, "FILE: is compressed twice");
  EXPECT_EQ(read_bytes(zstd(gzip(small_pcap()))).error, "FILE: is compressed twice");
}

TEST_F(OpenCapture, EmptyInsideCompression) {
  EXPECT_EQ(read_bytes(gzip({})).error, "FILE: what is compressed in it is empty (0 bytes)");
  EXPECT_EQ(read_bytes({0x1F, 0x8B, 8}).error, "FILE: the gzip data stops at compressed byte 3");
}

TEST_F(OpenCapture, CutOffCompressedDataIsARemark) {
  PcapFile file;
  for (std::uint32_t i = 0; i < 2000; ++i) file.record(1, i, payload(100, static_cast<std::uint8_t>(i * 13)));
  for (Buffer bytes : {gzip(file.bytes()), zstd(file.bytes())}) {
    bytes.erase(bytes.end() - 1, bytes.end());
    const Reading reading = read_bytes(bytes);
    ASSERT_EQ(reading.problems.size(), 1u);
    EXPECT_FALSE(reading.problems[0].fatal);
    EXPECT_NE(reading.problems[0].message.find("FILE: cut off"), std::string::npos) << reading.problems[0].message;
    EXPECT_NE(reading.problems[0].message.find("stops at compressed byte"), std::string::npos);
    EXPECT_NE(reading.problems[0].message.find("of the decompressed data"), std::string::npos);
  }
  EXPECT_GT(read_bytes([&] {
              Buffer bytes = gzip(file.bytes());
              bytes.erase(bytes.end() - 1, bytes.end());
              return bytes;
            }())
                .frames.size(),
            1900u);
}

TEST_F(OpenCapture, DamagedCompressedDataIsAProblemAfterTheFramesBefore) {
  PcapFile file;
  for (std::uint32_t i = 0; i < 20'000; ++i) file.record(i * 77'777, i * i, Writer().u32(i * 2654435761u).bytes());
  for (Buffer bytes : {gzip(file.bytes()), zstd(file.bytes())}) {
    bytes.back() ^= 1;  // of the checksum or length at the end
    const Reading reading = read_bytes(bytes);
    EXPECT_GT(reading.frames.size(), 6'000u);  // zstd does not hand out the block it found wrong
    ASSERT_EQ(reading.problems.size(), 1u);
    EXPECT_TRUE(reading.problems[0].fatal);
    EXPECT_NE(reading.problems[0].message.find("data is damaged near compressed byte"), std::string::npos)
        << reading.problems[0].message;
  }
}

/// Standard input is a pipe with `bytes` in it, closed by its writer.
class StandardInput : public ::testing::Test {
 protected:
  Reading read_standard_input(const Buffer& bytes) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const int saved = ::dup(STDIN_FILENO);
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
    Reading reading = read_all(open_capture("-"));
    if (saved >= 0) {
      ::dup2(saved, STDIN_FILENO);
      ::close(saved);
    } else {
      ::close(STDIN_FILENO);
    }
    return reading;
  }
};

TEST_F(StandardInput, ReadsAPipe) {
  for (const Buffer& bytes : {small_pcap(), gzip(small_pcap()), zstd(small_pcap())}) {
    const Reading reading = read_standard_input(bytes);
    EXPECT_EQ(reading.error, "");
    EXPECT_EQ(reading.frames.size(), 2u);
  }
}

TEST_F(StandardInput, IsCalledByItsName) {
  EXPECT_EQ(read_standard_input({}).error, "standard input: is empty (0 bytes)");
  Buffer cut = small_pcap();
  cut.pop_back();
  const Reading reading = read_standard_input(cut);
  EXPECT_EQ(reading.frames.size(), 1u);
  ASSERT_EQ(reading.problems.size(), 1u);
  EXPECT_FALSE(reading.problems[0].fatal);
  EXPECT_EQ(reading.problems[0].message,
            "standard input: cut off in the last record at byte 100, after 76 bytes of it");
}

TEST_F(OpenCapture, APipeIsNotWaitedForOnceAFrameIsThere) {
  const std::string name = path("fifo");
  ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
  // Both ends stay open here: any read beyond what was written would wait for ever.
  const int writer = ::open(name.c_str(), O_RDWR);
  ASSERT_GE(writer, 0);
  Buffer bytes = small_pcap();
  const Buffer more(10, 0);  // the beginning of a third record
  bytes.insert(bytes.end(), more.begin(), more.end());
  ASSERT_EQ(::write(writer, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  auto source = open_capture(name);
  ASSERT_TRUE(source);
  std::vector<Frame> batch;
  ASSERT_TRUE(source.value()->next_batch(batch));
  EXPECT_EQ(batch.size(), 2u);
  EXPECT_EQ(source.value()->bytes_total(), std::nullopt);
  ::close(writer);
}

class Waiting : public OpenCapture {
 protected:
  void SetUp() override {
    OpenCapture::SetUp();
    ASSERT_EQ(::pipe(stop_), 0);
    ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  }
  void TearDown() override {
    ::close(stop_[0]);
    ::close(stop_[1]);
    OpenCapture::TearDown();
  }
  void stop() const { ASSERT_EQ(::write(stop_[1], "", 1), 1); }

  int stop_[2] = {-1, -1};
};

TEST_F(Waiting, EndsForAPipeThatNobodyWritesTo) {
  stop();
  EXPECT_EQ(open_capture(path("fifo"), stop_[0]).error().message, path("fifo") + ": interrupted");
  EXPECT_EQ(open_captures({path("fifo"), write("file", small_pcap())}, stop_[0]).error().message,
            path("fifo") + ": interrupted");
}

TEST_F(Waiting, EndsInTheMiddleOfARecord) {
  const int writer = ::open(path("fifo").c_str(), O_RDWR);
  ASSERT_GE(writer, 0);
  Buffer bytes = small_pcap();
  bytes.resize(bytes.size() - 1);
  ASSERT_EQ(::write(writer, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  auto source = open_capture(path("fifo"), stop_[0]);
  ASSERT_TRUE(source);
  std::vector<Frame> batch;
  ASSERT_TRUE(source.value()->next_batch(batch));
  EXPECT_EQ(batch.size(), 1u);
  stop();
  EXPECT_FALSE(source.value()->next_batch(batch));
  EXPECT_TRUE(source.value()->problems().empty());  // whoever stopped it knows
  ::close(writer);
}

TEST_F(Waiting, IsForAPipesFirstWriter) {
  std::thread writer([this] {
    const int fd = ::open(path("fifo").c_str(), O_WRONLY);  // waits for the reader
    const Buffer bytes = small_pcap();
    EXPECT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(fd);
  });
  const Reading reading = read_all(open_capture(path("fifo"), stop_[0]));
  writer.join();
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.frames.size(), 2u);
}

}  // namespace
}  // namespace rocetop::source
