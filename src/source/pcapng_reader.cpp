// SPDX-License-Identifier: BSD-3-Clause
#include "source/pcapng_reader.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace rocetop::source {
namespace {

// Block types, draft-ietf-opsawg-pcapng section 4.
constexpr std::uint32_t kSectionHeader = 0x0A0D0D0A;  // the same in both byte orders
constexpr std::uint32_t kInterfaceDescription = 1;
constexpr std::uint32_t kObsoletePacket = 2;
constexpr std::uint32_t kSimplePacket = 3;
constexpr std::uint32_t kInterfaceStatistics = 5;
constexpr std::uint32_t kEnhancedPacket = 6;

constexpr std::uint32_t kByteOrderMagic = 0x1A2B3C4D;
constexpr std::uint32_t kBlockOverhead = 12;  // type, length, length again

// A block is looked at up to here: the longest frame delivered, and room for fields and options around it.
constexpr std::uint32_t kLongestBlock = kLongestFrame + 64 * 1024;
static_assert(kLongestBlock % 4 == 0 && kLongestBlock < BlockBuffer::kBytes);

// A block of a known type with a length above this is damaged. Others (decryption secrets, vendor data) may be any
// length.
constexpr std::uint32_t kAbsurdBlock = kAbsurdFrame + 64 * 1024;

// Each description costs memory for the rest of the file. Concatenated files describe theirs again.
constexpr std::size_t kMostInterfaces = 16'384;
constexpr std::size_t kLongestInterfaceName = 256;

constexpr std::uint16_t kEndOfOptions = 0;
constexpr std::uint16_t kIfName = 2;
constexpr std::uint16_t kIfSpeed = 8;
constexpr std::uint16_t kIfTsresol = 9;
constexpr std::uint16_t kIfFcslen = 13;
constexpr std::uint16_t kIfTsoffset = 14;
constexpr std::uint16_t kIsbIfdrop = 5;
constexpr std::uint16_t kIsbOsdrop = 7;

constexpr std::size_t padded(std::size_t length) { return (length + 3) & ~std::size_t{3}; }

/// Calls `visit(code, value)` for each option. False if one runs past the end; those before it were visited.
template <typename Visit>
bool visit_options(Bytes options, ByteOrder order, Visit visit) {
  while (options.size() >= 4) {
    const std::uint16_t code = order.u16(options.data());
    const std::uint16_t length = order.u16(options.data() + 2);
    if (code == kEndOfOptions) return true;
    options = options.subspan(4);
    if (padded(length) > options.size()) return false;
    if (!visit(code, options.first(length))) return false;
    options = options.subspan(padded(length));
  }
  return true;
}

bool is_interpreted(std::uint32_t type) {
  return type == kSectionHeader || type == kInterfaceDescription || type == kObsoletePacket || type == kSimplePacket ||
         type == kInterfaceStatistics || type == kEnhancedPacket;
}

std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

}  // namespace

std::size_t PcapngReader::take(Bytes held, std::vector<Frame>& batch) {
  if (late_trailer_ != 0) return check_late_trailer(held) ? 4 : 0;
  std::size_t taken = 0;
  while (batch.size() < kBatchFrames && held.size() - taken >= kBlockOverhead) {
    const Bytes rest = held.subspan(taken);
    const bool first_block = !in_section_;
    Block block{.into_held = taken, .type = order_.u32(rest.data())};
    if (block.type == kSectionHeader && !take_byte_order(rest, taken)) break;
    block.total_length = order_.u32(rest.data() + 4);
    const bool absurd = block.total_length > kAbsurdBlock && is_interpreted(block.type);
    if (block.total_length < kBlockOverhead || block.total_length % 4 != 0 || absurd) {
      refuse(block, "a block claims a length of " + std::to_string(block.total_length) + " bytes");
      break;
    }
    const std::uint32_t front = std::min(block.total_length, kLongestBlock);
    if (rest.size() < front) break;
    const bool whole = front == block.total_length;
    block.body_length = block.total_length - kBlockOverhead;
    block.body = rest.subspan(8, front - (whole ? kBlockOverhead : 8));
    if (whole && order_.u32(rest.data() + front - 4) != block.total_length) {
      refuse(block, "the two lengths of a block differ");
      break;
    }
    if (!take_block(block, batch)) break;
    taken += front;
    if (!whole) {
      late_trailer_ = block.total_length;
      skip_later(block.total_length - front - 4);
      break;
    }
    if (first_block) break;
  }
  return taken;
}

