// SPDX-License-Identifier: BSD-3-Clause
// SelectiveRepeat: veRoCE's transport. Requests and responses have a PSN space and an MSN space each, so each end has a
// sender and a receiver of both. Besides: paths, what tells of a slow or marked one, and probes of the round trip.
#pragma once

#include <deque>

#include "generate/sim/paths.h"
#include "generate/sim/selective_receiver.h"
#include "generate/sim/selective_sender.h"

namespace rocetop::generate::sim {

/// First PSNs: of what this end sends, and of what it receives.
struct VerocePsns {
  Sequence requests = 0;
  Sequence responses = 0;
};

/// Where it runs.
struct VeroceHost {
  std::uint16_t first_port = 0;    ///< UDP source port of the first path, where the plan names none
  double line = 1;                 ///< bits/s
  Time latency = 0;                ///< from a packet's arrival to receive()
  std::uint32_t clock_offset = 0;  ///< nanoseconds: no two hosts count from the same moment
};

class SelectiveRepeat final : public Transport {
 public:
  SelectiveRepeat(const ConnectionPlan& plan, const VerocePsns& sends, const VerocePsns& receives,
                  const VeroceHost& host);

  void ask(const FlowPlan& plan, std::uint32_t flow, Time now) override;
  void receive(const Packet& packet, Time now) override;
  bool tell_mark(const Packet& packet) override;
  bool has_answer() const override { return !answers_.empty(); }
  Packet next_answer(Time now) override;
  Time data_at(Time now) const override;
  Packet next_data(Time now) override;
  void on_sent(const Packet& packet, Time now) override;
  Time deadline() const override;
  void on_timeout(Time now) override;
  void take_completed(std::vector<std::uint32_t>& into) override;
  void refuse_after(std::uint64_t messages, std::uint8_t code) override;
  TransportDeeds deeds() const override;

 private:
  /// One of the two PSN spaces.
  struct Space {
    SelectiveSender sender;
    SelectiveReceiver receiver;
  };
  struct Asked {
    std::uint32_t flow = 0;
    Sequence end = 0;
    bool is_answered = false;
    bool done = false;  ///< is_answered: the response came
  };
  /// What is to be sent; of an acknowledgement the rest is filled in when it leaves.
  struct Answer {
    Packet packet;
    bool is_acknowledgement = false;
    bool responses = false;  ///< it is about the responses' space
  };

  Space& space_of(bool responses) { return responses ? responses_ : requests_; }
  void on_data(const Packet& packet);
  void acknowledge(const Packet& packet, bool responses);
  void execute();
  void respond(const MessageEnd& request);
  void on_response();
  void on_rtt(const Packet& packet, Time now);
  void probe(Time now);
  void answer(Packet packet, std::uint16_t port);
  std::uint32_t clock(Time now) const { return static_cast<std::uint32_t>(now / 1'000) + host_.clock_offset; }

  const ConnectionPlan* plan_;
  Space requests_;
  Space responses_;
  Paths paths_;
  VeroceHost host_;
  std::deque<Answer> answers_;
  std::deque<Asked> asked_;  ///< not complete
  bool last_was_response_ = false;
  Time next_probe_ = 0;
  std::uint64_t executed_ = 0;
  std::uint64_t refuse_after_ = ~std::uint64_t{0};
  std::uint8_t refuse_code_ = 0;
  bool refused_ = false;
};

}  // namespace rocetop::generate::sim
