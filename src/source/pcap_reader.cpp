// SPDX-License-Identifier: BSD-3-Clause
#include "source/pcap_reader.h"

#include <algorithm>
#include <utility>

namespace rocetop::source {
namespace {

constexpr std::size_t kFileHeaderBytes = 24;
constexpr std::size_t kRecordHeaderBytes = 16;
constexpr std::uint32_t kMicrosecondMagic = 0xA1B2C3D4;
constexpr std::uint32_t kNanosecondMagic = 0xA1B23C4D;

// The link type field: link type below, and above it the FCS length in 16-bit units, valid if the P bit is set.
constexpr std::uint32_t kLinkTypeMask = 0xFFFF;
constexpr std::uint32_t kFcsLengthPresent = 1u << 26;
constexpr int kFcsLengthShift = 28;

}  // namespace

std::size_t PcapReader::take_file_header(Bytes held) {
  if (held.size() < kFileHeaderBytes) return 0;
  const std::uint32_t magic = ByteOrder::big().u32(held.data());
  const bool big_endian = magic == kMicrosecondMagic || magic == kNanosecondMagic;
  order_ = big_endian ? ByteOrder::big() : ByteOrder::little();
  const std::uint16_t major = order_.u16(held.data() + 4);
  const std::uint16_t minor = order_.u16(held.data() + 6);
  // 2.4 is what everything has written since 1998. In 2.3 the two lengths of a record may be the wrong way round.
  if (major != 2 || (minor != 3 && minor != 4)) {
    fail(0, "version " + std::to_string(major) + "." + std::to_string(minor) + " of the pcap format is not known",
         "Versions 2.3 and 2.4 are read. If it opens in Wireshark, save it as pcapng there.");
    return 0;
  }
  lengths_may_be_swapped_ = minor == 3;
  add_interface(held, order_.u32(held.data()) == kNanosecondMagic);
  header_taken_ = true;
  return kFileHeaderBytes;
}

void PcapReader::add_interface(Bytes header, bool nanoseconds) {
  const std::uint32_t snap_length = order_.u32(header.data() + 16);
  const std::uint32_t link = order_.u32(header.data() + 20);
  link_type_ = static_cast<LinkType>(link & kLinkTypeMask);
  fraction_ns_ = nanoseconds ? 1 : 1'000;
  largest_captured_ = std::min(std::max(snap_length, kLongestFrame), kAbsurdFrame);
  InterfaceFacts& facts = interfaces_.emplace_back();
  facts.link_type = link_type_;
  facts.snap_length = snap_length;
  facts.ticks_per_second = nanoseconds ? 1'000'000'000 : 1'000'000;
  if ((link & kFcsLengthPresent) != 0) facts.fcs_bytes = static_cast<std::uint8_t>((link >> kFcsLengthShift) * 2);
}

std::size_t PcapReader::take(Bytes held, std::vector<Frame>& batch) {
  if (!header_taken_) return take_file_header(held);
  std::size_t taken = 0;
  while (batch.size() < kBatchFrames && held.size() - taken >= kRecordHeaderBytes) {
    const std::uint8_t* header = held.data() + taken;
    const std::int64_t time_s = order_.u32(header);
    const std::int64_t fraction = order_.u32(header + 4);
    std::uint32_t captured = order_.u32(header + 8);
    std::uint32_t wire_length = order_.u32(header + 12);
    if (lengths_may_be_swapped_ && captured > wire_length) std::swap(captured, wire_length);
    if (captured > largest_captured_) {
      fail(taken, "the record claims " + std::to_string(captured) + " captured bytes, which no capture holds");
      break;
    }
    const std::uint32_t delivered = std::min(captured, kLongestFrame);
    if (held.size() - taken - kRecordHeaderBytes < delivered) break;
    // Two 32-bit numbers: at most 4.3e18 + 4.3e12, within 63 bits.
    batch.push_back({.id = FrameId(0, ++frame_count_),
                     .interface = 0,
                     .link_type = link_type_,
                     .time = {time_s * 1'000'000'000 + fraction * fraction_ns_},
                     .wire_length = std::max(wire_length, captured),
                     .has_time = true,
                     .bytes = {header + kRecordHeaderBytes, delivered}});
    taken += kRecordHeaderBytes + delivered;
    if (delivered != captured) {
      skip_later(captured - delivered);
      break;
    }
  }
  return taken;
}

}  // namespace rocetop::source
