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
  static std::size_t of(const IpAddress& src, const IpAddress& dst, const wire::NetworkKey& network,
                        wire::Protocol protocol) {
    // IPv4 addresses differ in the low half, IPv6 ones mostly in both.
    const std::uint64_t h =
        detail::mix(detail::mix(0, src.low() ^ std::rotl(src.high(), 31)), dst.low() ^ std::rotl(dst.high(), 17));
    const auto number = std::uint64_t{network.vni} << 32 | std::uint64_t{network.vlan_outer} << 16 | network.vlan_inner;
    return h ^ std::rotl(number, 24) ^ static_cast<std::uint64_t>(protocol);
  }
  std::size_t operator()(const HostPair& p) const { return of(p.src, p.dst, p.network, p.protocol); }
};

struct FlowKeyHash {
  static std::size_t of(std::size_t hosts, Qpn dst_qpn, Qpn src_qpn, bool datagram) {
    return detail::mix(hosts,
                       std::uint64_t{dst_qpn.value} << 32 | std::uint64_t{src_qpn.value} << 1 | (datagram ? 1 : 0));
  }
  std::size_t operator()(const FlowKey& k) const {
    return of(HostPairHash{}(k.hosts), k.dst_qpn, k.src_qpn, k.datagram);
  }
};

}  // namespace rocetop::track
