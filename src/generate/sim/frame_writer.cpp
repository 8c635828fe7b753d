// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/frame_writer.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "generate/pause_encoder.h"
#include "generate/sim/veroce_frame.h"

namespace rocetop::generate::sim {
namespace {

constexpr std::size_t kEthernetBytes = 14;
constexpr std::size_t kIpv4Bytes = 20;
constexpr std::size_t kIpv6Bytes = 40;
constexpr std::size_t kUdpBytes = 8;
constexpr std::size_t kBthBytes = 12;
constexpr std::size_t kIcrcBytes = 4;
constexpr std::uint8_t kBecn = 0x40;  // in BTH byte 4
constexpr std::uint16_t kVerocePort = 4794;
constexpr std::size_t kShortestFrame = 60;  // without its check sequence
constexpr std::size_t kAroundFrame = 24;    // check sequence, preamble, gap
constexpr std::uint32_t kRKey = 0x1234;
constexpr std::uint32_t kCnpZeros = 16;
constexpr std::uint32_t kCmBytes = 8 + 256;  // DETH and MAD
constexpr std::size_t kLongestHeaders = 128;
constexpr std::size_t kZerosMost = 4'096;  // lengths of payloads that are remembered

void put(std::uint8_t* at, std::uint64_t value, int octets) {
  for (int i = octets - 1; i >= 0; --i, value >>= 8) at[i] = static_cast<std::uint8_t>(value);
}

bool has_reth(Opcode opcode) {
  return opcode == Opcode::kWriteFirst || opcode == Opcode::kWriteOnly || opcode == Opcode::kReadRequest;
}

bool has_aeth(const Packet& packet) {
  switch (packet.kind) {
    case PacketKind::kAck:
    case PacketKind::kNak:
    case PacketKind::kRnrNak:
      return true;
    case PacketKind::kResponse:
      return packet.opcode != Opcode::kReadResponseMiddle;
    default:
      return false;
  }
}

std::uint32_t extension_bytes(const Packet& packet) {
  if (has_reth(packet.opcode)) return 16;
  if (packet.opcode == Opcode::kFetchAdd) return 28;
  if (packet.opcode == Opcode::kAtomicAcknowledge) return 12;
  return has_aeth(packet) ? 4 : 0;
}

/// Payload and pad: all of it zeros.
std::uint32_t zero_bytes(const Packet& packet) {
  return packet.kind == PacketKind::kCnp ? kCnpZeros : (packet.payload + 3) / 4 * 4;
}

std::uint32_t udp_length(const Packet& packet) {
  if (packet.kind == PacketKind::kCm) return kUdpBytes + kBthBytes + kCmBytes + kIcrcBytes;
  return static_cast<std::uint32_t>(kUdpBytes + kBthBytes + kIcrcBytes) + extension_bytes(packet) + zero_bytes(packet);
}

/// What REQ and REP say of veRoCE, as it is thought to be said: a vendor's number in 20 bits (here one of nobody's),
/// and the profile in 4. Who answers takes the profile that the connection then has: 0 is plain RoCEv2.
std::uint32_t ece_vendor(const ConnectionPlan& connection, CmType type) {
  constexpr std::uint32_t kVendor = 0xFACE5;
  constexpr std::uint8_t kAllOfVeroce = 3;
  if (!connection.profile && !connection.is_veroce()) return 0;
  const std::uint32_t offered = connection.profile.value_or(kAllOfVeroce);
  return kVendor << 4 | (type == CmType::kReq || connection.is_veroce() ? offered : 0);
}

std::uint32_t veroce_udp_length(const Packet& packet, const ConnectionPlan& plan) {
  return static_cast<std::uint32_t>(kUdpBytes + kBthBytes + kIcrcBytes) + veroce_header_bytes(packet, plan.veroce) +
         veroce_zero_bytes(packet, plan.veroce);
}

}  // namespace

std::uint32_t wire_bytes(const Packet& packet, const ConnectionPlan& plan, bool v4) {
  const bool veroce = plan.is_veroce() && packet.kind != PacketKind::kCm;
  const std::size_t udp = veroce ? veroce_udp_length(packet, plan) : udp_length(packet);
  const std::size_t frame = kEthernetBytes + (v4 ? kIpv4Bytes : kIpv6Bytes) + udp;
  return static_cast<std::uint32_t>(std::max(frame, kShortestFrame) + kAroundFrame);
}

/// As Linux makes it of the queue pair numbers (rdma_calc_flow_label, rdma_flow_label_to_udp_sport).
std::uint16_t FrameWriter::port_of(const ConnectionPlan& plan) {
  if (plan.port) return *plan.port;
  std::uint64_t label = std::uint64_t{plan.qpn_a.value} * plan.qpn_b.value;
  label ^= label >> 20;
  label ^= label >> 40;
  label &= 0xFFFFF;
  return static_cast<std::uint16_t>(0xC000 | ((label & 0x3FFF) ^ (label & 0xFC000) >> 14));
}

FrameWriter::FrameWriter(const Plan& plan) : plan_(plan), frame_(kLongestHeaders + 65'536) {
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    macs_.push_back({0x02, 0, 0, 0, static_cast<std::uint8_t>((i + 1) >> 8), static_cast<std::uint8_t>(i + 1)});
  }
  for (const ConnectionPlan& connection : plan.connections) {
    for (const bool from_a : {true, false}) {
      Layout layout;
      PacketSpec& spec = layout.addresses;
      const std::size_t src = from_a ? connection.a : connection.b;
      const std::size_t dst = from_a ? connection.b : connection.a;
      spec.mac_src = macs_[src];
      spec.mac_dst = macs_[dst];
      spec.src = plan.nodes[src].ip;
      spec.dst = plan.nodes[dst].ip;
      spec.udp_src = port_of(connection);
      spec.dest_qp = from_a ? connection.qpn_b : connection.qpn_a;
      layout.v4 = spec.src.is_v4() && spec.dst.is_v4();
      layout.transport = connection.unreliable ? 0x20 : 0;
      if (connection.is_veroce()) layout.veroce = &connection.veroce;
      PacketSpec blank = spec;
      blank.hop_limit = 64;
      if (layout.veroce != nullptr) blank.udp_dst = kVerocePort;
      const std::size_t headers = kEthernetBytes + (layout.v4 ? kIpv4Bytes : kIpv6Bytes) + kUdpBytes + kBthBytes;
      layout.bytes = encode(blank);
      layout.bytes.resize(headers);
      if (layout.v4) {
        put(&layout.bytes[kEthernetBytes + 2], 0, 2);   // length
        put(&layout.bytes[kEthernetBytes + 10], 0, 2);  // checksum
        for (std::size_t b = 0; b < kIpv4Bytes; b += 2) {
          layout.checksum +=
              static_cast<std::uint32_t>(layout.bytes[kEthernetBytes + b] << 8 | layout.bytes[kEthernetBytes + b + 1]);
        }
      }
      layouts_.push_back(std::move(layout));
    }
  }
}

