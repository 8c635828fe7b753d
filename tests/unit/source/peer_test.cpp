// SPDX-License-Identifier: BSD-3-Clause
// Frame by frame against other readers: libpcap, and tshark where libpcap refuses (mixed interfaces). On captures built
// here, and on all in captures/.
#include <gtest/gtest.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "temporary_files.h"

namespace rocetop::source {
namespace {

using test::Buffer;
using test::payload;
using test::PcapFile;
using test::PcapngFile;
using test::read_all;
using test::Reading;

struct PeerFrame {
  std::int64_t time_ns = 0;
  std::uint32_t wire_length = 0;
  std::uint32_t captured = 0;
  Buffer bytes;  // libpcap only
};

/// What a command prints; nothing if it failed.
std::optional<std::string> output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  char block[4096];
  while (const std::size_t got = std::fread(block, 1, sizeof(block), pipe)) text.append(block, got);
  if (::pclose(pipe) != 0) return std::nullopt;
  return text;
}

class Peer : public test::TemporaryFiles {
 protected:
  static std::vector<PeerFrame> read_with_libpcap(const std::string& file) {
    char words[PCAP_ERRBUF_SIZE] = "";
    pcap_t* handle = pcap_open_offline_with_tstamp_precision(file.c_str(), PCAP_TSTAMP_PRECISION_NANO, words);
    EXPECT_NE(handle, nullptr) << words;
    std::vector<PeerFrame> frames;
    if (handle == nullptr) return frames;
    pcap_pkthdr* header = nullptr;
    const u_char* data = nullptr;
    while (pcap_next_ex(handle, &header, &data) == 1) {
      frames.push_back({header->ts.tv_sec * std::int64_t{1'000'000'000} + header->ts.tv_usec, header->len,
                        header->caplen, Buffer(data, data + header->caplen)});
    }
    pcap_close(handle);
    return frames;
  }

  static std::vector<PeerFrame> read_with_tshark(const std::string& file) {
    const auto text =
        output_of("tshark -n -r '" + file +
                  "' -T fields -e frame.number -e frame.time_epoch -e frame.len -e frame.cap_len 2>/dev/null");
    EXPECT_TRUE(text) << file;
    std::vector<PeerFrame> frames;
    std::size_t number = 0;
    unsigned long seconds = 0;
    char fraction[10] = "";
    PeerFrame frame;
    const char* at = text ? text->c_str() : "";
    int length = 0;
    while (std::sscanf(at, "%zu\t%lu.%9[0-9]\t%u\t%u\n%n", &number, &seconds, fraction, &frame.wire_length,
                       &frame.captured, &length) == 5) {
      EXPECT_EQ(number, frames.size() + 1);
      frame.time_ns = static_cast<std::int64_t>(seconds * 1'000'000'000 + std::stoul(fraction));
      frames.push_back(frame);
      at += length;
    }
    EXPECT_EQ(*at, '\0') << at;
    return frames;
  }

  static void expect_equal(const Reading& reading, const std::vector<PeerFrame>& peer, const std::string& file) {
    EXPECT_EQ(reading.error, "");
    ASSERT_EQ(reading.frames.size(), peer.size()) << file;
    for (std::size_t i = 0; i < peer.size(); ++i) {
      const auto& [frame, bytes] = reading.frames[i];
      ASSERT_EQ(frame.id.number(), i + 1) << file;
      ASSERT_EQ(frame.time.count, peer[i].time_ns) << file << " frame " << i + 1;
      // Wireshark takes the ERF record's own header out of both lengths; libpcap and the file leave it in.
      if (frame.link_type == LinkType::kErf && peer[i].bytes.empty()) continue;
      ASSERT_EQ(frame.wire_length, std::max(peer[i].wire_length, peer[i].captured)) << file << " frame " << i + 1;
      ASSERT_EQ(bytes.size(), peer[i].captured) << file << " frame " << i + 1;
      if (!peer[i].bytes.empty()) {
        ASSERT_EQ(bytes, peer[i].bytes) << file << " frame " << i + 1;
      }
    }
  }
  void expect_as_libpcap(const std::string& file) {
    expect_equal(read_all(open_capture(file)), read_with_libpcap(file), file);
  }
};

bool tshark_is_there() { return output_of("tshark -v 2>/dev/null").has_value(); }

TEST_F(Peer, LibpcapReadsPcapTheSame) {
  for (const bool big_endian : {false, true}) {
    for (const bool nanoseconds : {false, true}) {
      PcapFile file({.big_endian = big_endian, .nanoseconds = nanoseconds, .snap_length = 512});
      for (std::uint32_t i = 0; i < 3000; ++i) {
        file.record(1'700'000'000 + i / 7, i * 331, payload(i % 512, static_cast<std::uint8_t>(i)),
                    i % 512 + i % 3 * 100);
      }
      expect_as_libpcap(write("capture", file.bytes()));
    }
  }
}

TEST_F(Peer, LibpcapReadsPcapngTheSame) {
  for (const bool big_endian : {false, true}) {
    for (const int resolution : {3, 6, 9, 12, 0x80 | 20}) {
      PcapngFile file(big_endian);
      file.interface(1, 0, file.option(9, {static_cast<std::uint8_t>(resolution)}));
      std::uint64_t ticks_per_second = 1;
      for (int i = 0; i < resolution && resolution < 0x80; ++i) ticks_per_second *= 10;
      if (resolution >= 0x80) ticks_per_second = 1u << 20;
      for (std::uint32_t i = 0; i < 1000; ++i) {
        file.enhanced(0, 1'700'000 * ticks_per_second + i * 7919, payload(i % 300), i % 300 + i % 3 * 100);
        if (i % 10 == 0) file.block(0xBAD, payload(i % 50)).obsolete(0, i * 3, payload(i % 60), 60);
      }
      expect_as_libpcap(write("capture", file.bytes()));
    }
  }
}

TEST_F(Peer, LibpcapSeesTheSameOfACutOffFile) {
  PcapFile file;
  for (std::uint32_t i = 0; i < 100; ++i) file.record(i, i, payload(100));
  Buffer bytes = file.bytes();
  bytes.erase(bytes.end() - 30, bytes.end());
  expect_as_libpcap(write("capture", bytes));
}

TEST_F(Peer, TsharkReadsMixedInterfacesTheSame) {
  if (!tshark_is_there()) GTEST_SKIP() << "tshark is missing: mixed interfaces are not compared";
  for (const bool big_endian : {false, true}) {
    PcapngFile file(big_endian);
    file.interface(1, 0).interface(101, 64, file.option(9, {9})).interface(276, 0, file.option(9, {0x80 | 16}));
    const auto add_packets = [&](std::uint32_t micros, std::uint32_t nanos, std::uint32_t binary) {
      for (std::uint32_t i = 0; i < 100; ++i) {
        file.enhanced(micros, 1'600'000'000'000'000 + i * 17, payload(i), i + 40);
        file.enhanced(nanos, 1'600'000'000'000'000'000 + i * 17, payload(i % 64), i + 60);
        file.enhanced(binary, (std::uint64_t{1'600'000'000} << 16) + i * 4097, payload(i + 20));
      }
    };
    add_packets(0, 1, 2);
    file.section(!big_endian).interface(113, 0, file.option(9, {0x80 | 16})).interface(1);
    file.interface(101, 0, file.option(9, {9}));
    add_packets(1, 2, 0);
    const std::string name = write("capture", file.bytes());
    expect_equal(read_all(open_capture(name)), read_with_tshark(name), name);
  }
}

/// The captures that come with the project.
std::vector<std::filesystem::path> project_captures() {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ROCETOP_CAPTURES, none)) {
    const std::string name = entry.path().filename();
    if (name.find(".pcap") != std::string::npos) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_F(Peer, TheProjectsCapturesReadTheSame) {
  const auto files = project_captures();
  if (files.empty()) GTEST_SKIP() << "no captures in " ROCETOP_CAPTURES;
  const bool tshark = tshark_is_there();
  std::size_t compared = 0;
  std::size_t mixed = 0;
  for (const auto& file : files) {
    std::string plain = file;
    if (file.extension() == ".zst" || file.extension() == ".gz") {
      // Decompressed by the tools that made them.
      plain = path("plain");
      const std::string tool = file.extension() == ".zst" ? "zstd" : "gzip";
      if (!output_of(tool + " -dc '" + file.string() + "' > '" + plain + "' 2>/dev/null")) continue;
    }
    const Reading reading = read_all(open_capture(file));
    const bool one_kind = std::all_of(reading.interfaces.begin(), reading.interfaces.end(), [&](const auto& facts) {
      return facts.link_type == reading.interfaces[0].link_type &&
             facts.snap_length == reading.interfaces[0].snap_length &&
             facts.ticks_per_second == reading.interfaces[0].ticks_per_second;
    });
    if (one_kind) {
      expect_equal(reading, read_with_libpcap(plain), file);
    } else if (tshark) {
      expect_equal(reading, read_with_tshark(plain), file);
    } else {
      ++mixed;
      continue;
    }
    ++compared;
  }
  EXPECT_GT(compared, 0u) << "neither zstd nor gzip is installed";
  if (mixed != 0) GTEST_SKIP() << "tshark is missing: " << mixed << " captures with mixed interfaces were not compared";
}

}  // namespace
}  // namespace rocetop::source
