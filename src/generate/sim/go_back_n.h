// SPDX-License-Identifier: BSD-3-Clause
// GoBackN: RoCEv2's transport, of its two halves.
#pragma once

#include "generate/sim/requester.h"
#include "generate/sim/responder.h"
#include "generate/sim/transport.h"

namespace rocetop::generate::sim {

class GoBackN final : public Transport {
 public:
  GoBackN(const ConnectionPlan& plan, Sequence asks_from, Sequence answers_from)
      : requester_(plan, asks_from), responder_(plan, answers_from) {}

  void ask(const FlowPlan& plan, std::uint32_t flow, Time /*now*/) override {
    requester_.ask(plan.operation, plan.bytes, flow);
  }
  void receive(const Packet& packet, Time now) override;
  bool has_answer() const override { return responder_.has_answer() && !responder_.answers_with_data(); }
  Packet next_answer(Time /*now*/) override { return responder_.next_answer(); }
  Time data_at(Time now) const override {
    return responder_.answers_with_data() || requester_.ready(now) ? now : requester_.waits_until();
  }
  Packet next_data(Time now) override {
    return responder_.answers_with_data() ? responder_.next_answer() : requester_.next_packet(now);
  }
  Time deadline() const override { return requester_.deadline(); }
  void on_timeout(Time now) override { requester_.on_timeout(now); }
  void take_completed(std::vector<std::uint32_t>& into) override { requester_.take_completed(into); }
  void refuse_after(std::uint64_t messages, std::uint8_t code) override { responder_.refuse_after(messages, code); }
  TransportDeeds deeds() const override { return {requester_.go_backs()}; }

 private:
  Requester requester_;
  Responder responder_;
};

}  // namespace rocetop::generate::sim
