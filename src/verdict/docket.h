// SPDX-License-Identifier: BSD-3-Clause
// Docket: findings while they are being made, with what every rule needs to write one: the evidence, the thresholds,
// the directions with their opposite, and names as a person reads them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "verdict/evidence.h"
#include "verdict/finding.h"
#include "verdict/rule_book.h"
#include "verdict/thresholds.h"

namespace rocetop::verdict {

/// One direction of a connection and, if it was seen, the opposite one.
struct DirectionView {
  const track::ConnectionCounts* connection = nullptr;
  const track::DirectionCounts* direction = nullptr;
  const track::DirectionCounts* opposite = nullptr;

  /// Several paths, packets in any order, and resends of single packets: what go-back-N and one path make evident is
  /// not so here. Rules that rest on it leave these connections to the rules veroce.*.
  bool is_veroce() const { return connection->protocol == wire::Protocol::kVeroce; }
};

/// "192.0.2.1 → 192.0.2.2 qp 17".
std::string path_name(const DirectionView& view);
/// "192.0.2.1 qp 18 ↔ 192.0.2.2 qp 17", as far as it is known.
std::string connection_name(const track::ConnectionCounts& connection);
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
  Finding& add(RuleId rule, Severity severity, Confidence confidence, const DirectionView& view);
  /// A new finding about the capture as a whole, or about hosts.
  Finding& add(RuleId rule, Severity severity, Confidence confidence);

  std::vector<Finding>& findings() { return findings_; }

  /// Of a verdict about loss, where the capture missed so much that it may be its own fault: one less, or kLow.
  Confidence weighed(Confidence confidence) const;
  /// Of one that a few gaps touch and many do not undo: one less.
  Confidence lowered(Confidence confidence) const;

 private:
  const Evidence& evidence_;
  const Thresholds& thresholds_;
  std::vector<Finding> findings_;
};

/// Connections and hosts that a finding about many names.
inline constexpr std::size_t kConnectionsNamed = 100;
inline constexpr std::size_t kHostsNamed = 64;
/// Names one more host, unless it is named already or the finding names kHostsNamed.
void name_host(Finding& finding, const IpAddress& host);
/// Names a direction's connection and sender in a finding about many.
void name_flow(Finding& finding, const DirectionView& view);

/// Adds a frame, and its time if that is known, to the proof; no frame adds nothing. Cite every packet that proves the
/// case, in any order and as often as it comes up: settle_proof() chooses.
void cite(Finding& finding, FrameId frame, Nanos time = {});
/// The sender going back: what made it and its first resend, from the beginning of the wait on.
void cite(Finding& finding, const track::Episode& episode);
void cite(Finding& finding, const track::FrameSample& sample);
/// The packet that jumped over missing PSNs.
void cite(Finding& finding, const track::MissingRun& run);
/// The evidence reaches to `time`. Not needed for what was cited with its time.
void date(Finding& finding, Nanos time);
void date(Finding& finding, Nanos first, Nanos last);

/// Packets of a proof that are shown.
inline constexpr std::size_t kProofPackets = 8;
/// Orders the cited frames and keeps kProofPackets of them: the first three (one case in full), the last two, and the
/// rest spread evenly between.
void settle_proof(Finding& finding);
/// Adds the proof of `other`, settled like that of `finding`, and its times; settle the result.
void merge_proof(Finding& finding, const Finding& other);

}  // namespace rocetop::verdict
