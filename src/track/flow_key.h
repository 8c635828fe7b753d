// SPDX-License-Identifier: BSD-3-Clause
// FlowKey: what all packets of one side of a connection have in common on the wire. BTH names only the destination QP;
// UD packets name the source QP too (DETH).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/ip_address.h"
#include "base/psn.h"
#include "wire/opcode.h"
#include "wire/packet.h"
#include "wire/plain_frame.h"

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

/// Sets all of `out`.
inline void take_key(const wire::Packet& packet, wire::Role role, FlowKey& out) {
  out.hosts.src = packet.src;
  out.hosts.dst = packet.dst;
  out.hosts.network = packet.network;
  out.hosts.protocol = packet.protocol;
  out.dst_qpn = packet.bth.dest_qp;
  out.datagram = role == wire::Role::kDatagram;
  out.src_qpn = out.datagram && packet.has(wire::kDeth) ? packet.deth.src_qp : Qpn{};
}

/// The key of what nearly every flow is: connected, IPv4, without VLAN or overlay, RoCEv2. The addresses as they stand
/// in the packet.
struct PlainKey {
  std::array<std::uint8_t, 4> src{};
  std::array<std::uint8_t, 4> dst{};
  Qpn dst_qpn;

  PlainKey() = default;
  PlainKey(const std::array<std::uint8_t, 4>& from, const std::array<std::uint8_t, 4>& to, Qpn qpn)
      : src(from), dst(to), dst_qpn(qpn) {}
  explicit PlainKey(const wire::PlainFrame& frame) : dst_qpn(frame.dest_qp()) {
    std::memcpy(src.data(), frame.src(), src.size());
    std::memcpy(dst.data(), frame.dst(), dst.size());
  }
  /// Nothing for another flow's key.
  static std::optional<PlainKey> of(const FlowKey& key) {
    if (key.datagram || key.hosts.protocol != wire::Protocol::kRoceV2 || !(key.hosts.network == wire::NetworkKey{}) ||
        !key.hosts.src.is_v4() || !key.hosts.dst.is_v4()) {
      return std::nullopt;
    }
    return PlainKey{v4_bytes(key.hosts.src), v4_bytes(key.hosts.dst), key.dst_qpn};
  }
  FlowKey full() const {
    return {{IpAddress::v4(src.data()), IpAddress::v4(dst.data()), {}, wire::Protocol::kRoceV2}, dst_qpn, {}, false};
  }
  std::uint64_t hosts() const {
    return std::uint64_t{std::bit_cast<std::uint32_t>(src)} << 32 | std::bit_cast<std::uint32_t>(dst);
  }
  friend bool operator==(const PlainKey& a, const PlainKey& b) {
    return a.hosts() == b.hosts() && a.dst_qpn == b.dst_qpn;
  }

 private:
  static std::array<std::uint8_t, 4> v4_bytes(const IpAddress& a) {
    const std::uint64_t n = a.low();
    return {static_cast<std::uint8_t>(n >> 24), static_cast<std::uint8_t>(n >> 16), static_cast<std::uint8_t>(n >> 8),
            static_cast<std::uint8_t>(n)};
  }
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

struct PlainKeyHash {
  std::size_t operator()(const PlainKey& k) const { return detail::mix(detail::mix(0, k.hosts()), k.dst_qpn.value); }
};

}  // namespace rocetop::track
