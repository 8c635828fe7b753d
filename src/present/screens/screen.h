// SPDX-License-Identifier: BSD-3-Clause
// The screens of `rocetop live`: pure functions of a snapshot, what came before it, and what a person chose to see. No
// clock, no terminal: whoever shows them says how large they are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time_text.h"
#include "model/adapters.h"
#include "model/live.h"
#include "model/recent.h"
#include "present/cells.h"
#include "present/live_history.h"
#include "present/ui_state.h"

namespace rocetop::present {

using HostNames = std::map<IpAddress, std::string>;  ///< untrusted text

/// The adapters of this machine, now and a while before.
struct AdapterReadings {
  std::vector<model::AdapterPort> now;
  std::vector<model::AdapterPort> before;
  Nanos between;  ///< 0: read once only
};

struct ScreenInput {
  const model::LiveSnapshot* snapshot = nullptr;  ///< null: there is none yet
  const LiveHistory* history = nullptr;
  const model::RecentPackets* recent = nullptr;  ///< of the open connection; may be null
  const AdapterReadings* adapters = nullptr;     ///< may be null
  const HostNames* names = nullptr;              ///< may be null
  std::string title;                             ///< what is watched; untrusted text
  Zone zone = Zone::kLocal;
  std::size_t width = 80;
  std::size_t height = 24;
  bool unicode = true;
};

struct ScreenView {
  Grid grid;
  OnScreen on;
};

ScreenView draw_screen(const ScreenInput& input, const UiState& state);

}  // namespace rocetop::present