/// The end of a block that was too long for the buffer. False if it is not there yet, or wrong.
bool PcapngReader::check_late_trailer(Bytes held) {
  if (held.size() < 4) return false;
  const bool equal = order_.u32(held.data()) == late_trailer_;
  if (!equal) fail(0, "the two lengths of a block differ");
  late_trailer_ = 0;
  return equal;
}

bool PcapngReader::take_byte_order(Bytes block, std::size_t into_held) {
  if (ByteOrder::little().u32(block.data() + 8) == kByteOrderMagic) {
    order_ = ByteOrder::little();
  } else if (ByteOrder::big().u32(block.data() + 8) == kByteOrderMagic) {
    order_ = ByteOrder::big();
  } else {
    fail(into_held, "the byte-order magic of a section header is wrong");
    return false;
  }
  return true;
}

bool PcapngReader::take_block(const Block& block, std::vector<Frame>& batch) {
  switch (block.type) {
    case kEnhancedPacket:
      return take_enhanced_packet(block, batch);
    case kSimplePacket:
      return take_simple_packet(block, batch);
    case kObsoletePacket:
      return take_obsolete_packet(block, batch);
    case kSectionHeader:
      return take_section_header(block);
    case kInterfaceDescription:
      return take_interface(block);
    case kInterfaceStatistics:
      return take_statistics(block);
    default:
      return true;  // unknown and custom blocks, names, secrets: nothing here that frames depend on
  }
}

//   0 byte-order magic | 4 version major, minor | 8 section length (not used: may be unknown) | 16 options
bool PcapngReader::take_section_header(const Block& block) {
  if (block.body.size() < 16) return refuse(block, "a section header is too short");
  const std::uint16_t major = order_.u16(block.body.data() + 4);
  const std::uint16_t minor = order_.u16(block.body.data() + 6);
  if (major != 1 || (minor != 0 && minor != 2)) {
    fail(block.into_held,
         "version " + std::to_string(major) + "." + std::to_string(minor) + " of the pcapng format is not known",
         "Version 1.0 is read. If it opens in Wireshark, save it again there.");
    return false;
  }
  in_section_ = true;
  section_first_ = interfaces_.size();
  return true;
}

//   0 link type | 2 reserved | 4 snap length | 8 options
bool PcapngReader::take_interface(const Block& block) {
  if (block.body.size() < 8) return refuse(block, "an interface description is too short");
  if (interfaces_.size() == kMostInterfaces) {
    stop_at_limit(block.into_held, "rocetop reads no more than 16,384 interface descriptions of a file",
                  "Everything before was read. Split the file there (editcap), or merge its interfaces into fewer.");
    return false;
  }
  InterfaceFacts& facts = interfaces_.emplace_back();
  facts.link_type = static_cast<LinkType>(order_.u16(block.body.data()));
  facts.snap_length = order_.u32(block.body.data() + 4);
  std::uint8_t resolution = 6;
  std::int64_t offset_s = 0;
  const bool sound = visit_options(block.body.subspan(8), order_, [&](std::uint16_t code, Bytes value) {
    const auto has = [&](std::size_t length) { return value.size() == length; };
    switch (code) {
      case kIfName:
        facts.name.assign(value.begin(), value.begin() + std::min(value.size(), kLongestInterfaceName));
        return true;
      case kIfSpeed:
        if (has(8)) facts.speed_bits_per_second = order_.u64(value.data());
        return has(8);
      case kIfTsresol:
        if (has(1)) resolution = value[0];
        return has(1);
      case kIfFcslen:
        if (has(1)) facts.fcs_bytes = value[0];
        return has(1);
      case kIfTsoffset:
        if (has(8)) offset_s = static_cast<std::int64_t>(order_.u64(value.data()));
        return has(8);
      default:
        return true;
    }
  });
  if (!sound) remark_options(block);
  facts.ticks_per_second = clocks_.emplace_back(resolution, offset_s).ticks_per_second();
  return true;
}

//   0 interface | 4 stamp, high half | 8 low half | 12 captured length | 16 length on the wire | 20 packet | options
bool PcapngReader::take_enhanced_packet(const Block& block, std::vector<Frame>& batch) {
  if (block.body.size() < 20) return refuse(block, "a packet block is too short");
  const std::uint8_t* body = block.body.data();
  const Packet packet{.interface_id = order_.u32(body),
                      .ticks = std::uint64_t{order_.u32(body + 4)} << 32 | order_.u32(body + 8),
                      .captured = order_.u32(body + 12),
                      .wire_length = order_.u32(body + 16)};
  return add_frame(block, packet, 20, batch);
}