std::span<const std::uint8_t> FrameWriter::write(const Packet& packet, std::uint32_t snap_length,
                                                 std::uint32_t& wire_length) {
  if (packet.kind == PacketKind::kCm) return write_cm(packet, snap_length, wire_length);
  const Layout& layout = layouts_[packet.sender];
  std::size_t headers = layout.bytes.size();
  std::uint32_t zeros = 0;
  bool icrc_big_endian = false;
  if (layout.veroce != nullptr) {
    zeros = veroce_zero_bytes(packet, *layout.veroce);
    icrc_big_endian = layout.veroce->wire.icrc_big_endian;
    headers += write_veroce(packet, layout);
  } else {
    zeros = zero_bytes(packet);
    write_headers(packet, layout, udp_length(packet));
    headers += write_extension(packet, headers);
  }
  wire_length = static_cast<std::uint32_t>(headers + zeros + kIcrcBytes);
  const std::size_t captured = std::min<std::size_t>(wire_length, snap_length);
  if (captured > headers) std::memset(&frame_[headers], 0, std::min<std::size_t>(zeros, captured - headers));
  if (captured > headers + zeros) {
    const std::uint32_t crc = icrc(layout, headers, zeros) ^ (packet.damaged ? 0x5A5A5A5AU : 0U);
    for (std::size_t i = 0; i < kIcrcBytes; ++i) {
      frame_[headers + zeros + i] = static_cast<std::uint8_t>(crc >> (icrc_big_endian ? 24 - 8 * i : 8 * i));
    }
  }
  return {frame_.data(), captured};
}

