// SPDX-License-Identifier: BSD-3-Clause
#include "engine/copy_filter.h"

#include <algorithm>
#include <cstring>

#include "base/byte_reader.h"
#include "track/limits.h"

namespace rocetop::engine {
namespace {

constexpr std::size_t kMacType = 12;
constexpr std::size_t kMacHeader = 14;
constexpr std::uint16_t kMacControl = 0x8808;

// Cooked frames (LINKTYPE_LINUX_SLL, _SLL2): what says by which interface they came, and from where on they are alike.
constexpr std::size_t kSllProtocol = 14;
constexpr std::size_t kSll2Interface = 4;
constexpr std::size_t kSll2Header = 20;

std::uint64_t hash_of(Bytes bytes, std::uint64_t seed) {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;
  std::uint64_t hash = seed ^ (bytes.size() * kMix);
  const auto add = [&](std::uint64_t word) {
    hash = (hash ^ word) * kMix;
    hash ^= hash >> 29;
  };
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    add(word);
  }
  std::uint64_t rest = 0;
  if (at < bytes.size()) std::memcpy(&rest, bytes.data() + at, bytes.size() - at);
  add(rest);
  return hash;
}

/// What is the same wherever the packet passed, and a number of the place where it did.
struct Parts {
  Bytes bytes;
  std::uint64_t interface = 0;
};

Parts parts_of(const source::Frame& frame) {
  const std::uint64_t file_and_interface = std::uint64_t{frame.id.file()} << 48 | std::uint64_t{frame.interface} << 32;
  ByteReader reader(frame.bytes);
  if (frame.link_type == LinkType::kLinuxSll && frame.bytes.size() >= kSllProtocol) {
    // Only whether it was sent or received: an interface has no number here.
    return {frame.bytes.subspan(kSllProtocol), file_and_interface | reader.u16()};
  }
  if (frame.link_type == LinkType::kLinuxSll2 && frame.bytes.size() >= kSll2Header) {
    reader.skip(kSll2Interface);
    return {frame.bytes.subspan(kSll2Header), file_and_interface | reader.u32()};
  }
  return {frame.bytes, file_and_interface};
}

}  // namespace

bool CopyFilter::may_be_copy(const source::Frame& frame, std::size_t interfaces) {
  // MAC control, pauses above all, is between two ports and no further: equal ones of two links are two.
  if (frame.link_type == LinkType::kEthernet && frame.bytes.size() >= kMacHeader &&
      load_be16(frame.bytes.data() + kMacType) == kMacControl) {
    return false;
  }
  return may_hold_copies(frame.link_type, interfaces);
}

FrameId CopyFilter::original_of(const source::Frame& frame) {
  if (!frame.has_time) return {};
  const Parts parts = parts_of(frame);
  // Captures of several points that are read together are that: other files are other captures.
  const std::uint64_t hash =
      hash_of(parts.bytes, std::uint64_t{frame.wire_length - frame.bytes.size()} << 32 | frame.id.file());
  Seen& seen = seen_[hash % kSeen];
  const Nanos apart = std::max(frame.time, seen.time) - std::min(frame.time, seen.time);
  if (seen.hash == hash && seen.interface != parts.interface && apart < track::kCopyWindow) return seen.frame;
  seen = {hash, parts.interface, frame.time, frame.id};
  return {};
}

}  // namespace rocetop::engine
