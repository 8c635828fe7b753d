// SPDX-License-Identifier: BSD-3-Clause
#include "wire/fast_cnp.h"

#include <algorithm>

namespace rocetop::wire {
namespace {

constexpr std::uint8_t kPad1 = 0;  // a single byte, without length
constexpr std::size_t kAddressBytes = 16;

/// IANA's registry of IPv6 destination options, as far as they may be 16 bytes long.
bool has_another_meaning(std::uint8_t type) {
  constexpr std::uint8_t kAssigned[] = {
      0x01,  // PadN
      0x11,  // IOAM (RFC 9486), as 0x31
      0x31,
      0x8B,  // ILNP nonce (RFC 6744)
      0x8C,  // line identification (RFC 6788)
      0xC9,  // home address (RFC 6275)
  };
  return std::find(std::begin(kAssigned), std::end(kAssigned), type) != std::end(kAssigned);
}

/// Neither unspecified nor multicast.
bool is_a_host(const IpAddress& address) { return address != IpAddress{} && address.high() >> 56 != 0xFF; }

}  // namespace

FastCnp parse_fast_cnp(const Packet& packet) {
  FastCnp found;
  ByteReader reader(packet.options);
  while (reader.remaining() > 0) {
    const std::uint8_t type = reader.u8();
    if (type == kPad1) continue;
    const std::uint8_t length = reader.u8();
    const Bytes data = reader.bytes(length);
    if (reader.failed()) break;
    if (length != kAddressBytes || has_another_meaning(type)) continue;
    const IpAddress address = IpAddress::v6(data.data());
    if (found.data_destination || !is_a_host(address)) return {};
    found = {address, type};
  }
  return found;
}

}  // namespace rocetop::wire
