// SPDX-License-Identifier: BSD-3-Clause
// Responder: the half of a simulated queue pair that answers (IBTA vol. 1, 9.7): one NAK a gap, acknowledgements of
// repeats, RNR NAKs while there is no receive buffer, READ responses. Answers leave in the order of what they answer;
// an acknowledgement that has not left is replaced by a later one (coalescing). It may take packets ahead of a missing
// one, as adapters do that allow for packets on several paths.
#pragma once

#include <deque>
#include <map>

#include "generate/sim/packet.h"

namespace rocetop::generate::sim {

class Responder {
 public:
  Responder(const ConnectionPlan& plan, Sequence first_psn);

  void on_request(const Packet& request, Time now);
  /// After `messages` were executed, the next one is refused with a NAK of this code.
  void refuse_after(std::uint64_t messages, std::uint8_t code) {
    refuse_after_ = messages;
    refuse_code_ = code;
  }

  bool has_answer() const { return !jobs_.empty(); }
  /// Whether the next answer is a READ response: those take their turn with other data.
  bool answers_with_data() const { return !jobs_.empty() && jobs_.front().kind == PacketKind::kResponse; }
  Packet next_answer();

  std::uint64_t executed() const { return executed_; }

 private:
  struct Job {
    PacketKind kind = PacketKind::kAck;
    std::uint8_t syndrome = 0;
    bool atomic = false;
    bool repeated = false;
    Sequence at = 0;
    Sequence end = 0;      ///< of responses
    Sequence message = 0;  ///< first PSN of the READ
    std::uint32_t last_payload = 0;
    std::uint32_t msn = 0;
  };

  void on_unreliable(const Packet& request);
  void ahead(const Packet& request);
  void execute(const Packet& request);
  void catch_up();
  void acknowledge(Sequence p);
  void refuse(PacketKind kind, std::uint8_t syndrome);
  void respond(const Packet& request, bool repeated);
  bool has_receive(Time now);

  const ConnectionPlan* plan_;
  Sequence expected_;
  bool complained_ = false;
  bool refused_ = false;
  std::uint64_t executed_ = 0;
  std::uint64_t refuse_after_ = ~std::uint64_t{0};
  std::uint8_t refuse_code_ = 0;
  std::uint64_t receives_;  ///< buffers left
  Time received_at_ = 0;    ///< when the latest one was given back
  std::deque<Job> jobs_;
  std::map<Sequence, Packet> taken_;  ///< ahead of `expected_`; at most plan_->reorder
};

}  // namespace rocetop::generate::sim
