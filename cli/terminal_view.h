// SPDX-License-Identifier: BSD-3-Clause
// The screen of `rocetop live`: takes snapshots as they come and keys as they are pressed, and shows what present makes
// of them. What it does never holds up the capture.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/nanos.h"
#include "base/result.h"
#include "base/time_text.h"
#include "engine/live_monitor.h"
#include "engine/ring_writer.h"
#include "present/ui_state.h"

namespace rocetop::cli {

struct TerminalViewOptions {
  std::string title;       ///< what is watched
  present::UiState state;  ///< to begin with
  double clock_speed = 1;  ///< of the packets' clock, to that on the wall
  bool colour = true;
  bool unicode = true;
  Zone zone = Zone::kLocal;
  bool leave_at_end = false;  ///< when the input ends, as -c and --duration want it; otherwise it stays to be looked at
  std::string adapter_root;   ///< folder of the RDMA adapters
  std::shared_ptr<engine::RingWriter> recording;  ///< under way; may be null
  std::function<Result<std::shared_ptr<engine::RingWriter>>()> begin_recording;
};

/// Whether nothing of what should have been read could be: then there is nothing to look at, and what is wrong is said
/// on the normal screen.
bool could_not_open(const model::LiveSnapshot& last);

class TerminalView {
 public:
  /// Whether standard output is a terminal that can show it. Nothing is changed.
  static bool possible();
  /// Null: standard output is no terminal that can show it.
  static std::unique_ptr<TerminalView> open(const TerminalViewOptions& options);
  ~TerminalView();

  /// Until somebody quits. The last snapshot; null if there is none. The terminal is as before when it returns.
  engine::LiveMonitor::SnapshotPtr run(engine::LiveMonitor& monitor);
  /// Why a recording was not written to its end; empty if all is well.
  const std::string& recording_error() const;

 private:
  class Impl;
  explicit TerminalView(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rocetop::cli
