// SPDX-License-Identifier: BSD-3-Clause
// A veRoCE connection for tests: messages of every kind from one host to the other, lost and resent packets, and what
// the other host answers, as frames under a layout of the caller's choice.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "generate/veroce_encoder.h"

namespace rocetop::test {

struct VeroceTraffic {
  static constexpr std::uint32_t kRequesterQp = 0x510;
  static constexpr std::uint32_t kResponderQp = 0x620;
  static constexpr std::uint32_t kPathMtu = 1024;

  generate::VeroceWire wire;
  std::vector<generate::FrameBytes> frames;
  std::vector<generate::VerocePacket> packets;  ///< of each frame
  std::uint32_t psn = 0xFFFFF0;                 ///< of the next request: wraps soon
  std::uint32_t response_psn = 0x345;
  std::uint32_t msn = 1;
  std::uint32_t response_msn = 1;
  std::uint32_t rq_msn = 0;

  explicit VeroceTraffic(const generate::VeroceWire& w = {}) : wire(w) {}

  generate::VerocePacket from_requester(std::uint8_t opcode) const;
  generate::VerocePacket from_responder(std::uint8_t opcode) const;
  void add(const generate::VerocePacket& packet);

  /// A message of `count` packets, the last of them of `last_bytes`; `first` to `only` are its opcodes.
  void write(int count, std::uint32_t last_bytes, bool immediate = false);
  void send(int count, std::uint32_t last_bytes, std::uint8_t last_opcode = 2, std::uint8_t only_opcode = 4);
  void read(int count);
  void atomic(std::uint64_t original);
  void acknowledge();
  /// `lost` packets before the newest four: a SACK names them, then they come again.
  void lose_and_resend(std::uint32_t lost, bool flagged = true);
  void rtt_exchange();

  /// Some of everything.
  void run(int rounds);
};

}  // namespace rocetop::test
