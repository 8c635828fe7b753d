// SPDX-License-Identifier: BSD-3-Clause
#include "present/packet_details.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number_text.h"
#include "model/words.h"
#include "present/cm_text.h"
#include "present/packet_line.h"
#include "present/text.h"
#include "present/veroce_text.h"
#include "wire/aeth.h"
#include "wire/fast_cnp.h"
#include "wire/veroce.h"

namespace rocetop::present {
namespace {

using wire::Layer;
using wire::Packet;
using Kind = wire::Layer::Kind;

constexpr std::size_t kIndent = 4;

std::string mac_text(Bytes mac) {
  if (mac.size() < 6) return "?";
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
}

std::string ethernet_text(ByteReader r) {
  const Bytes dst = r.bytes(6);
  const Bytes src = r.bytes(6);
  return r.failed() ? "Ethernet" : fmt::format("Ethernet {} > {}", mac_text(src), mac_text(dst));
}

std::string traffic_class_text(std::uint8_t traffic_class) {
  return fmt::format("dscp {}, ecn {}", traffic_class >> 2, model::in_words(static_cast<wire::Ecn>(traffic_class & 3)));
}

std::string ipv4_text(ByteReader r) {
  r.skip(1);
  const std::uint8_t traffic_class = r.u8();
  const std::uint16_t length = r.u16();
  const std::uint16_t id = r.u16();
  const std::uint16_t fragment = r.u16();
  const std::uint8_t ttl = r.u8();
  r.skip(3);
  const Bytes src = r.bytes(4);
  const Bytes dst = r.bytes(4);
  if (r.failed()) return "IPv4, cut";
  std::string text =
      fmt::format("IPv4 {} > {}, {}, ttl {}, id {}, length {}", IpAddress::v4(src.data()).to_string(),
                  IpAddress::v4(dst.data()).to_string(), traffic_class_text(traffic_class), ttl, id, length);
  if ((fragment & 0x4000) != 0) text += ", don't fragment";
  if ((fragment & 0x2000) != 0) text += ", more fragments";
  if ((fragment & 0x1FFF) != 0) text += fmt::format(", fragment offset {}", (fragment & 0x1FFF) * 8);
  return text;
}

/// IPv6 and GRH have the same shape.
std::string ipv6_text(std::string_view name, ByteReader r) {
  const std::uint32_t first = r.u32();
  const std::uint16_t length = r.u16();
  r.skip(1);
  const std::uint8_t hop_limit = r.u8();
  const Bytes src = r.bytes(16);
  const Bytes dst = r.bytes(16);
  if (r.failed()) return fmt::format("{}, cut", name);
  return fmt::format("{} {} > {}, {}, hop limit {}, flow label 0x{:05x}, length {}", name,
                     IpAddress::v6(src.data()).to_string(), IpAddress::v6(dst.data()).to_string(),
                     traffic_class_text(static_cast<std::uint8_t>(first >> 20)), hop_limit, first & 0xFFFFF, length);
}

std::string udp_text(ByteReader r) {
  const std::uint16_t src = r.u16();
  const std::uint16_t dst = r.u16();
  const std::uint16_t length = r.u16();
  return r.failed() ? "UDP, cut" : fmt::format("UDP {} > {}, length {}", src, dst, length);
}

std::string layer_text(const Layer& layer, Bytes frame) {
  ByteReader r(frame.subspan(std::min<std::size_t>(layer.offset, frame.size())));
  switch (layer.kind) {
    case Kind::kEthernet:
      return ethernet_text(r);
    case Kind::kVlan:
      return fmt::format("VLAN {}", layer.value);
    case Kind::kMpls:
      return fmt::format("MPLS label {}", layer.value);
    case Kind::kLinuxSll:
      return "Linux cooked capture v1";
    case Kind::kLinuxSll2:
      return "Linux cooked capture v2";
    case Kind::kNull:
      return "loopback";
    case Kind::kErf:
      return "ERF";
    case Kind::kIpv4:
      return ipv4_text(r);
    case Kind::kIpv6:
      return ipv6_text("IPv6", r);
    case Kind::kGrh:
      return ipv6_text("GRH", r);
    case Kind::kUdp:
      return udp_text(r);
    case Kind::kGre:
      return "GRE";
    case Kind::kNvgre:
      return fmt::format("NVGRE vsid {}", layer.value);
    case Kind::kErspan1:
      return fmt::format("ERSPAN I session {}", layer.value);
    case Kind::kErspan2:
      return fmt::format("ERSPAN II session {}", layer.value);
    case Kind::kErspan3:
      return fmt::format("ERSPAN III session {}", layer.value);
    case Kind::kVxlan:
      return fmt::format("VXLAN vni {}", layer.value);
    case Kind::kGeneve:
      return fmt::format("GENEVE vni {}", layer.value);
    case Kind::kLrh:
      return fmt::format("LRH lid {} > {}", layer.value >> 16, layer.value & 0xFFFF);
    case Kind::kMellanoxMirror:
      return "mirror header of the switch";
    case Kind::kIfa:
      return "IFA (in-band telemetry)";
  }
  return "unknown layer";
}

class Details {
 public:
  Details(const PacketRecord& record, const TextStyle& style, bool several_files, bool fold)
      : record_(record), p_(record.decoded->packet), style_(style), several_files_(several_files), fold_(fold) {}

