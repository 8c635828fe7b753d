// SPDX-License-Identifier: BSD-3-Clause
#include "source/live_filter.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace rocetop::source {
namespace {

/// RoCEv2, veRoCE, VXLAN (and as Linux numbers it), VXLAN-GPE, GENEVE, MPLS in UDP: as wire/udp.cpp knows them.
constexpr std::array<std::uint16_t, 7> kUdpPorts = {4791, 4794, 4789, 8472, 4790, 6081, 6635};

/// IP in IP, IPv6 in IP, GRE, AH, IFA: as wire/walk.h knows them.
constexpr std::array<int, 5> kIpProtocols = {4, 41, 47, 51, 253};

/// Extension headers of IPv6 that may stand before UDP, and the mobility header. Hop-by-hop options (0) are told apart
/// from those of MLD reports (ICMPv6, 58), which every host sends.
constexpr std::array<int, 4> kIpv6Extensions = {43, 44, 60, 135};
constexpr std::string_view kHopByHop = "(ip6 and ip6[6] = 0 and ip6[40] != 58)";

/// RoCEv1, MAC control (pause), MPLS unicast and multicast, a Mellanox mirror's own header, QinQ as libpcap does not
/// know it.
constexpr std::array<std::string_view, 6> kEtherTypes = {"0x8915", "0x8808", "0x8847", "0x8848", "0x8949", "0x9200"};

/// Tags that stand in the frame, where libpcap has no `vlan` for the link type. (Those that the kernel took out of the
/// frame do not matter here: the filter sees the frame without them.)
constexpr std::array<std::string_view, 3> kTagTypes = {"0x8100", "0x88a8", "0x9100"};

void add(std::string& to, const std::string& term) {
  if (!to.empty()) to += " or ";
  to += term;
}

bool has_ether_types(LinkType type) {
  return type == LinkType::kEthernet || type == LinkType::kLinuxSll || type == LinkType::kLinuxSll2;
}

/// One level: what stands right behind the tags so far.
std::string level(LinkType link_type, const std::vector<std::uint16_t>& roce_ports) {
  std::string out;
  for (const std::uint16_t port : kUdpPorts) add(out, "udp dst port " + std::to_string(port));
  for (const std::uint16_t port : roce_ports) add(out, "udp dst port " + std::to_string(port));
  // The later fragments have no ports.
  add(out, "(ip proto 17 and ip[6:2] & 0x1fff != 0)");
  for (const int protocol : kIpProtocols) {
    add(out, "ip proto " + std::to_string(protocol));
    add(out, "ip6 proto " + std::to_string(protocol));
  }
  for (const int header : kIpv6Extensions) add(out, "(ip6 and ip6[6] = " + std::to_string(header) + ")");
  add(out, std::string(kHopByHop));
  if (has_ether_types(link_type)) {
    for (const std::string_view type : kEtherTypes) add(out, "ether proto " + std::string(type));
  }
  return out;
}

}  // namespace

std::string roce_filter(LinkType link_type, const std::vector<std::uint16_t>& roce_ports) {
  std::string one = level(link_type, roce_ports);
  if (link_type == LinkType::kEthernet) {
    // `vlan` moves the offsets of everything behind it, brackets or not: so each level stands behind the one before,
    // and nothing may follow. The third tag passes whatever it holds.
    return "(" + one + ") or (vlan and ((" + one + ") or (vlan and ((" + one + ") or vlan))))";
  }
  if (!has_ether_types(link_type)) return one;
  std::string out = one;
  for (const std::string_view type : kTagTypes) add(out, "ether proto " + std::string(type));
  return out;
}

std::string kernel_filter(LinkType link_type, const std::vector<std::uint16_t>& roce_ports,
                          std::string_view expression) {
  std::string roce = roce_filter(link_type, roce_ports);
  if (expression.empty()) return roce;
  return "(" + std::string(expression) + ") and (" + roce + ")";
}

bool moves_offsets(std::string_view expression) {
  constexpr std::array<std::string_view, 5> kWords = {"vlan", "mpls", "geneve", "pppoes", "pppoed"};
  std::size_t at = 0;
  while (at < expression.size()) {
    const auto in_word = [&](std::size_t i) {
      const auto c = static_cast<unsigned char>(expression[i]);
      return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';  // a host's name is one word
    };
    std::size_t end = at;
    while (end < expression.size() && in_word(end)) ++end;
    if (std::find(kWords.begin(), kWords.end(), expression.substr(at, end - at)) != kWords.end()) return true;
    at = std::max(end, at + 1);
  }
  return false;
}

}  // namespace rocetop::source
