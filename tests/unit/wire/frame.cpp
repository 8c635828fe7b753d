// SPDX-License-Identifier: BSD-3-Clause
#include "frame.h"

#include <algorithm>
#include <cctype>

namespace rocetop::wire::test {
namespace {

std::uint8_t byte(std::size_t value) { return static_cast<std::uint8_t>(value); }

std::uint8_t digit(char c) {
  const int lower = std::tolower(static_cast<unsigned char>(c));
  return byte(static_cast<std::size_t>(lower <= '9' ? lower - '0' : lower - 'a' + 10));
}

Frame big_endian(std::uint32_t value, std::size_t n) {
  Frame out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = byte(value >> (8 * (n - 1 - i)));
  return out;
}

std::uint32_t crc32_bit_by_bit(const Frame& bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::uint8_t b : bytes) {
    crc ^= b;
    for (int i = 0; i < 8; ++i) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
  }
  return ~crc;
}

}  // namespace

Frame hex(std::string_view digits) {
  std::vector<std::uint8_t> nibbles;
  for (const char c : digits) {
    if (std::isxdigit(static_cast<unsigned char>(c))) nibbles.push_back(digit(c));
  }
  Frame out(nibbles.size() / 2);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = byte(std::size_t{nibbles[2 * i]} << 4 | nibbles[2 * i + 1]);
  return out;
}

Frame zeros(std::size_t n) { return Frame(n, 0); }
Frame be16(std::uint32_t value) { return big_endian(value, 2); }
Frame be24(std::uint32_t value) { return big_endian(value, 3); }
Frame be32(std::uint32_t value) { return big_endian(value, 4); }

Frame operator+(Frame a, const Frame& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Frame ethernet(std::uint16_t type, const Frame& payload) {
  return hex("02 00 00 00 00 02  02 00 00 00 00 01") + be16(type) + payload;
}

Frame vlan_tag(std::uint16_t id, std::uint16_t type, const Frame& payload) {
  return be16(3u << 13 | id) + be16(type) + payload;  // PCP 3
}

Frame ipv4(std::uint8_t protocol, const Frame& payload, const Ipv4Fields& fields) {
  const std::size_t header_bytes = 20 + fields.options.size();
  const auto total = fields.total_length >= 0 ? static_cast<std::uint32_t>(fields.total_length)
                                              : static_cast<std::uint32_t>(header_bytes + payload.size());
  return Frame{byte(0x40 | header_bytes / 4), fields.tos} + be16(total) + hex("ABCD") + be16(fields.fragment) +
         Frame{fields.ttl, protocol} + hex("1111  C0000201 C0000202") + fields.options + payload;
}

Frame ipv6(std::uint8_t next_header, const Frame& payload, int payload_length) {
  const auto length =
      static_cast<std::uint32_t>(payload_length >= 0 ? static_cast<std::size_t>(payload_length) : payload.size());
  return hex("6691 2345") + be16(length) + Frame{next_header, 63} +
         hex("20010db8000000000000000000000001 20010db8000000000000000000000002") + payload;
}

Frame udp(std::uint16_t destination, const Frame& payload, int length) {
  const auto bytes = static_cast<std::uint32_t>(length >= 0 ? static_cast<std::size_t>(length) : 8 + payload.size());
  return be16(49152) + be16(destination) + be16(bytes) + hex("2222") + payload;
}

Frame grh(const Frame& payload, std::uint8_t next_header) {
  return hex("6691 2345") + be16(static_cast<std::uint32_t>(payload.size())) + Frame{next_header, 63} +
         hex("00000000000000000000ffffC0000201 00000000000000000000ffffC0000202") + payload;
}

Frame bth(std::uint8_t opcode, std::uint8_t pad, std::uint8_t version) {
  return Frame{opcode, byte(std::size_t{pad} << 4 | version)} + hex("FFFF 00 000012 80 345678");
}

Frame roce(std::uint8_t opcode, const Frame& rest, std::uint8_t pad) {
  return bth(opcode, pad) + rest + hex("DDCCBBAA");
}

Frame send_only() { return with_icrc(ipv4(17, udp(4791, roce(0x04, hex("0123456789ABCDEF")))), 28); }

Frame with_icrc(Frame packet, std::size_t bth) {
  Frame masked(packet.begin(), packet.end() - 4);
  const auto ones = [&masked](std::size_t offset) { masked[offset] = 0xFF; };
  const bool v4 = masked[0] >> 4 == 4;
  const bool is_grh = !v4 && masked[6] == 0x1B;
  if (v4) {
    for (const std::size_t offset : {1, 8, 10, 11}) ones(offset);
  } else {
    masked[0] |= 0x0F;
    for (const std::size_t offset : {1, 2, 3, 7}) ones(offset);
  }
  if (!is_grh) ones(bth - 2), ones(bth - 1);  // UDP checksum
  ones(bth + 4);
  const std::uint32_t crc = crc32_bit_by_bit(Frame(8, 0xFF) + masked);
  for (std::size_t i = 0; i < 4; ++i) packet[packet.size() - 4 + i] = byte(crc >> (8 * i));
  return packet;
}

Result decode_frame(LinkType link_type, const Frame& frame, std::uint32_t wire_length, const DecodeOptions& options) {
  Result result;
  result.buffer.reset(new std::uint8_t[frame.size()]);
  std::copy(frame.begin(), frame.end(), result.buffer.get());
  if (wire_length == 0) wire_length = static_cast<std::uint32_t>(frame.size());
  decode(link_type, {result.buffer.get(), frame.size()}, wire_length, options, result.decoded);
  return result;
}

}  // namespace rocetop::wire::test