//   0 length on the wire | 4 packet, up to the snap length of the section's first interface
bool PcapngReader::take_simple_packet(const Block& block, std::vector<Frame>& batch) {
  if (block.body.size() < 4) return refuse(block, "a simple packet block is too short");
  Packet packet{.wire_length = order_.u32(block.body.data()), .has_time = false};
  const bool described = section_first_ < interfaces_.size();
  const std::uint32_t snap_length = described ? interfaces_[section_first_].snap_length : 0;
  packet.captured = snap_length == 0 ? packet.wire_length : std::min(packet.wire_length, snap_length);
  // Some writers cut the packet without a snap length to say so. The block's end is the end.
  packet.captured = std::min(packet.captured, block.body_length - 4);
  return add_frame(block, packet, 4, batch);
}

//   0 interface | 2 drop count | 4 stamp, high half | 8 low half | 12 captured length | 16 length on the wire | 20
//   packet
bool PcapngReader::take_obsolete_packet(const Block& block, std::vector<Frame>& batch) {
  if (block.body.size() < 20) return refuse(block, "a packet block is too short");
  const std::uint8_t* body = block.body.data();
  const Packet packet{.interface_id = order_.u16(body),
                      .ticks = std::uint64_t{order_.u32(body + 4)} << 32 | order_.u32(body + 8),
                      .captured = order_.u32(body + 12),
                      .wire_length = order_.u32(body + 16)};
  return add_frame(block, packet, 20, batch);
}

bool PcapngReader::add_frame(const Block& block, Packet packet, std::size_t packet_offset, std::vector<Frame>& batch) {
  if (packet.interface_id >= interfaces_.size() - section_first_) {
    return refuse(block, "a packet names interface " + std::to_string(packet.interface_id) +
                             ", which the section does not describe");
  }
  if (packet.captured > block.body_length - packet_offset) {
    return refuse(block, "a packet's captured length of " + std::to_string(packet.captured) +
                             " bytes does not fit into its block");
  }
  if (packet.captured > kAbsurdFrame) {
    return refuse(block,
                  "a packet claims " + std::to_string(packet.captured) + " captured bytes, which no capture holds");
  }
  const std::size_t index = section_first_ + packet.interface_id;
  if (packet.has_time) take_time(packet, clocks_[index]);
  batch.push_back({.id = FrameId(0, ++frame_count_),
                   .interface = static_cast<std::uint32_t>(index),
                   .link_type = interfaces_[index].link_type,
                   .time = last_time_,
                   .wire_length = std::max(packet.wire_length, packet.captured),
                   .has_time = packet.has_time,
                   .bytes = block.body.subspan(packet_offset, std::min(packet.captured, kLongestFrame))});
  return true;
}

/// A stamp beyond the years that fit is none: one cut to fit would make waits of nothing.
void PcapngReader::take_time(Packet& packet, const TickClock& clock) {
  const Nanos time = clock.at(packet.ticks);
  packet.has_time = time != Nanos::max() && time != Nanos::min();
  if (packet.has_time) last_time_ = time;
}

//   0 interface | 4 stamp | 12 options. The counts cover the capture so far: a later block replaces an earlier one.
bool PcapngReader::take_statistics(const Block& block) {
  if (block.body.size() < 12) return refuse(block, "an interface statistics block is too short");
  const std::uint32_t interface_id = order_.u32(block.body.data());
  if (interface_id >= interfaces_.size() - section_first_) {
    remark_once(block,
                "statistics name interface " + std::to_string(interface_id) +
                    ", which the section does not describe; they are ignored",
                "");
    return true;
  }
  std::optional<std::uint64_t> dropped;
  const bool sound = visit_options(block.body.subspan(12), order_, [&](std::uint16_t code, Bytes value) {
    if (code != kIsbIfdrop && code != kIsbOsdrop) return true;
    if (value.size() != 8) return false;
    dropped = saturated_sum(dropped.value_or(0), order_.u64(value.data()));
    return true;
  });
  if (!sound) remark_options(block);
  if (dropped) interfaces_[section_first_ + interface_id].frames_dropped = dropped;
  return true;
}

bool PcapngReader::refuse(const Block& block, const std::string& reason) {
  fail(block.into_held, reason);
  return false;
}

void PcapngReader::remark_options(const Block& block) {
  remark_once(block, "options of the block are malformed; that one and those behind it in the block are ignored",
              "Times may be wrong, if the clock's resolution was among them.");
}

/// Once a file: a damaged or odd one may have it everywhere.
void PcapngReader::remark_once(const Block& block, const std::string& reason, std::string hint) {
  if (!remarked_) remark(block.into_held, reason, std::move(hint));
  remarked_ = true;
}

}  // namespace rocetop::source
