// SPDX-License-Identifier: BSD-3-Clause
#include "generate/pcap_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/check.h"

namespace rocetop::generate {
namespace {

void put_le(std::vector<std::uint8_t>& out, std::uint64_t value, int octets) {
  for (int i = 0; i < octets; ++i) out.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

}  // namespace

std::vector<std::uint8_t> pcap_bytes(std::span<const TimedFrame> frames, std::uint32_t snap_length) {
  std::vector<std::uint8_t> out;
  put_le(out, 0xA1B23C4D, 4);  // nanosecond stamps
  put_le(out, 2, 2);           // version 2.4
  put_le(out, 4, 2);
  put_le(out, 0, 8);  // time zone and accuracy, unused
  put_le(out, snap_length, 4);
  put_le(out, 1, 4);  // Ethernet
  for (const TimedFrame& frame : frames) {
    ROCETOP_CHECK(frame.time.count >= 0);
    const std::size_t captured = std::min<std::size_t>(frame.bytes.size(), snap_length);
    put_le(out, static_cast<std::uint64_t>(frame.time.count / 1'000'000'000), 4);
    put_le(out, static_cast<std::uint64_t>(frame.time.count % 1'000'000'000), 4);
    put_le(out, captured, 4);
    put_le(out, frame.bytes.size(), 4);
    out.insert(out.end(), frame.bytes.begin(), frame.bytes.begin() + static_cast<std::ptrdiff_t>(captured));
  }
  return out;
}

Result<Done> write_pcap(const std::string& path, std::span<const TimedFrame> frames, std::uint32_t snap_length) {
  const auto bytes = pcap_bytes(frames, snap_length);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file) return Error{path + ": cannot be opened for writing: " + std::strerror(errno), ""};
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.flush();
  if (!file) return Error{path + ": cannot be written: " + std::strerror(errno), "is the disk full?"};
  return Done{};
}

}  // namespace rocetop::generate
