// SPDX-License-Identifier: BSD-3-Clause
#include "support/veroce_traffic.h"

namespace rocetop::test {

using generate::VerocePacket;

namespace {

IpAddress host(std::uint8_t last) {
  const std::uint8_t bytes[] = {192, 0, 2, last};
  return IpAddress::v4(bytes);
}

VerocePacket packet_between(std::uint8_t from, std::uint8_t to, std::uint32_t qp, std::uint8_t opcode) {
  VerocePacket p;
  p.base.src = host(from);
  p.base.dst = host(to);
  p.base.udp_src = 0xC100;
  p.base.dest_qp = Qpn{qp};
  p.base.opcode = opcode;
  return p;
}

/// Bytes that are neither zeros nor alike, as data is.
std::vector<std::uint8_t> data(std::uint32_t bytes, std::uint32_t seed) {
  std::vector<std::uint8_t> out(bytes);
  std::uint32_t state = seed * 2654435761U + 1;
  for (std::uint8_t& byte : out) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return out;
}

}  // namespace

VerocePacket VeroceTraffic::from_requester(std::uint8_t opcode) const {
  return packet_between(1, 2, kResponderQp, opcode);
}

VerocePacket VeroceTraffic::from_responder(std::uint8_t opcode) const {
  return packet_between(2, 1, kRequesterQp, opcode);
}

void VeroceTraffic::add(const VerocePacket& packet) {
  packets.push_back(packet);
  frames.push_back(generate::encode_veroce(packet, wire));
}

void VeroceTraffic::write(int count, std::uint32_t last_bytes, bool immediate) {
  const std::uint32_t r_key = 0xA0000001 + msn;
  for (int i = 0; i < count; ++i) {
    const bool last = i + 1 == count;
    std::uint8_t opcode = count == 1 ? 0x0A : i == 0 ? 0x06 : last ? 0x08 : 0x07;
    if (last && immediate) ++opcode;
    VerocePacket p = from_requester(opcode);
    p.base.psn = Psn{psn++};
    p.base.ack_request = last;
    p.msn = msn;
    p.packet_order = static_cast<std::uint32_t>(i);
    p.rq_msn = rq_msn;
    p.own = 0xABBF0000 + msn;
    p.payload = data(last ? last_bytes : kPathMtu, psn);
    const auto bytes = static_cast<std::uint32_t>(p.payload.size());
    p.reth = {0x7F00000000ULL + static_cast<std::uint64_t>(i) * kPathMtu, r_key,
              wire.reth_in_every_write && !wire.plain ? bytes
                                                      : kPathMtu * static_cast<std::uint32_t>(count - 1) + last_bytes};
    add(p);
  }
  ++msn;
  if (immediate) ++rq_msn;
}

void VeroceTraffic::send(int count, std::uint32_t last_bytes, std::uint8_t last_opcode, std::uint8_t only_opcode) {
  for (int i = 0; i < count; ++i) {
    const bool last = i + 1 == count;
    VerocePacket p = from_requester(count == 1 ? only_opcode : i == 0 ? 0 : last ? last_opcode : 1);
    p.base.psn = Psn{psn++};
    p.base.ack_request = last;
    p.msn = msn;
    p.packet_order = static_cast<std::uint32_t>(i);
    p.rq_msn = rq_msn;
    p.own = 0xDEAD0000 + msn;
    p.payload = data(last ? last_bytes : kPathMtu, psn);
    add(p);
  }
  ++msn;
  ++rq_msn;
}

void VeroceTraffic::read(int count) {
  VerocePacket request = from_requester(0x0C);
  request.base.psn = Psn{psn++};
  request.msn = msn;
  request.reth = {0x7E00000000ULL, 0xB0B0B0B0, kPathMtu * static_cast<std::uint32_t>(count)};
  add(request);
  for (int i = 0; i < count; ++i) {
    const std::uint8_t opcode = count == 1 ? 0x10 : i == 0 ? 0x0D : i + 1 == count ? 0x0F : 0x0E;
    VerocePacket p = from_responder(opcode);
    p.base.psn = Psn{response_psn++};
    p.msn = response_msn;
    p.packet_order = static_cast<std::uint32_t>(i);
    p.aeth = {0x1F, Msn{msn}};
    p.payload = data(kPathMtu, response_psn);
    add(p);
  }
  ++msn;
  ++response_msn;
  VerocePacket ack = from_requester(0x19);
  ack.base.psn = Psn{response_psn - 1};
  ack.aeth = {0x1F, Msn{response_msn - 1}};
  ack.packet_order = 0;
  if (!wire.plain) add(ack);
}

void VeroceTraffic::atomic(std::uint64_t original) {
  VerocePacket request = from_requester(0x14);
  request.base.psn = Psn{psn++};
  request.msn = msn;
  request.atomic = {0x7D00000000ULL, 0xC0C0C0C0, 1, 0};
  add(request);
  VerocePacket p = from_responder(0x12);
  p.base.psn = Psn{response_psn++};
  p.msn = response_msn++;
  p.aeth = {0x1F, Msn{msn++}};
  p.atomic_original = original;
  add(p);
}

void VeroceTraffic::acknowledge() {
  VerocePacket p = from_responder(0x11);
  p.base.psn = Psn{psn - 1};
  p.aeth = {0x1F, Msn{msn - 1}};
  p.packet_order = 0;
  add(p);
}

void VeroceTraffic::lose_and_resend(std::uint32_t lost, bool flagged) {
  constexpr std::uint32_t kBehind = 4;
  const std::size_t before = packets.size();
  write(static_cast<int>(lost + kBehind + 1), kPathMtu);
  if (!wire.plain) {
    VerocePacket sack = from_responder(0x18);
    sack.base.psn = Psn{psn - lost - kBehind - 1};
    sack.aeth = {0x1F, Msn{msn - 2}};
    sack.packet_order = 0xFFFFFF;
    sack.sack_length = lost + kBehind + 1 - wire.sack_starts_after;
    sack.sack_received = {sack.base.psn.value};
    for (std::uint32_t i = 0; i < kBehind; ++i) sack.sack_received.push_back(Psn{psn - kBehind + i}.value);
    add(sack);
  }
  for (std::uint32_t i = 0; i < lost; ++i) {
    VerocePacket again = packets[before + 1 + i];
    again.retransmit = flagged;
    add(again);
  }
  acknowledge();
}

void VeroceTraffic::rtt_exchange() {
  VerocePacket request = from_requester(0x82);
  request.rtt = {0xCC01, 1'000, 0, 0, 0};
  VerocePacket response = from_responder(0x83);
  response.rtt = {0xCC01, 1'000, 50'000, 51'500, 0};
  add(request);
  add(response);
}

void VeroceTraffic::run(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    write(3, 600);
    write(1, 700);
    write(1, 40, true);
    write(3, 52, true);
    send(3, 400);
    send(1, 100);
    send(2, 24, 3, 5);
    send(1, 36, 3, 5);
    send(3, 64, 0x16, 0x17);
    send(1, 16, 0x16, 0x17);
    acknowledge();
    read(3);
    read(1);
    atomic(static_cast<std::uint64_t>(i) + 5);
    lose_and_resend(2);
  }
}

}  // namespace rocetop::test
