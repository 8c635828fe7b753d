// SPDX-License-Identifier: BSD-3-Clause
// Context: what all state machines of one tracker share: limits, what is left of the common budgets, and the sink.
#pragma once

#include "track/history.h"
#include "track/hole_log.h"
#include "track/limits.h"
#include "track/missing.h"
#include "track/observation.h"
#include "track/receiver_log.h"

namespace rocetop::track {

struct Context {
  Limits limits;
  SlotBudget slots;
  ListBudget lists;
  std::size_t held_left = 0;
  ResolutionSink* sink = nullptr;
  ReceiverLog receivers;
  HoleLog holes;
  Nanos now;      ///< of the newest packet of all
  FrameId frame;  ///< … and its frame

  explicit Context(const Limits& l)
      : limits(l),
        slots{l.history_slots_total},
        lists{l.listed_total, l.listed_runs, l.open_runs_total, l.reads_total},
        held_left(l.held_total),
        receivers(l.hosts) {}
};

/// Another sink than the context's, while it lives.
class SinkInstead {
 public:
  SinkInstead(Context& context, ResolutionSink* sink) : context_(context), before_(context.sink) {
    context.sink = sink;
  }
  ~SinkInstead() { context_.sink = before_; }
  SinkInstead(const SinkInstead&) = delete;
  SinkInstead& operator=(const SinkInstead&) = delete;

 private:
  Context& context_;
  ResolutionSink* before_;
};

}  // namespace rocetop::track
