// SPDX-License-Identifier: BSD-3-Clause
// What the tap knew when the sender went back to a PSN, and why it did so (design: "Episode"; counting rules 4, 5 and 8
// of the contract). Pure functions of what was sent and answered so far.
#pragma once

#include "track/acknowledgements.h"
#include "track/counts.h"
#include "track/episode_log.h"
#include "track/history.h"
#include "track/missing.h"
#include "track/packet_facts.h"
#include "track/read_window.h"
#include "track/refusals.h"
#include "track/triggers.h"

namespace rocetop::track {

/// A request space as it was before the packet that goes back.
struct SentSoFar {
  const History& history;
  const MissingPsns& missing;
  const ReadWindow& reads;
  const Acknowledgements& replies;
  const Triggers& naks;
  const Triggers& rnrs;
  const Refusals& refusals;
  Sequence first = 0;
  Sequence highest = 0;
  Nanos last_request_time;
};

/// Whether the tap has seen `seq` before. (Of what is no longer remembered: yes.)
bool original_seen(Sequence seq, const SentSoFar& sent);

/// The episode that `packet`, sent with PSN `seq`, begins: all but what was resent. Never Cause::kSpurious: that takes
/// the whole episode.
Episode judge_go_back(Sequence seq, const PacketFacts& packet, const SentSoFar& sent);

/// Whether everything resent had been acknowledged at the tap before the resend began, and READs and atomics answered.
bool was_spurious(const EpisodeLog::Open& open, Sequence first);

}  // namespace rocetop::track
