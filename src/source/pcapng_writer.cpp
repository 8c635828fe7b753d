// SPDX-License-Identifier: BSD-3-Clause
#include "source/pcapng_writer.h"

#include <algorithm>
#include <string_view>

namespace rocetop::source {
namespace {

constexpr std::uint32_t kSectionHeader = 0x0A0D0D0A;
constexpr std::uint32_t kInterfaceDescription = 1;
constexpr std::uint32_t kEnhancedPacket = 6;
constexpr std::uint32_t kByteOrderMagic = 0x1A2B3C4D;
constexpr std::size_t kEnhancedFixedBytes = 12 + 20;  // type and both lengths, and what stands before the frame
constexpr std::uint16_t kOptionComment = 1;
constexpr std::uint16_t kOptionName = 2;
constexpr std::uint16_t kOptionSpeed = 8;
constexpr std::uint16_t kOptionResolution = 9;
constexpr std::size_t kLongestName = 256;
constexpr std::size_t kLongestComment = 4'096;

void put(std::vector<std::uint8_t>& out, std::uint64_t value, int octets) {
  for (int i = 0; i < octets; ++i) out.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

void pad(std::vector<std::uint8_t>& out, std::size_t written) { out.insert(out.end(), (4 - written % 4) % 4, 0); }

void put_option(std::vector<std::uint8_t>& out, std::uint16_t code, std::string_view value) {
  put(out, code, 2);
  put(out, value.size(), 2);
  out.insert(out.end(), value.begin(), value.end());
  pad(out, value.size());
}

/// The two lengths of the block that begins at `start`, once its body is there.
void end_block(std::vector<std::uint8_t>& out, std::size_t start) {
  const std::size_t length = out.size() - start + 4;
  for (int i = 0; i < 4; ++i) out[start + 4 + static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(length >> 8 * i);
  put(out, length, 4);
}

std::size_t begin_block(std::vector<std::uint8_t>& out, std::uint32_t type) {
  const std::size_t start = out.size();
  put(out, type, 4);
  put(out, 0, 4);
  return start;
}

}  // namespace

void PcapngWriter::begin(std::vector<std::uint8_t>& out, std::string_view comment) {
  described_.clear();
  const std::size_t block = begin_block(out, kSectionHeader);
  put(out, kByteOrderMagic, 4);
  put(out, 1, 2);  // version 1.0
  put(out, 0, 2);
  put(out, ~std::uint64_t{0}, 8);  // length of the section: not told
  if (!comment.empty()) {
    put_option(out, kOptionComment, comment.substr(0, kLongestComment));
    put_option(out, 0, "");
  }
  end_block(out, block);
}

std::uint32_t PcapngWriter::interface_id(const Frame& frame, const InterfaceFacts& interface,
                                         std::vector<std::uint8_t>& out) {
  const std::pair key{frame.interface, frame.link_type};
  const auto found = std::find(described_.begin(), described_.end(), key);
  if (found != described_.end()) return static_cast<std::uint32_t>(found - described_.begin());
  const std::size_t block = begin_block(out, kInterfaceDescription);
  put(out, static_cast<std::uint16_t>(frame.link_type), 2);
  put(out, 0, 2);
  put(out, interface.snap_length, 4);
  if (!interface.name.empty()) {
    put_option(out, kOptionName, std::string_view(interface.name).substr(0, kLongestName));
  }
  if (interface.speed_bits_per_second) {
    put(out, kOptionSpeed, 2);
    put(out, 8, 2);
    put(out, *interface.speed_bits_per_second, 8);
  }
  put_option(out, kOptionResolution, "\x09");  // 10^-9 s
  put_option(out, 0, "");
  end_block(out, block);
  described_.push_back(key);
  return static_cast<std::uint32_t>(described_.size() - 1);
}

void PcapngWriter::add(const Frame& frame, const InterfaceFacts& interface, std::vector<std::uint8_t>& out) {
  const std::uint32_t id = interface_id(frame, interface, out);
  const std::size_t block = begin_block(out, kEnhancedPacket);
  const auto stamp = static_cast<std::uint64_t>(frame.time.count);
  put(out, id, 4);
  put(out, stamp >> 32, 4);
  put(out, stamp & 0xFFFFFFFF, 4);
  put(out, frame.bytes.size(), 4);
  put(out, frame.wire_length, 4);
  out.insert(out.end(), frame.bytes.begin(), frame.bytes.end());
  pad(out, frame.bytes.size());
  end_block(out, block);
}

std::size_t PcapngWriter::size_of(const Frame& frame) { return kEnhancedFixedBytes + (frame.bytes.size() + 3) / 4 * 4; }

}  // namespace rocetop::source
