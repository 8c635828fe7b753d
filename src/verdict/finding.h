// SPDX-License-Identifier: BSD-3-Clause
// Finding: one verdict with its evidence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/frame_id.h"
#include "base/ip_address.h"
#include "base/nanos.h"

namespace rocetop::verdict {

enum class Severity : std::uint8_t { kInfo, kWarning, kCritical };
enum class Confidence : std::uint8_t { kLow, kMedium, kHigh };

struct Finding {
  std::uint32_t id = 0;  ///< from 1, in the order findings are shown
  std::string rule;      ///< "retransmit.timeout"
  Severity severity = Severity::kInfo;
  Confidence confidence = Confidence::kHigh;
  std::optional<std::uint32_t> caused_by;  ///< id of the finding this one is a consequence of
  std::string title;                       ///< one line: what happened to whom, with numbers
  std::string explanation;                 ///< what was measured, what is inferred, what the capture cannot show
  std::vector<std::string> next_steps;
  std::vector<std::string> ruled_out;
  std::vector<std::uint32_t> connections;  ///< ids
  std::vector<IpAddress> hosts;
  std::optional<Nanos> first_time;  ///< of its evidence; none where the evidence has no time
  std::optional<Nanos> last_time;
  std::vector<FrameId> frames;     ///< packets that prove it, in order: all, or a choice from the first to the last
  std::uint64_t frames_total = 0;  ///< how many the choice was made from
  std::vector<std::pair<std::string, double>> values;  ///< name with unit -> number
};

}  // namespace rocetop::verdict
