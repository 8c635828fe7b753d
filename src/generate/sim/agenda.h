// SPDX-License-Identifier: BSD-3-Clause
// Agenda: what happens next in a simulation. Of one moment, what was put down first comes first, so that a seed always
// gives the same run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "generate/sim/plan.h"

namespace rocetop::generate::sim {

enum class EventKind : std::uint8_t {
  kArrive,    ///< packet `b` reaches the far end of port `a`
  kPortFree,  ///< port `a` has sent its packet
  kPauseEnd,  ///< the pause of port `a` may be over
  kRefresh,   ///< port `a` has to pause its peer again
  kDeliver,   ///< host `a` acts on packet `b`
  kDrained,   ///< host `a` took a packet in
  kWake,      ///< queue pair `a` may send again
  kTimeout,   ///< of queue pair `a`
  kConnect,   ///< queue pair `a` sends its CM message, or sends it again
  kPost,      ///< flow `a` asks for its next message
  kTrouble,   ///< number `a` begins (`b` = 0) or ends
};

struct Event {
  Time time = 0;
  std::uint64_t order = 0;
  EventKind kind = EventKind::kWake;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

class Agenda {
 public:
  void at(Time time, EventKind kind, std::uint32_t a, std::uint32_t b = 0) {
    heap_.push_back({std::max(time, now_), ++order_, kind, a, b});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  bool empty() const { return heap_.empty(); }
  Event next() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Event event = heap_.back();
    heap_.pop_back();
    now_ = event.time;
    return event;
  }
  Time now() const { return now_; }

 private:
  static bool later(const Event& x, const Event& y) { return x.time != y.time ? x.time > y.time : x.order > y.order; }

  std::vector<Event> heap_;
  std::uint64_t order_ = 0;
  Time now_ = 0;
};

}  // namespace rocetop::generate::sim
