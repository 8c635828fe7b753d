// SPDX-License-Identifier: BSD-3-Clause
// TrafficMix: which protocols ride in which class, over all frames of the capture: so that TCP in RoCE's class, or RoCE
// outside its own, is seen. By the innermost IP header's DSCP, and by the 802.1p class of the outermost tag.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "wire/decode.h"

namespace rocetop::model {

enum class Carrier : std::uint8_t { kRoce, kTcp, kUdp, kOtherIp, kNotIp };
inline constexpr std::size_t kCarriers = 5;

struct TrafficMix {
  struct Cell {
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
  };
  using Row = std::array<Cell, kCarriers>;  // by Carrier
  static constexpr std::size_t kUntagged = 8;

  std::array<Row, 64> by_dscp{};     ///< IP frames
  std::array<Row, 9> by_priority{};  ///< all frames but pause; kUntagged: without a tag

  void add(const wire::Decoded& decoded, std::uint64_t frames, std::uint64_t bytes) {
    const wire::Packet& p = decoded.packet;
    add(carrier_of(decoded), {p.traffic_class, p.priority, p.ip_protocol}, frames, bytes);
  }
  /// What a frame rides in: as in wire::Packet.
  struct Class {
    std::uint8_t traffic_class = 0;
    std::uint8_t priority = wire::kNoPriority;
    std::uint8_t ip_protocol = 0;
    friend bool operator==(const Class&, const Class&) = default;
  };
  void add(Carrier carrier, const Class& p, std::uint64_t frames, std::uint64_t bytes) {
    const auto c = static_cast<std::size_t>(carrier);
    if (carrier != Carrier::kNotIp && p.ip_protocol != 0) count(by_dscp[p.traffic_class >> 2][c], frames, bytes);
    count(by_priority[p.priority == wire::kNoPriority ? kUntagged : p.priority & 7][c], frames, bytes);
  }
  /// Frames other than RoCE are in it: the capture was not filtered to RoCE, as far as that shows.
  bool holds_other() const {
    for (const Row& row : by_priority) {
      for (std::size_t c = 1; c < kCarriers; ++c) {
        if (row[c].frames > 0) return true;
      }
    }
    return false;
  }

 private:
  static Carrier carrier_of(const wire::Decoded& decoded) {
    if (decoded.kind == wire::FrameKind::kRoce || decoded.kind == wire::FrameKind::kUndecodable) return Carrier::kRoce;
    switch (decoded.packet.ip_protocol) {
      case 0:
        return Carrier::kNotIp;
      case 6:
        return Carrier::kTcp;
      case 17:
        return Carrier::kUdp;
      default:
        return Carrier::kOtherIp;
    }
  }
  static void count(Cell& cell, std::uint64_t frames, std::uint64_t bytes) {
    cell.frames += frames;
    cell.bytes += bytes;
  }
};

}  // namespace rocetop::model