/// Rare: encoder.h does it.
std::span<const std::uint8_t> FrameWriter::write_cm(const Packet& packet, std::uint32_t snap_length,
                                                    std::uint32_t& wire_length) {
  const ConnectionPlan& connection = plan_.connections[packet.sender / 2];
  const bool from_a = packet.sender % 2 == 0;
  constexpr std::uint32_t kCommId = 0xC000'0000;
  PacketSpec addressed = layouts_[packet.sender].addresses;
  addressed.dscp = packet.dscp;
  addressed.ecn = packet.ecn;
  addressed.ip_id = packet.ip_id;
  addressed.psn = wire_psn(packet.sequence);
  addressed.bad_icrc = packet.damaged;
  CmSpec message;
  message.type = packet.cm;
  message.transaction_id = packet.sender / 2 + 1;
  message.qpn = from_a ? connection.qpn_a : connection.qpn_b;
  message.local_comm_id = kCommId | message.qpn.value;
  message.remote_comm_id = kCommId | (from_a ? connection.qpn_b : connection.qpn_a).value;
  message.starting_psn = Psn{packet.dma_length};
  message.path_mtu = connection.path_mtu;
  message.transport_type = connection.unreliable ? 1 : 0;
  message.local_ack_timeout = connection.timeout;
  message.retry_count = static_cast<std::uint8_t>(connection.retries);
  message.ece_vendor = ece_vendor(connection, packet.cm);
  return keep(encode(make_cm(std::move(addressed), message)), snap_length, wire_length);
}

std::size_t FrameWriter::write_veroce(const Packet& packet, const Layout& layout) {
  const FrameBytes extension =
      veroce_headers(veroce_packet(packet, *layout.veroce, layout.addresses), layout.veroce->wire);
  const std::uint32_t zeros = veroce_zero_bytes(packet, *layout.veroce);
  write_headers(packet, layout,
                static_cast<std::uint32_t>(kUdpBytes + kBthBytes + extension.size() + zeros + kIcrcBytes));
  std::uint8_t* const bth = &frame_[layout.bytes.size() - kBthBytes];
  put(bth - kUdpBytes, packet.udp_src, 2);
  if (packet.veroce.becn) bth[4] = kBecn;
  if (packet.veroce.trimmed) bth[1] = 0;  // what was padded is gone
  if (packet.resent) bth[8] = static_cast<std::uint8_t>(bth[8] | (layout.veroce->wire.retransmit_bit & 0x7FU));
  std::memcpy(bth + kBthBytes, extension.data(), extension.size());
  return extension.size();
}

std::span<const std::uint8_t> FrameWriter::keep(const FrameBytes& bytes, std::uint32_t snap_length,
                                                std::uint32_t& wire_length) {
  std::copy(bytes.begin(), bytes.end(), frame_.begin());
  wire_length = static_cast<std::uint32_t>(bytes.size());
  return {frame_.data(), std::min<std::size_t>(wire_length, snap_length)};
}

void FrameWriter::write_headers(const Packet& packet, const Layout& layout, std::uint32_t udp_bytes) {
  std::uint8_t* const frame = frame_.data();
  std::memcpy(frame, layout.bytes.data(), layout.bytes.size());
  std::uint8_t* const ip = frame + kEthernetBytes;
  const unsigned tos = static_cast<unsigned>(packet.dscp) << 2 | packet.ecn;
  std::uint8_t* udp = ip + kIpv4Bytes;
  if (layout.v4) {
    const std::uint32_t length = udp_bytes + kIpv4Bytes;
    ip[1] = static_cast<std::uint8_t>(tos);
    put(ip + 2, length, 2);
    put(ip + 4, packet.ip_id, 2);
    std::uint32_t sum = layout.checksum + tos + length + packet.ip_id;
    while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16);
    put(ip + 10, ~sum & 0xFFFF, 2);
  } else {
    put(ip, 6U << 28 | tos << 20, 4);
    put(ip + 4, udp_bytes, 2);
    udp = ip + kIpv6Bytes;
  }
  put(udp + 4, udp_bytes, 2);
  std::uint8_t* const bth = udp + kUdpBytes;
  const bool cnp = packet.kind == PacketKind::kCnp;
  const std::uint32_t pad = (4 - packet.payload % 4) % 4;
  bth[0] = static_cast<std::uint8_t>(static_cast<unsigned>(packet.opcode) | (cnp ? 0U : layout.transport));
  bth[1] = static_cast<std::uint8_t>(pad << 4);
  if (cnp) bth[4] = kBecn;
  bth[8] = packet.ack_request ? 0x80 : 0;
  put(bth + 9, static_cast<std::uint64_t>(packet.sequence) & kMask24, 3);
}

