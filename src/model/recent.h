// SPDX-License-Identifier: BSD-3-Clause
// What passed lately: packets of one connection as points of a plot, and what was out of the ordinary as a log. For
// screens that follow time; no count of a report is taken from here, and old things leave without being missed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/frame_id.h"
#include "base/ip_address.h"
#include "base/nanos.h"
#include "base/psn.h"
#include "model/timeline.h"
#include "wire/cm.h"

namespace rocetop::model {

/// One packet, or several of a kind that passed within RecentPackets::bin.
struct RecentPoint {
  Nanos first_time;
  Nanos last_time;
  std::int64_t low = 0;  ///< PSN extended to 64 bits; replies name PSNs of the other end. 0 for what has none
  std::int64_t high = 0;
  std::uint64_t bytes = 0;  ///< on the wire
  std::uint32_t packets = 0;
  Mark mark = Mark::kNew;
  std::uint8_t direction = 0;  ///< index of RecentPackets::directions
  track::SpaceName space = track::SpaceName::kNone;
};

/// Something out of the ordinary, once or several times in a row.
struct RecentEvent {
  Nanos first_time;
  Nanos last_time;
  FrameId frame;    ///< the first
  FrameId trigger;  ///< of a resend: the NAK
  Mark mark = Mark::kNew;
  std::uint8_t direction = 0;
  std::optional<Psn> psn;  ///< of the first
  std::uint64_t packets = 0;
};

struct RecentPackets {
  struct Direction {
    IpAddress src;
    IpAddress dst;
    Qpn dst_qpn;
  };
  std::uint32_t id = 0;               ///< of the connection
  std::vector<Direction> directions;  ///< at most 2
  std::vector<RecentPoint> points;    ///< by time, roughly
  Nanos bin;                          ///< 0: each point is a packet
  std::vector<RecentEvent> events;    ///< oldest first
};

/// A message of connection management.
struct ManagementMessage {
  Nanos time;
  FrameId frame;
  IpAddress from;
  IpAddress to;
  wire::Cm cm;
};

}  // namespace rocetop::model
