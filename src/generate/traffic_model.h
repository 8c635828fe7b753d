// SPDX-License-Identifier: BSD-3-Clause
// The moving parts of traffic.h: run_plan() lets requester, responder and network act until all is done, and logs every
// transmission with what only the model knows: which attempt it was, why the sender went back, what became of it.
#pragma once

#include "generate/traffic.h"

namespace rocetop::generate {

/// The requester going back once.
struct GoBack {
  GoBackCause cause = GoBackCause::kNak;
  Sequence from = 0;
  std::size_t trigger = 0;  ///< index + 1 into RunLog::sent of the reply that caused it; 0 for silence
};

/// A packet on its way, sent by either side.
struct Transmission {
  PacketClass packet_class = PacketClass::kRequest;
  PacketSpec packet;
  Sequence first = 0;      ///< PSN, extended
  std::uint32_t psns = 1;  ///< PSNs it takes; 0 for acknowledgements
  std::uint32_t attempt = 0;
  std::size_t go_back = 0;  ///< index + 1 into RunLog::go_backs; 0: sent for the first time
  bool copy = false;        ///< made by network or capture, or the answer to such a copy
  bool seen = true;         ///< in the capture
  Nanos at_tap = {};

  /// Sent because the sender went back, or (responses) because it was asked again.
  bool resent() const { return packet_class == PacketClass::kRequest ? go_back != 0 : attempt != 0; }
};

struct RunLog {
  std::vector<Transmission> sent;  ///< in the order of sending
  std::vector<GoBack> go_backs;
  Sequence first_psn = 0;
  std::vector<bool> answered_by_response;  ///< by PSN offset: belongs to a READ or an atomic
  bool completed = false;
  std::uint32_t messages_executed = 0;
  std::size_t faults_fired = 0;
};

RunLog run_plan(const TrafficPlan& plan);

/// The truth of a log whose seen transmissions, in the order of their times at the tap, are the frames `frame_numbers`.
TrafficTruth tell_truth(const RunLog& log, const std::vector<std::size_t>& tap_order,
                        const std::vector<std::uint64_t>& frame_numbers);

}  // namespace rocetop::generate
