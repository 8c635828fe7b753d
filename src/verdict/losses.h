// SPDX-License-Identifier: BSD-3-Clause
// Losses: every loss that the capture proves, by time, and whether several of them are one event.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "verdict/docket.h"

namespace rocetop::verdict {

struct Loss {
  Nanos time;  ///< the packet behind it, or the NAK for it
  std::uint64_t packets = 0;
  FrameId frame;
  DirectionView view;
  bool in_a_row = false;     ///< `packets` PSNs in a row that the tap did not see; else it saw what a NAK or SACK named
  bool of_uc = false;        ///< nobody resends it: the network's, or the capture's
  bool may_be_late = false;  ///< the packets do not tell a loss from originals that came behind their NAK
};

/// What filled a gap behind a NAK for it.
enum class Filled : std::uint8_t {
  kByResends,    ///< the sender went back: lost, as gaps are that nobody complained about
  kMaybeByLate,  ///< only what was missing came, and no identification tells resends from originals
  kByLate,       ///< the originals came, for their resends came too
};
Filled filled(const track::SpaceCounts& space, const track::MissingRun& run);

/// Whether the capture, as far as it tells, holds everything that passed.
bool is_whole(const CaptureEvidence& capture);

/// Whether this go-back proves that its first PSN was lost: a NAK named it, or nothing had acknowledged it for as long
/// as a QP timeout. (A PSN inside a go-back that reappears proves nothing.)
bool proves_loss(const track::Episode& e, const Thresholds& thresholds);

/// Whether `run`, a gap of `space` (requests or responses of `v`) that was sent again, was lost: where the capture has
/// gaps of its own, only if the sender went back for it, or a READ was asked for again from there on.
bool is_proven(const Docket& docket, const DirectionView& v, const track::SpaceCounts& space,
               const track::MissingRun& run);

/// In the order of time.
std::vector<Loss> losses_of(const Docket& docket);

/// For how long whoever lost something was sending, the longest of them: without its waits for replies and timers, in
/// which nothing can be lost.
Nanos time_to_lose_in(std::span<const Loss> losses);

/// Whether `event`, a part of `all` over `time`, is no piece of a loss that goes on all the time: far denser than the
/// rest.
bool stands_out(std::span<const Loss> event, std::size_t all, Nanos time, const Docket& docket);

}  // namespace rocetop::verdict
