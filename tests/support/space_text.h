// SPDX-License-Identifier: BSD-3-Clause
// What happened in the sequence spaces of a connection, as the short text that scenario tests expect.
//
//   clean                                        nothing but new packets
//   missing 102 retransmitted; unseen 1; seen 1; nak 102 x2 by #4 at #5
//
// In this order, left out when zero: missing runs with their outcome, resends with the original unseen and seen,
// reordered, duplicate, then each episode: cause, first PSN, packets, trigger frame (nak and rnr only) and first frame.
#pragma once

#include <string>

#include "track/counts.h"

namespace rocetop::test {

std::string space_text(const track::SpaceCounts& space);

/// All spaces of a connection that are not clean: "requests: ...", "responses: ..." are those of 192.0.2.1, the side
/// that scenarios call A ("responses" travel from B to A); those of the other side begin with "B ". Or "clean".
std::string connection_text(const track::ConnectionCounts& connection);

}  // namespace rocetop::test
