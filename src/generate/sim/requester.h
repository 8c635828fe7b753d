// SPDX-License-Identifier: BSD-3-Clause
// Requester: the half of a simulated queue pair that asks (IBTA vol. 1, 9.7): go-back-N after a sequence NAK, the wait
// after an RNR NAK, the timeout, and a READ asked again from its first missing response on. It has no clock and no
// network: it is told what came and when, and gives the next packet.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "generate/sim/transport.h"

namespace rocetop::generate::sim {

/// PSNs that a message takes.
std::uint32_t psns_of(Operation operation, std::uint32_t bytes, std::uint32_t path_mtu);

class Requester {
 public:
  Requester(const ConnectionPlan& plan, Sequence first_psn);

  void ask(Operation operation, std::uint32_t bytes, std::uint32_t flow);
  /// Whether a packet may be sent at `now`.
  bool ready(Time now) const { return may_send() && now >= rnr_until_; }
  /// When it may, where only an RNR NAK's time is waited for; else kNever.
  Time waits_until() const { return may_send() ? rnr_until_ : kNever; }
  /// The next packet; only when ready().
  Packet next_packet(Time now);

  void on_acknowledge(Sequence p, Time now);
  void on_nak(const Packet& nak, Time now);
  void on_response(Sequence p, Time now);

  /// When silence becomes a timeout, unless something comes; kNever while nothing is outstanding.
  Time deadline() const { return dead_ || oldest_ >= highest_ || plan_->unreliable ? kNever : deadline_; }
  void on_timeout(Time now);

  /// Flows whose message is complete, since the last call.
  void take_completed(std::vector<std::uint32_t>& into) {
    into.insert(into.end(), completed_.begin(), completed_.end());
    completed_.clear();
  }
  bool idle() const { return works_.empty(); }
  bool dead() const { return dead_; }
  const std::array<std::uint64_t, kGoBackCauses>& go_backs() const { return go_backs_; }

 private:
  struct Work {
    Operation operation = Operation::kWrite;
    std::uint32_t bytes = 0;
    std::uint32_t psns = 1;
    std::uint32_t flow = 0;
    Sequence first = 0;
    Sequence end() const { return first + psns; }
    bool answered() const { return operation == Operation::kRead || operation == Operation::kAtomic; }
  };

  bool may_send() const;
  std::size_t reads_under_way() const;
  void build_read(const Work& work, Packet& packet) const;
  void build_data(const Work& work, Packet& packet) const;
  Sequence first_unanswered() const;
  void advance(Sequence oldest, Time now);
  void go_back(Sequence to, GoBackCause cause, Time now);
  void restart_read(Sequence at, Time now);
  void give_up();

  const ConnectionPlan* plan_;
  std::deque<Work> works_;  ///< posted and not complete
  std::size_t cursor_ = 0;  ///< of the one that `next_` belongs to
  std::size_t reads_ = 0;   ///< among works_, atomics included
  Sequence oldest_;         ///< not acknowledged
  Sequence next_;           ///< to send
  Sequence highest_;        ///< end of what was ever sent
  Sequence end_;            ///< of what was asked for
  Sequence restarted_at_ = -1;
  Sequence obeyed_at_ = -1;  ///< the NAK that was followed last
  Time rnr_until_ = 0;
  Time deadline_ = 0;
  std::uint32_t timeouts_ = 0;  ///< in a row
  bool dead_ = false;
  std::vector<std::uint32_t> completed_;
  std::array<std::uint64_t, kGoBackCauses> go_backs_{};
};

}  // namespace rocetop::generate::sim
