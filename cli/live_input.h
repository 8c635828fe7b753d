// SPDX-License-Identifier: BSD-3-Clause
// What `rocetop live` watches: interfaces, a capture replayed by its stamps, or a pipe that is being written to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/nanos.h"
#include "base/result.h"
#include "inputs.h"
#include "source/live_source.h"

namespace rocetop::cli {

struct LiveInputOptions {
  std::vector<std::string> interfaces;  ///< of -i
  std::vector<std::string> files;       ///< of -r; then there are no interfaces
  std::string speed = "1";              ///< of a replay: a factor, or "max"
  std::string filter;
  std::vector<std::uint16_t> roce_ports;
  std::uint32_t snap_length = 256;
  Nanos interval = seconds(1);  ///< between snapshots
  bool every_adapter = false;   ///< where no interface is named: all with an RDMA device, not only the busiest
  bool at_once = false;         ///< somebody looks: a pipe that nothing comes from yet is opened later, by who reads it
  std::optional<Nanos> loop_silence = {};  ///< files are read again and again, with so much time between rounds
};

struct LiveInput {
  std::unique_ptr<source::FrameSource> source;
  const source::LiveSource* live = nullptr;  ///< inside `source`, where there are interfaces
  std::vector<std::string> interfaces;       ///< that are watched
  std::string chosen;                        ///< why these interfaces, where nobody named one; a sentence
  bool judges_filter = false;                ///< the filter is done with; otherwise the analysis has to judge by it
  bool is_replay = false;                    ///< a file at the analysis' own pace
  double speed = 1;                          ///< of a replay, of the packets' clock to that on the wall; 0 for "max"
};

/// "1", "0.5", "10x", "max" (0).
Result<double> parse_speed(std::string_view text);

/// `arguments`: what was typed, for a command that is shown when the right to capture is missing. Errors: what cannot
/// be opened.
Result<LiveInput> open_live_input(const LiveInputOptions& options, std::string_view arguments);

}  // namespace rocetop::cli
