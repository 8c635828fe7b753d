// SPDX-License-Identifier: BSD-3-Clause
// FrameWriter: a simulated packet -> the bytes of its frame, fast: what all packets of a queue pair share is laid out
// once, and the ICRC of a payload, which is zeros, is known for its length. Tests hold it against encode() and
// encode_veroce() of encoder.h and veroce_encoder.h, byte by byte.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "generate/sim/packet.h"

namespace rocetop::generate::sim {

/// What a packet of this connection takes on the wire: preamble, frame, check sequence, gap.
std::uint32_t wire_bytes(const Packet& packet, const ConnectionPlan& plan, bool v4);

class FrameWriter {
 public:
  explicit FrameWriter(const Plan& plan);

  /// At most the first `snap_length` bytes of the frame; they stay until the next call. `wire_length`: all of it.
  std::span<const std::uint8_t> write(const Packet& packet, std::uint32_t snap_length, std::uint32_t& wire_length);
  /// A pause frame that `node` sends.
  std::span<const std::uint8_t> write_pause(std::size_t node, std::uint16_t quanta);
  /// UDP source port of a connection, in both directions.
  static std::uint16_t port_of(const ConnectionPlan& plan);
  /// The packet as encoder.h wants it.
  PacketSpec spec(const Packet& packet) const;
  /// The packet of a veRoCE connection as veroce_encoder.h wants it.
  VerocePacket veroce_spec(const Packet& packet) const;

 private:
  struct Layout {
    std::vector<std::uint8_t> bytes;  ///< Ethernet to BTH
    bool v4 = true;
    std::uint8_t transport = 0;  ///< bits of the opcode
    std::uint32_t checksum = 0;  ///< one's complement sum of the IPv4 header without what changes
    PacketSpec addresses;
    const VerocePlan* veroce = nullptr;  ///< null: RoCEv2
  };
  /// How the CRC of what stands before `zeros` bytes goes on behind them.
  struct Zeros {
    unsigned long operation = 0;
    unsigned long crc = 0;
  };

  std::span<const std::uint8_t> write_cm(const Packet& packet, std::uint32_t snap_length, std::uint32_t& wire_length);
  std::span<const std::uint8_t> keep(const FrameBytes& bytes, std::uint32_t snap_length, std::uint32_t& wire_length);
  void write_headers(const Packet& packet, const Layout& layout, std::uint32_t udp_bytes);
  /// What stands between BTH and payload. Returns its bytes.
  std::size_t write_extension(const Packet& packet, std::size_t at);
  /// All up to the payload of a veRoCE packet. Returns the bytes behind BTH.
  std::size_t write_veroce(const Packet& packet, const Layout& layout);
  std::uint32_t icrc(const Layout& layout, std::size_t header_bytes, std::uint32_t zeros);
  const Zeros& zeros_of(std::uint32_t bytes);

  const Plan& plan_;
  std::vector<Layout> layouts_;  ///< by queue pair
  std::vector<std::array<std::uint8_t, 6>> macs_;
  std::vector<std::uint8_t> frame_;
  std::unordered_map<std::uint32_t, Zeros> zeros_;
};

}  // namespace rocetop::generate::sim
