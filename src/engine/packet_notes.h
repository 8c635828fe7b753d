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
#include "track/flow_key.h"
#include "track/observation.h"
#include "track/packet_facts.h"
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
};

/// One end of a connection as it sends.
struct DirectionNote {
  std::uint32_t connection = 0;  ///< as it is called now
  std::uint32_t other = 0;       ///< the other direction of the connection, if it was seen
  std::uint32_t moved = 0;       ///< 0, or the direction of another connection that this one turned out to be
  std::uint32_t first_frame = 0;
  bool second = false;    ///< it was seen after the other
  bool qp_reuse = false;  ///< its queue pair had been another connection's
  IpAddress src;
  IpAddress dst;
  Qpn dst_qpn;
  std::optional<Qpn> src_qpn;  ///< of datagrams
  std::optional<Psn> first_request;
};

class PacketNotes {
 public:
  explicit PacketNotes(std::size_t limit) : limit_(limit) { messages_.limit = limit; }

  /// The next packet, as it was observed; or one that was observed anew, in a connection of which only packets before
  /// it were noted.
  PacketNote on_packet(const track::FlowKey& key, const track::PacketFacts& packet,
                       const track::Observation& observation);
  /// Two connections turned out to be one.
  void on_join(std::uint32_t kept, std::uint32_t gone);

  /// As it is known now. Null for 0.
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
    const track::FlowKey& key;
    const track::PacketFacts& packet;
    const track::Observation& observation;
    std::uint32_t frame = 0;
  };

  std::uint32_t direction_of(const Arrived& arrived);
  std::uint32_t add_direction(const Arrived& arrived);
  std::uint32_t find(std::uint32_t connection, Qpn dst_qpn, const IpAddress& src) const;
  void put(std::uint32_t index, std::uint32_t connection);
  bool is_used_again(const track::FlowKey& key, std::uint32_t index);
  Direction* other_of(const Direction& direction);
  static void learn_path_mtu(Connection& connection, const track::PacketFacts& packet);
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
