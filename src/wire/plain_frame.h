// SPDX-License-Identifier: BSD-3-Clause
// PlainFrame: the shape that nearly every frame of a RoCE capture has, read where it stands: Ethernet, IPv4 without
// options and whole (RFC 791), UDP (RFC 768) to the RoCEv2 port, and a known operation of RC, UC, UD or XRC. Whatever
// differs in anything is not plain, and is decode()'s.
//
//    0          12     14   15    16       18   20      22    23     24       26    30    34
//   +----------+------+----+-----+--------+----+-------+-----+------+--------+-----+-----+
//   | MACs     | 0800 | 45 | TOS | length | id | flags | TTL | 0x11 | chksum | src | dst |   IPv4
//   +----------+------+----+-----+--------+----+-------+-----+------+--------+-----+-----+
//    34         36     38       40       42
//   +----------+------+--------+--------+-----
//   | src port | 4791 | length | chksum | BTH    UDP
//   +----------+------+--------+--------+-----
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/byte_reader.h"
#include "wire/bth.h"
#include "wire/decode.h"
#include "wire/opcode.h"
#include "wire/packet.h"

namespace rocetop::wire {

inline constexpr std::uint16_t kRoceV2Port = 4791;
inline constexpr std::uint16_t kVerocePort = 4794;
inline constexpr std::size_t kIcrcBytes = 4;

class PlainFrame {
 public:
  static constexpr std::size_t kIp = 14;
  static constexpr std::size_t kUdp = 34;
  static constexpr std::size_t kBth = 42;
  static constexpr std::uint8_t kProtocol = 17;  ///< that the IP header says: UDP

  /// False for a frame of another shape: then nothing else may be called. `bytes` must live as long.
  bool take(Bytes bytes) {
    if (bytes.size() < kBth + kBthBytes) return false;
    frame_ = bytes.data();
    const std::uint32_t ip_bytes = load_be16(frame_ + kIpLength);
    const std::uint32_t udp_bytes = load_be16(frame_ + kUdpLength);
    if (!is_whole_udp(ip_bytes, udp_bytes)) return false;
    opcode_ = kPlainOpcodes[frame_[kBth]];
    const std::uint32_t flags = frame_[kBth + 1];
    const std::uint32_t overhead_bytes =
        static_cast<std::uint32_t>(kBthBytes + kIcrcBytes) + opcode_.header_bytes + (flags >> 4 & 3);
    roce_bytes_ = udp_bytes - kUdpBytes;
    const bool version_0 = (flags & 0xF) == 0;
    if (!opcode_.plain || !version_0 || roce_bytes_ < overhead_bytes) return false;
    payload_bytes_ = roce_bytes_ - overhead_bytes;
    captured_bytes_ = bytes.size() - kBth;
    return true;
  }

  /// Of RC or UC, to a queue pair that is none of management's, and with headers, none cut off, of which the AETH or
  /// the RETH is the first: what the methods below tell is all that there is to know.
  bool is_common() const {
    return opcode_.common && captured_bytes_ >= kBthBytes + opcode_.header_bytes && dest_qp().value > 1;
  }

  const std::uint8_t* bytes() const { return frame_; }
  const std::uint8_t* src() const { return frame_ + kIpSource; }       ///< 4 bytes
  const std::uint8_t* dst() const { return frame_ + kIpDestination; }  ///< 4 bytes
  std::uint16_t udp_src() const { return load_be16(frame_ + kUdp); }
  std::uint8_t traffic_class() const { return frame_[kTos]; }
  std::uint8_t hop_limit() const { return frame_[kTtl]; }
  std::uint16_t ip_id() const { return load_be16(frame_ + kIpId); }

  std::uint8_t opcode() const { return frame_[kBth]; }
  const PlainOpcode& opcode_facts() const { return opcode_; }
  Qpn dest_qp() const { return Qpn{load_be32(frame_ + kBth + 4)}; }
  bool ack_request() const { return (frame_[kBth + 8] & 0x80) != 0; }
  Psn psn() const { return Psn{load_be32(frame_ + kBth + 8)}; }
  /// The first extension header.
  const std::uint8_t* after_bth() const { return frame_ + kBth + kBthBytes; }

  // Of the RETH and the AETH, where there is one and is_common() holds.
  std::uint32_t reth_address_low() const { return load_be32(after_bth() + 4); }
  std::uint32_t reth_dma_length() const { return load_be32(after_bth() + 12); }
  std::uint8_t aeth_syndrome() const { return after_bth()[0]; }
  Msn aeth_msn() const { return Msn{load_be32(after_bth())}; }

  std::size_t roce_bytes() const { return roce_bytes_; }          ///< from BTH to ICRC, as the headers state it
  std::uint32_t payload_bytes() const { return payload_bytes_; }  ///< … of these, payload
  std::size_t captured_bytes() const { return captured_bytes_; }  ///< from the BTH on, with what may follow the ICRC
  bool truncated() const { return captured_bytes_ < roce_bytes_; }

 private:
  static constexpr std::size_t kEthertype = 12;
  static constexpr std::size_t kTos = 15;
  static constexpr std::size_t kIpLength = 16;
  static constexpr std::size_t kIpId = 18;
  static constexpr std::size_t kFragment = 20;
  static constexpr std::size_t kTtl = 22;
  static constexpr std::size_t kIpProtocol = 23;
  static constexpr std::size_t kIpSource = 26;
  static constexpr std::size_t kIpDestination = 30;
  static constexpr std::size_t kUdpDestination = 36;
  static constexpr std::size_t kUdpLength = 38;

  static constexpr std::uint32_t kIpBytes = kUdp - kIp;
  static constexpr std::uint32_t kUdpBytes = kBth - kUdp;
  static constexpr std::uint16_t kFragmentMask = 0x3FFF;  // more fragments, and the offset

  bool is_whole_udp(std::uint32_t ip_bytes, std::uint32_t udp_bytes) const {
    return load_be16(frame_ + kEthertype) == 0x0800 && frame_[kIp] == 0x45 &&
           (load_be16(frame_ + kFragment) & kFragmentMask) == 0 && frame_[kIpProtocol] == kProtocol &&
           load_be16(frame_ + kUdpDestination) == kRoceV2Port && ip_bytes >= kIpBytes + kUdpBytes &&
           udp_bytes >= kUdpBytes && udp_bytes <= ip_bytes - kIpBytes;
  }

  const std::uint8_t* frame_ = nullptr;
  std::size_t captured_bytes_ = 0;
  std::uint32_t roce_bytes_ = 0;
  std::uint32_t payload_bytes_ = 0;
  PlainOpcode opcode_;
};

/// What decode() would say of the ICRC.
IcrcStatus check_icrc(const PlainFrame& frame, const DecodeOptions& options);
inline IcrcStatus icrc_status(const PlainFrame& frame, const DecodeOptions& options) {
  return frame.truncated() ? IcrcStatus::kUnchecked : check_icrc(frame, options);
}

}  // namespace rocetop::wire
