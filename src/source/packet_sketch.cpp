// SPDX-License-Identifier: BSD-3-Clause
#include "source/packet_sketch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace rocetop::source {
namespace {

constexpr std::size_t kHashedPayload = 32;  // UDP, BTH and what follows it; a snap length of 66 has them
constexpr std::uint16_t kEtherIpv4 = 0x0800;
constexpr std::uint16_t kEtherIpv6 = 0x86DD;
constexpr std::uint16_t kEtherRoceV1 = 0x8915;
// Neighbours ask each other the same again and again, in the same bytes: that says nothing about two captures.
constexpr std::uint8_t kIcmp = 1;
constexpr std::uint8_t kIgmp = 2;
constexpr std::uint8_t kHopByHop = 0;  // MLD
constexpr std::uint8_t kIcmpv6 = 58;
constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kUdp = 17;

constexpr std::uint64_t kRepeated = 1;

struct Network {
  std::uint16_t ether_type = 0;
  Bytes packet;
};

Network behind_ethernet(Bytes frame) {
  ByteReader reader(frame);
  reader.skip(12);
  std::uint16_t type = reader.u16();
  for (int tags = 0; tags < 4 && (type == 0x8100 || type == 0x88A8 || type == 0x9100); ++tags) {
    reader.skip(2);
    type = reader.u16();
  }
  return {type, reader.rest()};
}

Network by_version(Bytes packet) {
  const int version = packet.empty() ? 0 : packet[0] >> 4;
  return {version == 4 ? kEtherIpv4 : version == 6 ? kEtherIpv6 : std::uint16_t{0}, packet};
}

Network network_packet(Bytes frame, LinkType link_type) {
  ByteReader reader(frame);
  switch (link_type) {
    case LinkType::kEthernet:
      return behind_ethernet(frame);
    case LinkType::kLinuxSll: {
      reader.skip(14);
      const std::uint16_t type = reader.u16();
      return {type, reader.rest()};
    }
    case LinkType::kLinuxSll2: {
      const std::uint16_t type = reader.u16();
      reader.skip(18);
      return {type, reader.rest()};
    }
    case LinkType::kNull:
    case LinkType::kLoop:
      reader.skip(4);
      return by_version(reader.rest());
    case LinkType::kRaw12:
    case LinkType::kRaw14:
    case LinkType::kRaw:
    case LinkType::kIpv4:
    case LinkType::kIpv6:
      return by_version(frame);
    default:
      return {};
  }
}

/// Mixes 8 bytes at a time; not cryptographic, whoever forges captures may fool it.
std::uint64_t mix(std::uint64_t hash, Bytes bytes) {
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min<std::size_t>(bytes.size(), 8);
    std::memcpy(&word, bytes.data(), count);
    hash = (std::rotl(hash, 25) ^ word) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
    bytes = bytes.subspan(count);
  }
  return hash;
}

/// The transport's first bytes, their checksum left out: hosts see packets whose checksum the adapter has yet to fill.
std::optional<std::uint64_t> mix_payload(std::uint64_t hash, Bytes captured, std::size_t length,
                                         std::uint8_t protocol) {
  const std::size_t wanted = std::min(length, kHashedPayload);
  if (captured.size() < wanted) return std::nullopt;
  std::array<std::uint8_t, kHashedPayload> bytes{};
  std::copy_n(captured.begin(), wanted, bytes.begin());
  if (protocol == kUdp) bytes[6] = bytes[7] = 0;
  if (protocol == kTcp) bytes[16] = bytes[17] = 0;
  return mix(hash, Bytes{bytes.data(), wanted});
}

std::optional<std::uint64_t> ipv4_fingerprint(Bytes packet) {
  if (packet.size() < 20) return std::nullopt;
  const std::size_t header = std::size_t{packet[0] & 0xFu} * 4;
  const std::size_t total = load_be16(packet.data() + 2);
  if (header < 20 || header > packet.size() || total < header) return std::nullopt;
  if (packet[9] == kIcmp || packet[9] == kIgmp) return std::nullopt;
  std::uint64_t hash = mix(4, packet.subspan(2, 6));  // total length, identification, fragment
  hash = mix(hash, packet.subspan(12, 8));            // addresses
  return mix_payload(hash, packet.subspan(header), total - header, packet[9]);
}

/// Also of RoCEv1, whose GRH has the same layout.
std::optional<std::uint64_t> ipv6_fingerprint(Bytes packet) {
  if (packet.size() < 40) return std::nullopt;
  if (packet[6] == kIcmpv6 || packet[6] == kHopByHop) return std::nullopt;
  std::uint64_t hash = mix(6, packet.subspan(4, 3));  // payload length, next header
  hash = mix(hash, packet.subspan(8, 32));            // addresses
  return mix_payload(hash, packet.subspan(40), load_be16(packet.data() + 4), packet[6]);
}

}  // namespace

std::optional<std::uint64_t> packet_fingerprint(Bytes frame, LinkType link_type) {
  const Network network = network_packet(frame, link_type);
  switch (network.ether_type) {
    case kEtherIpv4:
      return ipv4_fingerprint(network.packet);
    case kEtherIpv6:
    case kEtherRoceV1:
      return ipv6_fingerprint(network.packet);
    default:
      return std::nullopt;
  }
}

void PacketSketch::add(std::uint64_t fingerprint) {
  if (fingerprint > limit_) return;
  if (smallest_.capacity() == 0) smallest_.reserve(2 * kKept);
  smallest_.push_back(fingerprint & ~kRepeated);
  if (smallest_.size() == 2 * kKept) settle();
}

void PacketSketch::settle() {
  std::sort(smallest_.begin(), smallest_.end());
  std::size_t kept = 0;
  for (const std::uint64_t entry : smallest_) {
    if (kept != 0 && ((smallest_[kept - 1] ^ entry) & ~kRepeated) == 0) {
      smallest_[kept - 1] |= kRepeated;
    } else if (kept == kKept) {
      limit_ = smallest_[kept - 1] | kRepeated;
      break;
    } else {
      smallest_[kept++] = entry;
    }
  }
  smallest_.resize(kept);
}

PacketSketch::Overlap PacketSketch::compare(PacketSketch& a, PacketSketch& b) {
  a.settle();
  b.settle();
  // Above the lower of the two limits, one of them samples nothing.
  const std::uint64_t limit = std::min(a.limit_, b.limit_);
  const auto count_single = [limit](const std::vector<std::uint64_t>& entries) {
    return static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(), [limit](std::uint64_t entry) {
      return entry <= limit && (entry & kRepeated) == 0;
    }));
  };
  std::size_t common = 0;
  auto in_b = b.smallest_.begin();
  for (const std::uint64_t entry : a.smallest_) {
    if ((entry & kRepeated) != 0) continue;
    in_b = std::lower_bound(in_b, b.smallest_.end(), entry);
    if (in_b != b.smallest_.end() && *in_b == entry) ++common;
  }
  return {common, std::min(count_single(a.smallest_), count_single(b.smallest_))};
}

}  // namespace rocetop::source
