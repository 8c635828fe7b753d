// SPDX-License-Identifier: BSD-3-Clause
#include "generate/encoder.h"

#include <zlib.h>

#include <algorithm>
#include <span>

#include "base/byte_reader.h"
#include "base/check.h"
#include "generate/byte_writer.h"

namespace rocetop::generate {
namespace {

constexpr std::size_t kMaxPayload = 60'000;  // bytes; keeps every length field within 16 bits
constexpr std::size_t kUdpBytes = 8;
constexpr std::size_t kIcrcBytes = 4;

bool is_v4(const PacketSpec& p) { return p.src.is_v4() && p.dst.is_v4(); }

void write_extended_headers(const PacketSpec& p, ByteWriter& out) {
  if (p.ee_context) out.u32(*p.ee_context & kMask24);
  if (p.deth) {
    out.u32(p.deth->q_key);
    out.u32(p.deth->src_qp.value);
  }
  if (p.xrc_srq) out.u32(p.xrc_srq->value);
  if (p.feth) out.u32(*p.feth);
  if (p.reth) {
    out.u64(p.reth->virtual_address);
    out.u32(p.reth->r_key);
    out.u32(p.reth->dma_length);
  }
  if (p.atomic) {
    out.u64(p.atomic->virtual_address);
    out.u32(p.atomic->r_key);
    out.u64(p.atomic->swap_or_add);
    out.u64(p.atomic->compare);
  }
  if (p.aeth) {
    out.u8(p.aeth->syndrome);
    out.u24(p.aeth->msn.value);
  }
  if (p.atomic_original) out.u64(*p.atomic_original);
  if (p.immediate) out.u32(*p.immediate);
  if (p.invalidate_r_key) out.u32(*p.invalidate_r_key);
}

// BTH to pad: what the UDP datagram carries, but for the ICRC.
std::vector<std::uint8_t> transport_bytes(const PacketSpec& p) {
  const std::size_t pad = (4 - p.payload.size() % 4) % 4;
  ByteWriter out;
  out.u8(p.opcode);
  out.u8((p.solicited ? 0x80U : 0U) | (p.migration ? 0x40U : 0U) | pad << 4);  // TVer 0
  out.u16(p.p_key);
  out.u8((p.fecn ? 0x80U : 0U) | (p.becn ? 0x40U : 0U));
  out.u24(p.dest_qp.value);
  out.u8((p.ack_request ? 0x80U : 0U) | (p.reserved7 & 0x7FU));
  out.u24(p.psn.value);
  write_extended_headers(p, out);
  out.bytes(p.payload);
  out.zeros(pad);
  return std::move(out.data());
}

void write_address(const IpAddress& address, bool v4, ByteWriter& out) {
  if (!v4) out.u64(address.high());
  v4 ? out.u32(address.low() & 0xFFFFFFFF) : out.u64(address.low());
}

std::uint16_t ones_complement_sum(std::span<const std::uint8_t> bytes) {  // RFC 1071; even length
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) sum += static_cast<std::uint32_t>(bytes[i] << 8 | bytes[i + 1]);
  while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

std::vector<std::uint8_t> ipv4_header(const PacketSpec& p, std::size_t udp_length) {
  ByteWriter out;
  out.u8(0x45);
  out.u8(p.dscp << 2 | (p.ecn & 3U));
  out.u16(20 + udp_length);
  out.u16(p.ip_id);
  out.u16(0x4000);  // don't fragment
  out.u8(p.hop_limit);
  out.u8(17);
  out.u16(0);
  write_address(p.src, true, out);
  write_address(p.dst, true, out);
  const std::uint16_t checksum = ones_complement_sum(out.data());
  out.data()[10] = static_cast<std::uint8_t>(checksum >> 8);
  out.data()[11] = static_cast<std::uint8_t>(checksum);
  return std::move(out.data());
}

/// The whole Destination Options header (RFC 8200, 4.6), or nothing.
std::vector<std::uint8_t> destination_options(const PacketSpec& p) {
  if (p.destination_options.empty()) return {};
  constexpr std::size_t kUnit = 8;
  const std::size_t bytes = 2 + p.destination_options.size();
  const std::size_t pad = (kUnit - bytes % kUnit) % kUnit;
  ByteWriter out;
  out.u8(17);
  out.u8((bytes + pad) / kUnit - 1);
  out.bytes(p.destination_options);
  if (pad >= 2) {  // PadN; Pad1 is a zero
    out.u8(1);
    out.u8(pad - 2);
    out.zeros(pad - 2);
  } else {
    out.zeros(pad);
  }
  return std::move(out.data());
}

/// With its extension header.
std::vector<std::uint8_t> ipv6_header(const PacketSpec& p, std::size_t udp_length) {
  const std::vector<std::uint8_t> options = destination_options(p);
  ByteWriter out;
  out.u32(6U << 28 | (p.dscp << 2 | (p.ecn & 3U)) << 20);
  out.u16(options.size() + udp_length);
  out.u8(options.empty() ? 17 : 60);
  out.u8(p.hop_limit);
  write_address(p.src, false, out);
  write_address(p.dst, false, out);
  out.bytes(options);
  return std::move(out.data());
}

std::vector<std::uint8_t> udp_header(const PacketSpec& p, std::size_t udp_length) {
  ByteWriter out;
  out.u16(p.udp_src);
  out.u16(p.udp_dst);
  out.u16(udp_length);
  out.u16(0);  // no checksum, as RoCE adapters do
  return std::move(out.data());
}

// CRC-32 of Ethernet over what no router changes (annex A17.3.3): the changing fields count as ones, and eight bytes of
// ones stand where InfiniBand has its local route header.
std::uint32_t icrc(std::vector<std::uint8_t> ip, std::vector<std::uint8_t> udp, std::vector<std::uint8_t> transport,
                   bool unmasked) {
  const bool v4 = ip[0] >> 4 == 4;
  if (v4) {
    for (const std::size_t masked : {1U, 8U, 10U, 11U}) ip[masked] = 0xFF;  // TOS, TTL, checksum
  } else {
    for (const std::size_t masked : {1U, 2U, 3U, 7U}) ip[masked] = 0xFF;  // traffic class, flow label, hop limit
    ip[0] |= 0x0F;
  }
  udp[6] = udp[7] = 0xFF;
  if (!unmasked) transport[4] = 0xFF;
  const std::vector<std::uint8_t> route(8, 0xFF);
  uLong crc = crc32(0, nullptr, 0);
  for (const auto part : {Bytes(route), Bytes(ip), Bytes(udp), Bytes(transport)}) {
    crc = crc32(crc, part.data(), static_cast<uInt>(part.size()));
  }
  return static_cast<std::uint32_t>(crc);
}

void write_ethernet(const PacketSpec& p, ByteWriter& out) {
  out.bytes(p.mac_dst);
  out.bytes(p.mac_src);
  if (p.vlan) {
    out.u16(0x8100);
    out.u16(*p.vlan & 0xFFFU);
  }
  out.u16(is_v4(p) ? 0x0800 : 0x86DD);
}

}  // namespace

FrameBytes encode(const PacketSpec& packet) {
  ROCETOP_CHECK(packet.payload.size() <= kMaxPayload);
  const auto transport = transport_bytes(packet);
  const std::size_t udp_length = kUdpBytes + transport.size() + kIcrcBytes;
  const auto ip = is_v4(packet) ? ipv4_header(packet, udp_length) : ipv6_header(packet, udp_length);
  const auto udp = udp_header(packet, udp_length);
  const std::uint32_t crc = icrc(ip, udp, transport, packet.icrc_unmasked) ^ (packet.bad_icrc ? 0x5A5A5A5AU : 0U);
  ByteWriter out;
  write_ethernet(packet, out);
  out.bytes(ip);
  out.bytes(udp);
  out.bytes(transport);
  for (int i = 0; i < 4; ++i) out.u8(crc >> (packet.icrc_big_endian ? 24 - 8 * i : 8 * i) & 0xFF);
  return std::move(out.data());
}

PacketSpec make_cnp(const PacketSpec& to_sender) {
  PacketSpec cnp;
  cnp.mac_src = to_sender.mac_src;
  cnp.mac_dst = to_sender.mac_dst;
  cnp.vlan = to_sender.vlan;
  cnp.src = to_sender.src;
  cnp.dst = to_sender.dst;
  cnp.dscp = to_sender.dscp;
  cnp.ecn = to_sender.ecn;
  cnp.ip_id = to_sender.ip_id;
  cnp.udp_src = to_sender.udp_src;
  cnp.dest_qp = to_sender.dest_qp;
  cnp.set(Opcode::kCnp);
  cnp.becn = true;
  cnp.payload.assign(16, 0);
  return cnp;
}

PacketSpec make_fast_cnp(const PacketSpec& data, const IpAddress& address) {
  PacketSpec cnp = make_cnp(data);
  std::swap(cnp.mac_src, cnp.mac_dst);
  cnp.src = address;
  cnp.dst = data.src;
  ByteWriter option;
  option.u8(kFastCnpOption);
  option.u8(16);
  write_address(data.dst, false, option);
  cnp.destination_options = std::move(option.data());
  return cnp;
}

}  // namespace rocetop::generate