std::size_t FrameWriter::write_extension(const Packet& packet, std::size_t at) {
  std::uint8_t* const to = &frame_[at];
  if (has_reth(packet.opcode)) {
    put(to, packet.address, 8);
    put(to + 8, kRKey, 4);
    put(to + 12, packet.dma_length, 4);
  } else if (packet.opcode == Opcode::kFetchAdd) {
    put(to, packet.address, 8);
    put(to + 8, kRKey, 4);
    put(to + 12, 1, 8);
    put(to + 20, 0, 8);
  } else if (has_aeth(packet)) {
    to[0] = packet.syndrome;
    put(to + 1, packet.msn & kMask24, 3);
    if (packet.opcode == Opcode::kAtomicAcknowledge) put(to + 4, 0, 8);
  }
  return extension_bytes(packet);
}

/// As annex A17.3.3 has it (see encoder.cpp): of the headers with what routers change masked, then of zeros.
std::uint32_t FrameWriter::icrc(const Layout& layout, std::size_t header_bytes, std::uint32_t zeros) {
  std::uint8_t masked[kLongestHeaders];
  std::memset(masked, 0xFF, 8);  // where InfiniBand has its local route header
  std::uint8_t* const ip = masked + 8;
  const std::size_t bytes = header_bytes - kEthernetBytes;
  std::memcpy(ip, &frame_[kEthernetBytes], bytes);
  std::size_t udp = kIpv4Bytes;
  if (layout.v4) {
    ip[1] = ip[8] = ip[10] = ip[11] = 0xFF;  // TOS, TTL, checksum
  } else {
    ip[0] |= 0x0F;
    ip[1] = ip[2] = ip[3] = ip[7] = 0xFF;  // traffic class, flow label, hop limit
    udp = kIpv6Bytes;
  }
  ip[udp + 6] = ip[udp + 7] = 0xFF;
  if (layout.veroce == nullptr || !layout.veroce->wire.icrc_unmasked) ip[udp + kUdpBytes + 4] = 0xFF;
  const uLong crc = crc32(0, masked, static_cast<uInt>(8 + bytes));
  if (zeros == 0) return static_cast<std::uint32_t>(crc);
  const Zeros& behind = zeros_of(zeros);
  return static_cast<std::uint32_t>(crc32_combine_op(crc, behind.crc, behind.operation));
}

const FrameWriter::Zeros& FrameWriter::zeros_of(std::uint32_t bytes) {
  const auto found = zeros_.find(bytes);
  if (found != zeros_.end()) return found->second;
  if (zeros_.size() >= kZerosMost) zeros_.clear();
  const std::vector<std::uint8_t> all(bytes);
  return zeros_[bytes] = {crc32_combine_gen(bytes), crc32(0, all.data(), bytes)};
}

std::span<const std::uint8_t> FrameWriter::write_pause(std::size_t node, std::uint16_t quanta) {
  PauseSpec pause;
  pause.mac_src = macs_[node];
  pause.classes = 1U << kDataClass;
  pause.quanta = quanta;
  const FrameBytes bytes = encode(pause);
  std::copy(bytes.begin(), bytes.end(), frame_.begin());
  return {frame_.data(), bytes.size()};
}

PacketSpec FrameWriter::spec(const Packet& packet) const {
  const Layout& layout = layouts_[packet.sender];
  PacketSpec spec = layout.addresses;
  const bool cnp = packet.kind == PacketKind::kCnp;
  spec.opcode = static_cast<std::uint8_t>(static_cast<unsigned>(packet.opcode) | (cnp ? 0U : layout.transport));
  spec.dscp = packet.dscp;
  spec.ecn = packet.ecn;
  spec.ip_id = packet.ip_id;
  spec.becn = cnp;
  spec.ack_request = packet.ack_request;
  spec.psn = wire_psn(packet.sequence);
  spec.bad_icrc = packet.damaged;
  if (has_reth(packet.opcode)) spec.reth = RethSpec{packet.address, kRKey, packet.dma_length};
  if (packet.opcode == Opcode::kFetchAdd) spec.atomic = AtomicEthSpec{packet.address, kRKey, 1, 0};
  if (has_aeth(packet)) spec.aeth = AethSpec{packet.syndrome, Msn{packet.msn}};
  if (packet.opcode == Opcode::kAtomicAcknowledge) spec.atomic_original = 0;
  spec.payload.assign(cnp ? kCnpZeros : packet.payload, 0);
  return spec;
}

VerocePacket FrameWriter::veroce_spec(const Packet& packet) const {
  const Layout& layout = layouts_[packet.sender];
  VerocePacket spec = veroce_packet(packet, *layout.veroce, layout.addresses);
  spec.payload.assign(packet.kind == PacketKind::kCnp ? layout.veroce->cnp_body : packet.payload, 0);
  return spec;
}

}  // namespace rocetop::generate::sim
