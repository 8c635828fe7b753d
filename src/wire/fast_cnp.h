// SPDX-License-Identifier: BSD-3-Clause
// Fast CNP: a congestion notification that a switch sends to the data's source itself, instead of marking the data
// (draft-xiao-rtgwg-rocev2-fast-cnp; IPv6 only). It is a CNP behind an IPv6 Destination Options header: the source
// address is the switch's, the queue pair that of the data, which is the receiver's, and an option holds the address
// that the data was sent to.
//
//   Destination Options (RFC 8200, 4.6): next header 8, length 8 | options: type 8, length 8, data ...
//
// The option's type is not known here, so this is a heuristic: the one option of 16 bytes that is none of those with
// another meaning. Two such options, or an address that no host has, and nothing is said; the bytes are shown.
#pragma once

#include <optional>

#include "wire/packet.h"

namespace rocetop::wire {

struct FastCnp {
  std::optional<IpAddress> data_destination;
  std::uint8_t option_type = 0;  ///< of the option that holds it
};

/// `packet.is_fast_cnp()` must hold.
FastCnp parse_fast_cnp(const Packet& packet);

}  // namespace rocetop::wire
