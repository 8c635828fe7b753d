// SPDX-License-Identifier: BSD-3-Clause
// Whether a CNP is a copy of the one before it: a mirror's or the network's. Same IPv4 identification, where
// identifications count, at once. Two CNPs of one queue pair that were sent this near have identifications of their
// own.
#pragma once

#include "track/limits.h"
#include "track/packet_facts.h"

namespace rocetop::track {

/// Whether the IPv4 identification tells packets of its sender apart.
inline bool is_told_by_id(const PacketFacts& cnp) { return cnp.has_ip_id && cnp.ip_id != 0; }

inline bool is_cnp_copy(const PacketFacts& cnp, std::uint16_t ip_id_before, Nanos time_before) {
  return is_told_by_id(cnp) && cnp.ip_id == ip_id_before && cnp.time - time_before < kCopyWindow;
}

}  // namespace rocetop::track
