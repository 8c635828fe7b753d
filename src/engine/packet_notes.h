// SPDX-License-Identifier: BSD-3-Clause
// PacketNotes: what a reader of single packets wants to know besides the tracker's verdict: what was in flight when a
// request passed, which message it is part of, which CE mark a CNP answers, which queue pairs belong together. It
// judges nothing: it reads the tracker's observations in order, and what they leave open it does not say.
//
// A connection that is not paired yet has one direction here: then nothing is known of what is acknowledged.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/ip_address.h"
#include "base/nanos.h"
#include "base/psn.h"
#include "track/counts.h"
#include "track/observation.h"
#include "wire/packet.h"

namespace rocetop::engine {

/// What is noted of a packet. Indexes count from 1; 0: none.
struct PacketNote {
  std::uint32_t direction = 0;   ///< index for PacketNotes::direction()
  std::uint32_t message = 0;     ///< … and message()
  std::uint32_t mark_frame = 0;  ///< of a CNP: the latest CE mark that it may answer
  std::optional<Nanos> mark_to_cnp;
  std::optional<std::uint32_t> psns_in_flight;  ///< of a request: sent and not acknowledged, it included
  std::optional<std::uint64_t> bytes_in_flight;
  bool ends_message = false;  ///< it is the last packet of its message
  bool acked_unseen = false;
  bool qp_reuse = false;
};

struct MessageNote {
  track::Operation operation = track::Operation::kWrite;
  bool has_response = false;  ///< READ, atomic: a response completes it, not an ACK
  std::uint32_t first_frame = 0;
  std::uint32_t last_frame = 0;       ///< 0 until it was seen
  std::uint32_t last_sent_frame = 0;  ///< … when it was sent last
  std::uint32_t answered_in = 0;      ///< of one that has a response: its last packet
  Nanos first_time;
  std::optional<std::uint64_t> bytes;
  std::uint32_t bytes_known_in = 0;  ///< the frame that told
};

/// One end of a connection as it sends.
struct DirectionNote {
  std::uint32_t connection = 0;
  std::uint32_t other = 0;  ///< the other direction of the connection, if it was seen
  bool second = false;      ///< it was seen after the other
  IpAddress src;
  IpAddress dst;
  Qpn dst_qpn;
  std::optional<Qpn> src_qpn;        ///< of datagrams
  std::optional<Psn> first_request;  ///< PSN
};

class PacketNotes {
 public:
  explicit PacketNotes(std::size_t limit) : limit_(limit) {}

  /// The next packet, as it was observed.
  PacketNote on_packet(std::uint64_t frame, Nanos time, const wire::Packet& packet,
                       const track::Observation& observation);

  /// Null for 0.
  const DirectionNote* direction(std::uint32_t index) const;
  const MessageNote* message(std::uint32_t index) const;

 private:
  struct Key {
    std::uint32_t connection = 0;
    Qpn dst_qpn;
    IpAddress src;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Arrived {
    std::uint32_t frame = 0;
    Nanos time;
    const wire::Packet& packet;
    const track::Observation& observation;
  };
  struct Direction {
    DirectionNote note;
  };

  std::uint32_t direction_of(const Arrived& arrived);

  std::size_t limit_;
  tsl::robin_map<Key, std::uint32_t, KeyHash> index_;
  std::deque<Direction> directions_;
  std::deque<MessageNote> messages_;
};

}  // namespace rocetop::engine
