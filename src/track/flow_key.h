// SPDX-License-Identifier: BSD-3-Clause
// FlowKey: what all packets of one side of a connection have in common on the wire. BTH names only the destination QP;
// UD packets name the source QP too (DETH).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/ip_address.h"
#include "base/psn.h"
#include "wire/packet.h"

namespace rocetop::track {

/// Two hosts in one network, in one direction.
struct HostPair {
  IpAddress src;
  IpAddress dst;
  wire::NetworkKey network;
  wire::Protocol protocol = wire::Protocol::kRoceV2;

  HostPair reversed() const { return {dst, src, network, protocol}; }
  friend bool operator==(const HostPair&, const HostPair&) = default;
};

struct FlowKey {
  HostPair hosts;
  Qpn dst_qpn;
  Qpn src_qpn;            ///< UD only, else 0
  bool datagram = false;  ///< UD

  /// The other side of a UD flow. (Of a connected one the wire does not say.)
  FlowKey reversed_datagram() const { return {hosts.reversed(), src_qpn, dst_qpn, true}; }
  friend bool operator==(const FlowKey&, const FlowKey&) = default;
};

namespace detail {
constexpr std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h = (h ^ v) * 0x9E3779B97F4A7C15ULL;
  return h ^ (h >> 32);
}
}  // namespace detail

struct IpAddressHash {
  std::size_t operator()(const IpAddress& a) const { return detail::mix(a.high(), a.low()); }
};

struct HostPairHash {
  std::size_t operator()(const HostPair& p) const {
    // IPv4 addresses differ in the low half, IPv6 ones mostly in both.
    const std::uint64_t h = detail::mix(detail::mix(0, p.src.low() ^ std::rotl(p.src.high(), 31)),
                                        p.dst.low() ^ std::rotl(p.dst.high(), 17));
    const auto network =
        std::uint64_t{p.network.vni} << 32 | std::uint64_t{p.network.vlan_outer} << 16 | p.network.vlan_inner;
    return h ^ std::rotl(network, 24) ^ static_cast<std::uint64_t>(p.protocol);
  }
};

struct FlowKeyHash {
  std::size_t operator()(const FlowKey& k) const {
    const std::uint64_t h = HostPairHash{}(k.hosts);
    return detail::mix(
        h, std::uint64_t{k.dst_qpn.value} << 32 | std::uint64_t{k.src_qpn.value} << 1 | (k.datagram ? 1 : 0));
  }
};

}  // namespace rocetop::track
