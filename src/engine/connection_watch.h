// SPDX-License-Identifier: BSD-3-Clause
// ConnectionWatch: what passed lately on each connection, and the last messages of connection management, kept while
// an analysis goes on so that a screen can show them. Bounded: of the connections the latest kFollowed, of each the
// last minute in no more than kPoints points.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/psn.h"
#include "model/recent.h"
#include "source/frame_source.h"
#include "track/observation.h"
#include "wire/decode.h"

namespace rocetop::engine {

class ConnectionWatch {
 public:
  static constexpr std::size_t kFollowed = 1'024;  // connections: 20 MB when all are busy
  static constexpr std::size_t kPoints = 384;
  static constexpr std::size_t kEvents = 48;
  static constexpr std::size_t kMessages = 200;

  ConnectionWatch() : slots_(kFollowed) {}

  /// Of the analysis, as a FrameObserver.
  void on_frame(const source::Frame& frame, const wire::Decoded& decoded, const track::Observation& observation);
  void clear();

  /// What is kept of the connection; without points if it is not followed.
  model::RecentPackets recent(std::uint32_t id) const;
  /// Oldest first.
  std::vector<model::ManagementMessage> messages() const { return {messages_.begin(), messages_.end()}; }

 private:
  struct Slot {
    model::RecentPackets packets;
    std::array<std::optional<Sequence>, 2> reference;  // of each direction's PSNs
    int bin_shift = -1;
  };

  Slot& slot_of(std::uint32_t id);
  static std::uint8_t direction_of(Slot& slot, const wire::Packet& packet);
  static void add(Slot& slot, const model::RecentPoint& point);
  static void make_room(Slot& slot, Nanos now);
  static void coarsen(Slot& slot);
  static void log(Slot& slot, const model::RecentEvent& event);
  void note_management(const source::Frame& frame, const wire::Packet& packet);

  std::vector<std::unique_ptr<Slot>> slots_;  // by id modulo kFollowed
  std::deque<model::ManagementMessage> messages_;
};

}  // namespace rocetop::engine
