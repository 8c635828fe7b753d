// SPDX-License-Identifier: BSD-3-Clause
// PacketNotes: what a reader of single packets wants to know besides the tracker's verdict: what was in flight when a
// request passed, which message it is part of, which CE mark a CNP answers, which queue pairs belong together. It
// judges nothing: it reads the tracker's observations in order, and what they leave open it does not say.
//
// A connection that is not paired yet has one direction here: then nothing is known of what is acknowledged.
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/ip_address.h"
#include "base/nanos.h"
#include "base/psn.h"
#include "engine/flight.h"
#include "engine/message_notes.h"
#include "track/observation.h"
#include "wire/opcode.h"
#include "wire/packet.h"

namespace rocetop::engine {

/// What is noted of a packet. Indexes count from 1; 0: none.
struct PacketNote {
  std::uint32_t direction = 0;                  ///< index for PacketNotes::direction()
  std::uint32_t message = 0;                    ///< … and message()
  std::uint32_t mark_frame = 0;                 ///< of a CNP: the latest CE mark that it may answer
  Nanos mark_to_cnp;                            ///< … and the time since, if there is such a mark
  std::optional<std::uint32_t> psns_in_flight;  ///< of a request: sent and not acknowledged, it included
  std::optional<std::uint64_t> bytes_in_flight;
  bool acked_unseen = false;  ///< it acknowledges PSNs above all seen
  bool qp_reuse = false;      ///< first of a connection on a queue pair that had another one
};

/// One end of a connection as it sends.
struct DirectionNote {
  std::uint32_t connection = 0;
  std::uint32_t other = 0;  ///< the other direction of the connection, if it was seen
  std::uint32_t moved = 0;  ///< the same in the connection that this one turned out to be part of
  bool second = false;      ///< it was seen after the other
  IpAddress src;
  IpAddress dst;
  Qpn dst_qpn;
  std::optional<Qpn> src_qpn;  ///< of datagrams
  std::optional<Psn> first_request;
};

class PacketNotes {
 public:
  explicit PacketNotes(std::size_t limit) : limit_(limit) { messages_.limit = limit; }

  /// The next packet, as it was observed.
  PacketNote on_packet(std::uint32_t frame, Nanos time, const wire::Packet& packet,
                       const track::Observation& observation);

  /// Null for 0. settled_direction(): as known by now, where two connections turned out to be one.
  const DirectionNote* settled_direction(std::uint32_t index) const;
  const DirectionNote* direction(std::uint32_t index) const;
  const MessageNote* message(std::uint32_t index) const;

  /// A frame noted as acked_unseen although what it acknowledges was only late: captures on a host may show the two
  /// directions a little out of order. Told by on_packet() of the late packet; 0: none.
  std::uint32_t seen_after_all() const { return seen_after_all_; }

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
  struct QueuePair {
    Qpn qpn;
    IpAddress src;
    IpAddress dst;
    wire::NetworkKey network;
    friend bool operator==(const QueuePair&, const QueuePair&) = default;
  };
  struct QueuePairHash {
    std::size_t operator()(const QueuePair& key) const;
  };
  struct Connection {
    std::array<std::uint32_t, 2> directions{};
    std::uint32_t path_mtu = 0;
  };
  struct Direction {
    DirectionNote note;
    Flight flight;
    MessageNotes messages;
    // CE marks on its data, and the CNPs that came for it.
    std::uint32_t mark_frame = 0;
    Nanos mark_time;
    std::optional<Nanos> cnp_time;
    // The latest acknowledgement of what was not seen: its frame, and up to where.
    std::uint32_t early_ack_frame = 0;
    Sequence early_ack = 0;
  };
  struct Arrived {
    std::uint32_t frame = 0;
    Nanos time;
    const wire::Packet& packet;
    const track::Observation& observation;
    const wire::OpcodeFacts& opcode;
  };

  std::uint32_t direction_of(const Arrived& arrived, PacketNote& note);
  std::uint32_t add_direction(const Arrived& arrived, PacketNote& note);
  void note_move(std::uint32_t index, const wire::Packet& packet, PacketNote& note);
  Direction* other_of(const Direction& direction);
  void learn_path_mtu(Connection& connection, const Arrived& arrived);
  void on_request(Direction& direction, const Connection& connection, const Arrived& arrived, PacketNote& note);
  void send(Direction& direction, Sequence seq, Sequence last, const Arrived& arrived);
  void on_reply(Direction& requests, const Arrived& arrived, PacketNote& note);
  void on_cnp(Direction& data, const Arrived& arrived, PacketNote& note);

  std::size_t limit_;
  tsl::robin_map<Key, std::uint32_t, KeyHash> index_;  // of those that are neither of a connection's first two
  std::vector<Connection> connections_;                // by number
  tsl::robin_map<QueuePair, std::uint32_t, QueuePairHash> queue_pairs_;  // -> the direction seen there last
  std::deque<Direction> directions_;
  MessageList messages_;
  FlightBudget flight_budget_;
  std::uint32_t seen_after_all_ = 0;
};

}  // namespace rocetop::engine