  std::string text() {
    const std::size_t layers = std::min<std::size_t>(p_.layer_count, p_.layers.size());
    const bool udp_last = layers > 0 && p_.layers[layers - 1].kind == Kind::kUdp;
    for (std::size_t i = 0; i + (udp_last ? 1 : 0) < layers; ++i) line(layer_text(p_.layers[i], record_.frame));
    options();
    if (udp_last) line(layer_text(p_.layers[layers - 1], record_.frame));
    bth();
    extended_headers();
    if (is_veroce()) line(veroce_layout_line(p_));
    cm();
    payload();
    analysis();
    return std::move(out_);
  }

 private:
  void line(std::string_view text) {
    out_ += std::string(kIndent, ' ');
    if (fold_) {
      out_ += paragraph(style_, {{std::string(text), Tone::kPlain}}, kIndent, kIndent + 2);
    } else {
      out_ += clean(text, style_.unicode) + "\n";
    }
  }

  bool is_veroce() const { return p_.protocol == wire::Protocol::kVeroce; }

  /// As they are: what a Fast CNP's mean is not standardised.
  void options() {
    if (!p_.destination_options) return;
    std::string text = fmt::format("Destination Options {:02x}", fmt::join(p_.options, " "));
    if (p_.is_fast_cnp()) {
      const wire::FastCnp cnp = wire::parse_fast_cnp(p_);
      if (cnp.data_destination) {
        text += fmt::format(": option 0x{:02x} taken for the address the data was sent to, {}", cnp.option_type,
                            cnp.data_destination->to_string());
      }
    }
    line(text);
  }

  void bth() {
    const wire::Bth& b = p_.bth;
    line(
        fmt::format("BTH opcode 0x{:02x} ({}), se {:d}, migreq {:d}, padcnt {}, tver {}, p_key 0x{:04x}, fecn {:d}, "
                    "becn {:d}, dest qp {} (0x{:06x}), ackreq {:d}, psn {} (0x{:06x})",
                    b.opcode, opcode_name(p_), b.solicited, b.migration, b.pad, b.version, b.p_key, b.fecn, b.becn,
                    b.dest_qp.value, b.dest_qp.value, b.ack_request, b.psn.value, b.psn.value));
  }

  void extended_headers() {
    if (is_veroce()) {
      const auto chain = wire::header_chain(wire::veroce_opcode(p_.bth.opcode), p_.veroce.layout);
      for (std::uint8_t i = 0; i < chain.count; ++i) header(chain.headers[i]);
    } else {
      constexpr wire::Header kInOrder[] = {wire::kRdeth,     wire::kDeth,        wire::kXrceth, wire::kFeth,
                                           wire::kReth,      wire::kAeth,        wire::kImmDt,  wire::kIeth,
                                           wire::kAtomicEth, wire::kAtomicAckEth};
      for (const wire::Header h : kInOrder) header(h);
    }
    if ((p_.expected_headers & ~p_.headers) != 0) {
      line(p_.truncated ? "further headers of this opcode were cut by the snap length"
                        : "further headers of this opcode are in a later fragment");
    }
  }

