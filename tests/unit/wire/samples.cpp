// SPDX-License-Identifier: BSD-3-Clause
// The table of encapsulations: one line of headers each, all around the same packet.
#include "frame.h"

namespace rocetop::wire::test {
namespace {

using Kind = Layer::Kind;

constexpr std::uint16_t kIpv4Type = 0x0800;
constexpr std::uint16_t kIpv6Type = 0x86DD;
constexpr std::uint16_t kRoceV1Type = 0x8915;
constexpr std::uint32_t kNone32 = 0xFFFFFFFF;
constexpr std::uint16_t kNone16 = 0xFFFF;

Frame inner() { return ethernet(kIpv4Type, send_only()); }
Frame send_only_ipv6(std::uint8_t next_header = 17, const Frame& extensions = {}) {
  return with_icrc(ipv6(next_header, extensions + udp(4791, roce(0x04, hex("0123456789ABCDEF")))),
                   48 + extensions.size());
}
Frame send_only_v1() { return with_icrc(grh(roce(0x04, hex("0123456789ABCDEF"))), 40); }
Frame gre(std::string_view flags, std::uint16_t protocol, const Frame& rest) {
  return hex(flags) + be16(protocol) + rest;
}

/// Layers of inner() or, without Ethernet, of send_only().
std::vector<Layer> around(std::vector<Layer> outer, bool with_ethernet = true) {
  if (with_ethernet) outer.push_back({Kind::kEthernet});
  outer.push_back({Kind::kIpv4});
  outer.push_back({Kind::kUdp});
  return outer;
}

void add_link_types(std::vector<Sample>& out) {
  out.push_back({"ethernet", LinkType::kEthernet, inner(), around({})});
  out.push_back({"ethernet with FCS", LinkType::kEthernet, inner() + hex("11223344"), around({})});
  out.push_back({"raw IPv4", LinkType::kRaw, send_only(), around({}, false)});
  out.push_back({"raw IPv4, 12", LinkType::kRaw12, send_only(), around({}, false)});
  out.push_back({"raw IPv4, 14", LinkType::kRaw14, send_only(), around({}, false)});
  out.push_back({"raw IPv6", LinkType::kRaw, send_only_ipv6(), {{Kind::kIpv6}, {Kind::kUdp}}});
  out.push_back({"IPv4", LinkType::kIpv4, send_only(), around({}, false)});
  out.push_back({"IPv6", LinkType::kIpv6, send_only_ipv6(), {{Kind::kIpv6}, {Kind::kUdp}}});
  out.push_back({"SLL", LinkType::kLinuxSll, hex("0000 0001 0006 0200000000010000 0800") + send_only(),
                 around({{Kind::kLinuxSll}}, false)});
  out.push_back({"SLL2", LinkType::kLinuxSll2, hex("0800 0000 00000003 0001 00 06 0200000000010000") + send_only(),
                 around({{Kind::kLinuxSll2}}, false)});
  out.push_back(
      {"null, little-endian", LinkType::kNull, hex("02000000") + send_only(), around({{Kind::kNull}}, false)});
  out.push_back({"null, big-endian", LinkType::kNull, hex("00000002") + send_only(), around({{Kind::kNull}}, false)});
  out.push_back({"loop", LinkType::kLoop, hex("00000002") + send_only(), around({{Kind::kNull}}, false)});
  for (const char* family : {"0A000000", "17000000", "18000000", "1C000000", "1E000000", "0000001E"}) {
    out.push_back(
        {"null, IPv6", LinkType::kNull, hex(family) + send_only_ipv6(), {{Kind::kNull}, {Kind::kIpv6}, {Kind::kUdp}}});
  }
  out.push_back({"ERF Ethernet", LinkType::kErf, hex("0000000000000000 02 04 0060 0000 0050  0000") + inner(),
                 around({{Kind::kErf}})});
  out.push_back({"ERF Ethernet, extension headers", LinkType::kErf,
                 hex("0000000000000000 82 04 0060 0000 0050  8300000000000000 0300000000000000 0000") + inner(),
                 around({{Kind::kErf}})});
}

void add_infiniband(std::vector<Sample>& out) {
  // LRH: SL 0, LNH 2 or 3, DLID 7, length in words up to the ICRC, SLID 9; VCRC behind the ICRC.
  const Frame packet = roce(0x04, hex("0123456789ABCDEF"));
  const Frame local = hex("00 02 0007") + be16(static_cast<std::uint32_t>((8 + packet.size()) / 4)) + hex("0009") +
                      packet + hex("7777");
  const Frame global = hex("00 03 0007") + be16(static_cast<std::uint32_t>((48 + packet.size()) / 4)) + hex("0009") +
                       grh(packet) + hex("7777");
  const Layer lrh{Kind::kLrh, 0, 9u << 16 | 7};
  out.push_back({"InfiniBand, LRH", LinkType::kInfiniband, local, {lrh}, {}, IcrcStatus::kUnchecked});
  out.push_back(
      {"InfiniBand, LRH and GRH", LinkType::kInfiniband, global, {lrh, {Kind::kGrh}}, {}, IcrcStatus::kUnchecked});
  out.push_back({"ERF InfiniBand",
                 LinkType::kErf,
                 hex("0000000000000000 15 04 0060 0000 0050") + local,
                 {{Kind::kErf}, lrh},
                 {},
                 IcrcStatus::kUnchecked});
}

void add_tags(std::vector<Sample>& out) {
  for (const int tpid : {0x8100, 0x88A8, 0x9100, 0x9200}) {
    out.push_back({"VLAN",
                   LinkType::kEthernet,
                   ethernet(static_cast<std::uint16_t>(tpid), vlan_tag(100, kIpv4Type, send_only())),
                   {{Kind::kEthernet}, {Kind::kVlan, 0, 100}, {Kind::kIpv4}, {Kind::kUdp}},
                   {100, kNone16, kNone32}});
  }
  out.push_back({"QinQ",
                 LinkType::kEthernet,
                 ethernet(0x88A8, vlan_tag(10, 0x8100, vlan_tag(20, kIpv4Type, send_only()))),
                 {{Kind::kEthernet}, {Kind::kVlan, 0, 10}, {Kind::kVlan, 0, 20}, {Kind::kIpv4}, {Kind::kUdp}},
                 {10, 20, kNone32}});
  out.push_back({"priority tag",
                 LinkType::kEthernet,
                 ethernet(0x8100, vlan_tag(0, kIpv4Type, send_only())),
                 {{Kind::kEthernet}, {Kind::kVlan, 0, 0}, {Kind::kIpv4}, {Kind::kUdp}}});
  out.push_back({"MPLS, two labels",
                 LinkType::kEthernet,
                 ethernet(0x8847, hex("00010 040 00011 140") + send_only()),
                 {{Kind::kEthernet}, {Kind::kMpls, 0, 16}, {Kind::kMpls, 0, 17}, {Kind::kIpv4}, {Kind::kUdp}}});
  out.push_back({"MPLS pseudowire with control word", LinkType::kEthernet,
                 ethernet(0x8848, hex("00010140 00000000") + inner()),
                 around({{Kind::kEthernet}, {Kind::kMpls, 0, 16}})});
  out.push_back({"MPLS pseudowire", LinkType::kEthernet,
                 ethernet(0x8847, hex("00010140 A2 00 00 00 00 02  02 00 00 00 00 01 0800") + send_only()),
                 around({{Kind::kEthernet}, {Kind::kMpls, 0, 16}})});
  out.push_back({"Mellanox mirror", LinkType::kEthernet, ethernet(0x8949, inner()),
                 around({{Kind::kEthernet}, {Kind::kMellanoxMirror}})});
}

void add_ip(std::vector<Sample>& out) {
  const std::vector<Layer> v4 = {{Kind::kEthernet}, {Kind::kIpv4}, {Kind::kUdp}};
  const std::vector<Layer> v6 = {{Kind::kEthernet}, {Kind::kIpv6}, {Kind::kUdp}};
  const Frame datagram = udp(4791, roce(0x04, hex("0123456789ABCDEF")));
  out.push_back({"IPv4 options", LinkType::kEthernet,
                 ethernet(kIpv4Type, with_icrc(ipv4(17, datagram, {.options = hex("01010101 01010101")}), 36)), v4});
  out.push_back({"IPv6", LinkType::kEthernet, ethernet(kIpv6Type, send_only_ipv6()), v6});
  const Frame extensions =
      hex("2B 00 0104 00000000"
          "3C 00 00000000 0000"
          "2C 01 0104 00000000 0000000000000000"
          "11 00 0000 00000007");
  out.push_back(
      {"IPv6 extension headers", LinkType::kEthernet, ethernet(kIpv6Type, send_only_ipv6(0, extensions)), v6});
  out.push_back({"IPv6 authentication header", LinkType::kEthernet,
                 ethernet(kIpv6Type, send_only_ipv6(51, hex("11 01 0000 00000001 00000002"))), v6});
  out.push_back({"IPv4 authentication header", LinkType::kEthernet,
                 ethernet(kIpv4Type, with_icrc(ipv4(51, hex("11 01 0000 00000001 00000002") + datagram), 40)), v4});
  out.push_back({"IPv4 in IPv4", LinkType::kEthernet, ethernet(kIpv4Type, ipv4(4, send_only())),
                 around({{Kind::kEthernet}, {Kind::kIpv4}}, false)});
  out.push_back({"IPv6 in IPv4",
                 LinkType::kEthernet,
                 ethernet(kIpv4Type, ipv4(41, send_only_ipv6())),
                 {{Kind::kEthernet}, {Kind::kIpv4}, {Kind::kIpv6}, {Kind::kUdp}}});
  out.push_back({"IPv4 in IPv6", LinkType::kEthernet, ethernet(kIpv6Type, ipv6(4, send_only())),
                 around({{Kind::kEthernet}, {Kind::kIpv6}}, false)});
  const Frame ifa_metadata = hex("FF FF 40 02 10000001 00000000");
  out.push_back({"IFA, UDP length with metadata",
                 LinkType::kEthernet,
                 ethernet(kIpv4Type, ipv4(253, hex("2F 11 04 20") +
                                                   udp(4791, ifa_metadata + roce(0x04, hex("0123456789ABCDEF"))))),
                 {{Kind::kEthernet}, {Kind::kIpv4}, {Kind::kIfa}, {Kind::kUdp}},
                 {},
                 IcrcStatus::kUnchecked});
  out.push_back(
      {"IFA, UDP length without metadata",
       LinkType::kEthernet,
       ethernet(kIpv4Type,
                ipv4(253, hex("2F 11 04 20") + udp(4791, ifa_metadata + roce(0x04, hex("0123456789ABCDEF")), 8 + 24))),
       {{Kind::kEthernet}, {Kind::kIpv4}, {Kind::kIfa}, {Kind::kUdp}},
       {},
       IcrcStatus::kUnchecked});
  out.push_back(
      {"RoCEv1", LinkType::kEthernet, ethernet(kRoceV1Type, send_only_v1()), {{Kind::kEthernet}, {Kind::kGrh}}});
}

void add_gre(std::vector<Sample>& out) {
  const std::vector<Layer> outer = {{Kind::kEthernet}, {Kind::kIpv4}};
  const auto with = [&outer](std::vector<Layer> layers) {
    std::vector<Layer> all = outer;
    all.insert(all.end(), layers.begin(), layers.end());
    return all;
  };
  const auto packet = [](const Frame& rest) { return ethernet(kIpv4Type, ipv4(47, rest)); };
  out.push_back(
      {"GRE", LinkType::kEthernet, packet(gre("0000", kIpv4Type, send_only())), around(with({{Kind::kGre}}), false)});
  out.push_back({"GRE with checksum, key, sequence", LinkType::kEthernet,
                 packet(gre("B000", kIpv4Type, zeros(12) + send_only())), around(with({{Kind::kGre}}), false)});
  out.push_back(
      {"GRE bridge", LinkType::kEthernet, packet(gre("0000", 0x6558, inner())), around(with({{Kind::kGre}}))});
  out.push_back({"NVGRE",
                 LinkType::kEthernet,
                 packet(gre("2000", 0x6558, hex("001388 07") + inner())),
                 around(with({{Kind::kNvgre, 0, 5000}})),
                 {kNone16, kNone16, 5000}});
  out.push_back({"ERSPAN I", LinkType::kEthernet, packet(gre("0000", 0x88BE, inner())),
                 around(with({{Kind::kGre}, {Kind::kErspan1}}))});
  out.push_back({"ERSPAN II", LinkType::kEthernet,
                 packet(gre("1000", 0x88BE, hex("00000001 1064 6065 00000005") + inner())),
                 around(with({{Kind::kGre}, {Kind::kErspan2, 0, 0x65}}))});
  out.push_back({"ERSPAN II, cut by the switch",
                 LinkType::kEthernet,
                 packet(gre("1000", 0x88BE, hex("00000001 1064 6465 00000005") + inner())),
                 around(with({{Kind::kGre}, {Kind::kErspan2, 0, 0x65}})),
                 {},
                 IcrcStatus::kUnchecked});
  out.push_back({"ERSPAN III", LinkType::kEthernet,
                 packet(gre("1000", 0x22EB, hex("00000001 2064 6065 00000000 0000 0004") + inner())),
                 around(with({{Kind::kGre}, {Kind::kErspan3, 0, 0x65}}))});
  out.push_back(
      {"ERSPAN III of IP, with subheader", LinkType::kEthernet,
       packet(gre("1000", 0x22EB, hex("00000001 2064 6065 00000000 0000 0805 0000000000000000") + send_only())),
       around(with({{Kind::kGre}, {Kind::kErspan3, 0, 0x65}}), false)});
}

void add_udp_tunnels(std::vector<Sample>& out) {
  const auto packet = [](std::uint16_t port, const Frame& rest) {
    return ethernet(kIpv4Type, ipv4(17, udp(port, rest)));
  };
  const auto outer = [](Layer tunnel) {
    return std::vector<Layer>{{Kind::kEthernet}, {Kind::kIpv4}, {Kind::kUdp}, tunnel};
  };
  const NetworkKey key{kNone16, kNone16, 5000};
  const Layer vxlan{Kind::kVxlan, 0, 5000};
  const Layer geneve{Kind::kGeneve, 0, 5000};
  out.push_back(
      {"VXLAN", LinkType::kEthernet, packet(4789, hex("08000000 00138800") + inner()), around(outer(vxlan)), key});
  out.push_back({"VXLAN, Linux's port", LinkType::kEthernet, packet(8472, hex("08000000 00138800") + inner()),
                 around(outer(vxlan)), key});
  out.push_back({"VXLAN-GPE", LinkType::kEthernet, packet(4790, hex("0C000001 00138800") + send_only()),
                 around(outer(vxlan), false), key});
  out.push_back(
      {"VXLAN of RoCEv1 in VLANs",
       LinkType::kEthernet,
       ethernet(0x8100, vlan_tag(7, kIpv6Type,
                                 ipv6(17, udp(4789, hex("08000000 00138800") +
                                                        ethernet(0x8100, vlan_tag(8, kRoceV1Type, send_only_v1())))))),
       {{Kind::kEthernet},
        {Kind::kVlan, 0, 7},
        {Kind::kIpv6},
        {Kind::kUdp},
        vxlan,
        {Kind::kEthernet},
        {Kind::kVlan, 0, 8},
        {Kind::kGrh}},
       {7, 8, 5000}});
  out.push_back(
      {"GENEVE", LinkType::kEthernet, packet(6081, hex("0000 6558 001388 00") + inner()), around(outer(geneve)), key});
  out.push_back({"GENEVE of IP, with options", LinkType::kEthernet,
                 packet(6081, hex("0200 0800 001388 00 0102800100000000") + send_only()), around(outer(geneve), false),
                 key});
  out.push_back({"MPLS in UDP", LinkType::kEthernet, packet(6635, hex("00010140") + send_only()),
                 around(outer({Kind::kMpls, 0, 16}), false)});
  out.push_back({"VXLAN in ERSPAN", LinkType::kEthernet,
                 ethernet(kIpv4Type, ipv4(47, gre("1000", 0x88BE,
                                                  hex("00000001 1064 6065 00000005") +
                                                      packet(4789, hex("08000000 00138800") + inner())))),
                 around({{Kind::kEthernet},
                         {Kind::kIpv4},
                         {Kind::kGre},
                         {Kind::kErspan2, 0, 0x65},
                         {Kind::kEthernet},
                         {Kind::kIpv4},
                         {Kind::kUdp},
                         vxlan}),
                 key});
}

}  // namespace

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = [] {
    std::vector<Sample> out;
    add_link_types(out);
    add_infiniband(out);
    add_tags(out);
    add_ip(out);
    add_gre(out);
    add_udp_tunnels(out);
    return out;
  }();
  return all;
}

}  // namespace rocetop::wire::test
