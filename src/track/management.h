// SPDX-License-Identifier: BSD-3-Clause
// Management: follows CM exchanges on QP1 (REQ, REP, RTU, REJ, DREQ) and announces the connections they make. The most
// trusted way to join two directions: both QPNs and first PSNs are in the messages.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "track/counts.h"
#include "track/flow_key.h"
#include "wire/cm.h"

namespace rocetop::track {

/// A connection as REQ and REP described it. `a` sent the REQ.
struct Announcement {
  FlowKey a_to_b;  ///< dst_qpn is the REP's QPN
  FlowKey b_to_a;  ///< dst_qpn is the REQ's QPN
  Psn a_to_b_psn;  ///< first PSN of what a sends
  Psn b_to_a_psn;
  std::uint32_t path_mtu = 0;
  CmFacts facts;
};

class Management {
 public:
  explicit Management(std::size_t exchanges_most) : most_(exchanges_most) {}

  /// One CM message from src to dst. Gives the connection it completes, once.
  std::optional<Announcement> on_message(const HostPair& hosts, const wire::Cm& cm, FrameId frame, Nanos time);

  /// Every exchange that is still remembered and began with a REQ, oldest first.
  std::vector<CmSetUp> set_ups() const;
  /// Exchanges forgotten at the limit, the oldest first.
  std::uint64_t set_ups_omitted() const { return first_; }
  const std::vector<CmRejection>& rejections() const { return rejections_; }
  std::uint64_t rejections_omitted() const { return rejections_omitted_; }

  /// Exchanges that began before `before`, and rejections from then, make room for later ones where half of it is
  /// taken; they are counted as omitted.
  void make_room(Nanos before);

 private:
  struct Key {
    HostPair hosts;  ///< from the sender of the REQ
    std::uint32_t comm_id = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& k) const { return detail::mix(HostPairHash{}(k.hosts), k.comm_id); }
  };
  struct Exchange {
    Key key;
    wire::Cm request;
    CmSetUp set_up;
    Nanos last_reply_time;
    Nanos last_rejection_time;
    std::optional<Qpn> announced_qpn;  ///< of the REP that completed it: a repeated REP is no new connection
  };

  /// The newest exchange of `key`, or null.
  Exchange* find(const Key& key);
  void begin(const Key& key, const wire::Cm& cm, FrameId frame, Nanos time);
  void forget_oldest();

  void on_request(const HostPair& hosts, const wire::Cm& cm, FrameId frame, Nanos time);
  std::optional<Announcement> on_reply(const HostPair& hosts, const wire::Cm& cm, FrameId frame, Nanos time);
  void on_ready(const HostPair& hosts, const wire::Cm& cm, FrameId frame, Nanos time);
  void on_rejection(const HostPair& hosts, const wire::Cm& cm, FrameId frame, Nanos time);

  static constexpr std::size_t kRejectionsMost = 1'000;

  std::size_t most_;
  std::deque<Exchange> exchanges_;                           // oldest first
  std::uint64_t first_ = 0;                                  // number of the oldest, counted from the first of all
  std::unordered_map<Key, std::uint64_t, KeyHash> numbers_;  // of the newest exchange with that key
  std::vector<CmRejection> rejections_;
  std::uint64_t rejections_omitted_ = 0;
};

}  // namespace rocetop::track
