// SPDX-License-Identifier: BSD-3-Clause
// What the kernel is asked to pass of an interface's traffic: RoCE as far as four levels of headers tell (tags, IP, UDP
// ports), pause frames, fragments, and tunnels as a whole, as their inside is for the decoder to look at. A
// pcap-filter(7) expression; not the decision whether a packet is RoCE, which is wire's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/link_type.h"

namespace rocetop::source {

/// Passes everything that wire::decode() may find RoCE or pause in. `roce_ports`: UDP destination ports besides 4791.
std::string roce_filter(LinkType link_type, const std::vector<std::uint16_t>& roce_ports);

/// `expression` (a user's) and roce_filter() as one expression.
std::string kernel_filter(LinkType link_type, const std::vector<std::uint16_t>& roce_ports,
                          std::string_view expression);

/// Whether `expression` changes where libpcap looks for what stands behind it (vlan, mpls, geneve, pppoes): then
/// nothing can be joined to it, and it has to be judged by itself.
bool moves_offsets(std::string_view expression);

}  // namespace rocetop::source
