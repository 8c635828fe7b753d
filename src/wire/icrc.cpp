// SPDX-License-Identifier: BSD-3-Clause
// ICRC: CRC-32 (reflected 0xEDB88320, as zlib's) over eight bytes 0xFF in place of an LRH, then the packet from the IP
// header or GRH up to the ICRC, with every field that may change on the way set to ones:
//
//   IPv4        TOS, TTL, header checksum      (options as they stand)
//   IPv6, GRH   traffic class, flow label, hop limit      (extension headers as they stand)
//   UDP         checksum
//   BTH         byte 4: FECN, BECN, reserved
//
// Total length and identification are not masked: whatever rewrites them breaks the ICRC.
#include "wire/icrc.h"

#include <libdeflate.h>

#include <array>
#include <cstring>

#include "wire/bth.h"

namespace rocetop::wire {
namespace {

/// CRC-32 of the eight bytes 0xFF.
constexpr std::uint32_t kSeed = 0x2144DF1C;

constexpr std::size_t kIpv4Bytes = 20;
constexpr std::size_t kIpv6Bytes = 40;
constexpr std::size_t kUdpBytes = 8;
constexpr std::size_t kUdpChecksum = 6;
constexpr std::size_t kBthCongestion = 4;

void mask_ipv4(std::uint8_t* header) {
  header[1] = 0xFF;                // TOS
  header[8] = 0xFF;                // TTL
  header[10] = header[11] = 0xFF;  // checksum
}

void mask_ipv6(std::uint8_t* header) {
  header[0] |= 0x0F;  // the version stays
  header[1] = header[2] = header[3] = 0xFF;
  header[7] = 0xFF;  // hop limit
}

}  // namespace

std::uint32_t compute_icrc(NetworkHeader::Kind kind, Bytes covered, std::size_t bth_offset, bool mask_bth) {
  const bool v4 = kind == NetworkHeader::Kind::kIpv4;
  const std::size_t network_bytes = v4 ? kIpv4Bytes : kIpv6Bytes;
  const std::size_t udp_bytes = kind == NetworkHeader::Kind::kGrh ? 0 : kUdpBytes;
  const std::size_t masked_bytes = udp_bytes + kBthBytes;
  const std::size_t between_bytes = bth_offset - udp_bytes - network_bytes;  // options or extension headers
  std::array<std::uint8_t, kIpv6Bytes + kUdpBytes + kBthBytes> copy;

  std::memcpy(copy.data(), covered.data(), network_bytes);
  if (v4) {
    mask_ipv4(copy.data());
  } else {
    mask_ipv6(copy.data());
  }
  std::uint8_t* transport = copy.data() + network_bytes;
  std::memcpy(transport, covered.data() + bth_offset - udp_bytes, masked_bytes);
  if (udp_bytes != 0) transport[kUdpChecksum] = transport[kUdpChecksum + 1] = 0xFF;
  if (mask_bth) transport[udp_bytes + kBthCongestion] = 0xFF;

  std::uint32_t crc = kSeed;
  if (between_bytes == 0) {
    crc = libdeflate_crc32(crc, copy.data(), network_bytes + masked_bytes);
  } else {
    crc = libdeflate_crc32(crc, copy.data(), network_bytes);
    crc = libdeflate_crc32(crc, covered.data() + network_bytes, between_bytes);
    crc = libdeflate_crc32(crc, transport, masked_bytes);
  }
  const Bytes rest = covered.subspan(bth_offset + kBthBytes);
  return libdeflate_crc32(crc, rest.data(), rest.size());
}

}  // namespace rocetop::wire
