// SPDX-License-Identifier: BSD-3-Clause
// Docket: findings while they are being made, with what every rule needs to write one: the evidence, the thresholds,
// the directions with their opposite, and names as a person reads them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "verdict/evidence.h"
#include "verdict/finding.h"
#include "verdict/thresholds.h"

namespace rocetop::verdict {

/// One direction of a connection and, if it was seen, the opposite one.
struct DirectionView {
  const track::ConnectionCounts* connection = nullptr;
  const track::DirectionCounts* direction = nullptr;
  const track::DirectionCounts* opposite = nullptr;
};

/// "192.0.2.1 → 192.0.2.2 qp 17".
std::string path_name(const DirectionView& view);
/// "192.0.2.1 qp 18 ↔ 192.0.2.2 qp 17", as far as it is known.
std::string connection_name(const track::ConnectionCounts& connection);
/// "1 packet", "3 packets", "1,234 packets".
std::string plural(std::uint64_t n, std::string_view noun);
/// "12.3 %".
std::string percent(double share);

class Docket {
 public:
  Docket(const Evidence& evidence, const Thresholds& thresholds) : evidence_(evidence), thresholds_(thresholds) {}

  const Evidence& evidence() const { return evidence_; }
  const Thresholds& thresholds() const { return thresholds_; }

  /// Calls `function` for each direction of each connection that is not UD.
  void each_direction(const std::function<void(const DirectionView&)>& function) const;

  /// A new finding about a direction: connection and hosts (sender first) are filled in. Valid until the next one.
  Finding& add(std::string rule, Severity severity, Confidence confidence, const DirectionView& view);
  /// A new finding about the capture as a whole, or about hosts.
  Finding& add(std::string rule, Severity severity, Confidence confidence);

  std::vector<Finding>& findings() { return findings_; }

  /// Lowered by one where the capture missed so much that a verdict about loss may be its own fault.
  Confidence weighed(Confidence confidence) const;

 private:
  const Evidence& evidence_;
  const Thresholds& thresholds_;
  std::vector<Finding> findings_;
};

/// Adds a frame to the proof, unless it is none or there already; at most 8 are kept.
void cite(Finding& finding, FrameId frame);

}  // namespace rocetop::verdict
