// SPDX-License-Identifier: BSD-3-Clause
// Expectations: how somebody says the fabric is meant to be. What is not said is not expected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/packet.h"

namespace rocetop::verdict {

struct Expectations {
  std::vector<std::uint8_t> data_dscps;  ///< any of these; empty: nothing said
  std::vector<std::uint8_t> cnp_dscps;
  std::optional<bool> ecn;  ///< data can be marked (ECT or CE), or cannot
  std::optional<std::uint32_t> path_mtu;
  std::vector<std::uint16_t> udp_ports;   ///< UDP destination ports
  std::vector<std::uint8_t> priorities;   ///< 802.1p classes of data, where frames carry a tag
  std::vector<wire::Protocol> protocols;  ///< of reliable connections

  bool any() const {
    return !data_dscps.empty() || !cnp_dscps.empty() || ecn || path_mtu || !udp_ports.empty() || !priorities.empty() ||
           !protocols.empty();
  }
};

/// "dscp=26,cnp-dscp=48,ecn=on,mtu=4096,port=4791,priority=3,protocol=veroce". Several values of one kind:
/// "dscp=26|24", or the key again. Entries end with a comma or a line; "#" starts a comment. Errors name the entry and
/// what was expected.
Result<Expectations> parse_expectations(std::string_view text);

}  // namespace rocetop::verdict