  void header(wire::Header h) {
    if (p_.has(h)) line(header_text(h));
  }

  std::string header_text(wire::Header h) const {
    switch (h) {
      case wire::kRdeth:
        return fmt::format("RDETH ee context {}", p_.ee_context);
      case wire::kDeth:
        return fmt::format("DETH q_key 0x{:08x}, source qp {} (0x{:06x})", p_.deth.q_key, p_.deth.src_qp.value,
                           p_.deth.src_qp.value);
      case wire::kXrceth:
        return fmt::format("XRCETH srq {} (0x{:06x})", p_.xrc_srq.value, p_.xrc_srq.value);
      case wire::kFeth:
        return fmt::format("FETH 0x{:08x}", p_.feth);
      case wire::kReth:
        return fmt::format("RETH va 0x{:016x}, r_key 0x{:08x}, dma length {}", p_.reth.virtual_address, p_.reth.r_key,
                           p_.reth.dma_length);
      case wire::kAeth:
        return fmt::format("AETH syndrome 0x{:02x} ({}), msn {}", p_.aeth.syndrome,
                           is_veroce() ? wire::veroce_aeth_text(p_.aeth.syndrome) : wire::aeth_text(p_.aeth.syndrome),
                           p_.aeth.msn.value);
      case wire::kImmDt:
        return fmt::format("ImmDt 0x{:08x}", p_.immediate);
      case wire::kIeth:
        return fmt::format("IETH r_key 0x{:08x}", p_.invalidate_r_key);
      case wire::kAtomicEth:
        return fmt::format("AtomicETH va 0x{:016x}, r_key 0x{:08x}, swap or add {}, compare {}",
                           p_.atomic.virtual_address, p_.atomic.r_key, p_.atomic.swap_or_add, p_.atomic.compare);
      case wire::kAtomicAckEth:
        return fmt::format("AtomicAckETH original {}", p_.atomic_original);
      default:
        return veroce_header_text(p_, h);
    }
  }

  void cm() {
    if (p_.bth.dest_qp != Qpn{1} || p_.bth.transport() != wire::Transport::kUd) return;
    if (const auto cm = wire::parse_cm(p_.payload)) line("CM " + cm_fields(*cm));
  }

  void payload() {
    if (is_veroce() && p_.veroce.check != wire::VeroceCheck::kPassed) return;  // where it would begin is not known
    std::string text = "payload " + plural(p_.payload_bytes, "byte");
    if (p_.payload.size() < p_.payload_bytes) text += fmt::format(" ({} captured)", grouped(p_.payload.size()));
    if (p_.icrc == wire::IcrcStatus::kUnchecked) {
      text += p_.truncated ? ", icrc cut" : p_.fragment ? ", icrc in a later fragment" : ", icrc unchecked";
    } else {
      text += fmt::format(", icrc 0x{:08x} {}", p_.icrc_value, model::word(p_.icrc));
    }
    line(text);
  }

  void analysis() {
    const track::Observation& o = record_.observation;
    std::string text =
        o.connection == 0 ? "analysis no connection" : fmt::format("analysis connection {}", o.connection);
    if (o.space != track::SpaceName::kNone) text += fmt::format(", {}", model::word(o.space));
    text += fmt::format(", {}", model::in_words(o.kind));
    const std::string marks = analysis_marks(record_, several_files_);
    if (!marks.empty()) text += ": " + marks;
    line(text);
  }

  const PacketRecord& record_;
  const Packet& p_;
  const TextStyle& style_;
  const bool several_files_;
  const bool fold_;
  std::string out_;
};

}  // namespace

std::string packet_details(const PacketRecord& record, const TextStyle& style, bool several_files, bool fold) {
  if (record.decoded->kind != wire::FrameKind::kRoce) return {};
  return Details(record, style, several_files, fold).text();
}

}  // namespace rocetop::present
