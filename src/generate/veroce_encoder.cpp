// SPDX-License-Identifier: BSD-3-Clause
#include "generate/veroce_encoder.h"

#include <array>

#include "base/check.h"
#include "generate/byte_writer.h"

namespace rocetop::generate {
namespace {

class Headers {
 public:
  Headers(const VerocePacket& packet, const VeroceWire& wire) : p_(packet), w_(wire) {
    out_.data().reserve(kMost);
    out_.zeros(wire.extra_bytes);
  }

  FrameBytes bytes() {
    const unsigned op = p_.base.opcode;
    if (op <= 0x05 || op == 0x16 || op == 0x17) send(op);
    if (op >= 0x06 && op <= 0x0B) write(op);
    if (op == 0x0C) read_request();
    if (op >= 0x0D && op <= 0x10) read_response(op);
    if (op == 0x11 || op == 0x18 || op == 0x19 || op == 0x1E) acknowledge(op);
    if (op == 0x12) atomic_acknowledge();
    if (op == 0x13 || op == 0x14) atomic();
    if (op == 0x82 || op == 0x83) {
      for (const std::uint32_t word : p_.rtt) out_.u32(word);
    }
    return std::move(out_.data());
  }

 private:
  static constexpr std::size_t kMost = 64;  // bytes, of all that are written here

  void msn() {
    if (!w_.plain) out_.u32(p_.msn);
  }
  void order() {
    if (!w_.plain) out_.u32(p_.packet_order);
  }
  void rq() {
    if (!w_.plain) out_.u32(p_.rq_msn);
  }
  void reth() {
    out_.u64(p_.reth.virtual_address);
    out_.u32(p_.reth.r_key);
    out_.u32(p_.reth.dma_length);
  }
  void aeth() {
    out_.u8(p_.aeth.syndrome);
    out_.u24(p_.aeth.msn.value);
  }
  void in_order(std::string_view words, bool has_order) {
    while (!words.empty()) {
      const std::string_view word = words.substr(0, words.find(' '));
      words.remove_prefix(std::min(word.size() + 1, words.size()));
      if (word == "rq") rq();
      if (word == "po" && has_order) order();
      if (word == "own") out_.u32(p_.own);
    }
  }

  void send(unsigned op) {
    const bool inside = op == 1 || op == 2 || op == 3 || op == 0x16;
    msn();
    if (op == 3 || op == 5) return in_order(w_.send_immediate, inside);
    if (op >= 0x16) return in_order(w_.send_invalidate, inside);
    rq();
    if (inside) order();
  }
  void write(unsigned op) {
    const bool inside = op >= 7 && op <= 9;
    msn();
    if (!inside || (w_.reth_in_every_write && !w_.plain)) reth();
    if (op == 9 || op == 0x0B) return in_order(w_.write_immediate, inside);
    if (inside) order();
  }
  void read_request() {
    msn();
    reth();
  }
  void read_response(unsigned op) {
    msn();
    if (!w_.plain || op != 0x0E) aeth();
    if (op == 0x0E || op == 0x0F) order();
  }
  void atomic() {
    msn();
    out_.u64(p_.atomic.virtual_address);
    out_.u32(p_.atomic.r_key);
    out_.u64(p_.atomic.swap_or_add);
    out_.u64(p_.atomic.compare);
  }
  void atomic_acknowledge() {
    msn();
    if (w_.atomic_aeth_first) aeth();
    out_.u64(p_.atomic_original);
    if (!w_.atomic_aeth_first) aeth();
  }
  void acknowledge(unsigned op) {
    aeth();
    order();
    if (op == 0x18 || op == 0x1E) sack();
  }
  void sack() {
    const std::uint32_t start = (p_.base.psn.value + w_.sack_starts_after) & 0xFFFFFF;
    if (w_.sack_length_first) out_.u8(p_.sack_length);
    out_.u24(start);
    if (!w_.sack_length_first) out_.u8(p_.sack_length);
    std::array<std::uint8_t, 16> bitmap{};
    for (const std::uint32_t psn : p_.sack_received) {
      const std::uint32_t offset = (psn - start) & 0xFFFFFF;
      if (offset >= 128) continue;  // before the start
      const std::uint32_t written = place(offset);
      bitmap[written / 8] = static_cast<std::uint8_t>(bitmap[written / 8] | 0x80U >> written % 8);
    }
    out_.bytes(bitmap);
  }
  std::uint32_t place(std::uint32_t i) const {
    switch (w_.sack_bit) {
      case VeroceWire::SackBit::kLastFirst:
        return 127 - i;
      case VeroceWire::SackBit::kByteWise:
        return i / 8 * 8 + 7 - i % 8;
      case VeroceWire::SackBit::kAsWritten:
        return i;
      case VeroceWire::SackBit::kByWord:
        return i / 32 * 32 + 31 - i % 32;
      case VeroceWire::SackBit::kByDoubleWord:
        return i / 64 * 64 + 63 - i % 64;
    }
    return 0;
  }

  const VerocePacket& p_;
  const VeroceWire& w_;
  ByteWriter out_;
};

}  // namespace

FrameBytes veroce_headers(const VerocePacket& packet, const VeroceWire& wire) { return Headers(packet, wire).bytes(); }

FrameBytes encode_veroce(const VerocePacket& packet, const VeroceWire& wire) {
  PacketSpec spec = packet.base;
  spec.udp_dst = 4794;
  if (packet.retransmit) spec.reserved7 = wire.retransmit_bit;
  spec.icrc_unmasked = wire.icrc_unmasked;
  spec.icrc_big_endian = wire.icrc_big_endian;
  FrameBytes behind = veroce_headers(packet, wire);
  if (!packet.trimmed) behind.insert(behind.end(), packet.payload.begin(), packet.payload.end());
  spec.payload = std::move(behind);
  return encode(spec);
}

}  // namespace rocetop::generate
