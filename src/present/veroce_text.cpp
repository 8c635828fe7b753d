// SPDX-License-Identifier: BSD-3-Clause
#include "present/veroce_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number_text.h"
#include "base/time_text.h"
#include "present/text.h"
#include "wire/veroce.h"

namespace rocetop::present {
namespace {

using wire::LayoutConfidence;
using wire::Packet;
using wire::VeroceCheck;

constexpr std::size_t kRawShown = 64;  // bytes: more than all headers together

std::string ranges_text(const std::vector<wire::PsnRange>& ranges) {
  std::string text;
  for (const wire::PsnRange& r : ranges) {
    if (!text.empty()) text += " ";
    text += r.first == r.last ? fmt::format("{}", r.first.value) : fmt::format("{}-{}", r.first.value, r.last.value);
  }
  return text.empty() ? "none" : text;
}

std::string order_text(std::uint32_t packet_order) {
  return packet_order == wire::kNoPacketOrder ? std::string("none") : fmt::format("{}", packet_order);
}

bool is_response(const Packet& p) { return p.bth.opcode == wire::kVeroceRttResponse; }

/// ", host delay 1.5 us, network delay …": nothing for a request, whose stamps are to come.
std::string delays_text(const Packet& p) {
  if (!is_response(p)) return {};
  std::string text = "host delay " + short_duration(p.veroce.rtt.host_delay());
  if (const auto network = p.veroce.rtt.network_delay()) text += ", network delay " + short_duration(*network);
  if (p.veroce.rtt_beyond_tap) {
    text += ", network beyond the tap and back " + short_duration(*p.veroce.rtt_beyond_tap);
  }
  return text;
}

std::string hex_text(Bytes bytes) {
  const std::size_t shown = std::min(bytes.size(), kRawShown);
  std::string text = fmt::format("{:02x}", fmt::join(bytes.first(shown), " "));
  return shown < bytes.size() ? text + " …" : text;
}

/// What no packet told: "sack_order, sack_bits".
std::string untold_items(const track::VeroceReport& report) {
  std::string text;
  for (const track::VeroceReport::Item& item : report.items) {
    const bool told = item.choice.confidence != LayoutConfidence::kAssumed;
    if (told || item.item == wire::VeroceItem::kCnpBody) continue;  // either length is read
    text += (text.empty() ? "" : ", ") + std::string(wire::veroce_item(item.item).key);
  }
  return text;
}

/// Whether packets came again that do not have the Retrans flag where it is read.
bool is_flag_refuted(const track::VeroceReport& report) {
  return std::ranges::any_of(report.items, [](const track::VeroceReport::Item& item) {
    return item.item == wire::VeroceItem::kRetransmitBit && item.choice.confidence == LayoutConfidence::kFailed;
  });
}

/// "2 flows as it is (confirmed), 1 flow with sack_order=psn_len (supported)". A flow is one direction of a connection.
std::string uses_text(const track::VeroceReport& report) {
  std::string text;
  for (const track::VeroceReport::Use& use : report.uses) {
    std::string layout = use.layout.empty() ? "as it is" : "with " + use.layout;
    if (use.layout == wire::kPlainLayout) layout = "plain RoCEv2";
    if (use.confidence == LayoutConfidence::kFailed) layout = "unknown";
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : ", ", plural(use.flows, "flow"), layout,
                        wire::word(use.confidence));
  }
  return text;
}

}  // namespace

std::string sack_ranges_text(const wire::SackEth& sack, bool received) {
  return ranges_text(wire::psn_ranges(sack.bitmap, sack.start, sack.valid_length, received));
}

std::string_view opcode_name(const Packet& packet) {
  return packet.protocol == wire::Protocol::kVeroce ? wire::veroce_opcode(packet.bth.opcode).name
                                                    : wire::opcode_facts(packet.bth.opcode).name;
}

std::string veroce_what(const Packet& packet) {
  std::string text = wire::veroce_short_text(packet);
  const VeroceCheck check = packet.veroce.check;
  if (check == VeroceCheck::kPassed || check == VeroceCheck::kUnknownOpcode) return text;
  return fmt::format("veRoCE {} (unknown layout: {})", text, wire::in_words(check));
}

std::vector<std::string> veroce_line_facts(const Packet& p) {
  std::vector<std::string> out;
  const auto has = [&](wire::Header h) { return p.has(h); };
  if (p.veroce.check != VeroceCheck::kPassed) {
    out.push_back(plural(p.veroce.raw_bytes, "byte") + " not read");
    return out;
  }
  if (has(wire::kMsneth)) out.push_back(fmt::format("msn {}", p.veroce.msn));
  if (has(wire::kPoeth) && p.veroce.packet_order != wire::kNoPacketOrder) {
    out.push_back(fmt::format("po {}", p.veroce.packet_order));
  }
  if (has(wire::kRqeth)) out.push_back(fmt::format("rqmsn {}", p.veroce.rq_msn));
  if (has(wire::kSacketh)) {
    out.push_back("received " + sack_ranges_text(p.veroce.sack, true));
    out.push_back("missing " + sack_ranges_text(p.veroce.sack, false));
  }
  if (has(wire::kRtteth)) {
    out.push_back(fmt::format("context 0x{:08x}", p.veroce.rtt.context));
    if (is_response(p)) out.push_back(delays_text(p));
  }
  if (p.veroce.retransmit) out.emplace_back("Retrans");
  if (p.veroce.trimmed) out.emplace_back("TRIMMED");
  return out;
}

std::string veroce_header_text(const Packet& p, wire::Header header) {
  const wire::VeroceHeaders& v = p.veroce;
  const std::string delays = delays_text(p);
  switch (header) {
    case wire::kMsneth:
      return fmt::format("MSNETH msn {}", v.msn);
    case wire::kRqeth:
      return fmt::format("RQETH rqmsn {}", v.rq_msn);
    case wire::kPoeth:
      return "POETH packet order " + order_text(v.packet_order);
    case wire::kSacketh:
      return fmt::format("SACKETH bitmap starting psn {}, valid length {}, received {}, missing {}", v.sack.start.value,
                         v.sack.valid_length, sack_ranges_text(v.sack, true), sack_ranges_text(v.sack, false));
    case wire::kRtteth:
      return fmt::format("{} cc context id 0x{:08x}, tx1 {}, rx1 {}, tx2 {}, rx2 {}{}",
                         is_response(p) ? "RTTRspETH" : "RTTReqETH", v.rtt.context, v.rtt.tx1, v.rtt.rx1, v.rtt.tx2,
                         v.rtt.rx2, delays.empty() ? "" : ": " + delays);
    default:
      return {};
  }
}

std::string veroce_layout_line(const Packet& p) {
  const wire::VeroceHeaders& v = p.veroce;
  if (v.check != VeroceCheck::kPassed) {
    return fmt::format("veRoCE headers not read ({}): {}", wire::in_words(v.check), hex_text(v.raw));
  }
  std::string text = fmt::format("veRoCE layout {}, {}", wire::layout_text(v.layout), wire::word(v.confidence));
  if (wire::veroce_opcode(p.bth.opcode).sequenced) {
    text += fmt::format("; retrans {:d} (bit 0x{:02x} of BTH byte 8, {})", v.retransmit, v.layout.retransmit_mask(),
                        v.retransmit_confidence == LayoutConfidence::kFailed ? "position unverified"
                                                                             : wire::word(v.retransmit_confidence));
  }
  return v.trimmed ? text + "; payload trimmed on the way" : text;
}

std::string veroce_frames_text(const model::Snapshot& snapshot) {
  const model::VeroceCounts& c = snapshot.capture.veroce;
  if (!c.any()) return {};
  std::string text;
  const auto add = [&](std::uint64_t n, const std::string& what) {
    if (n != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(n), what);
  };
  add(c.decoded(), "decoded");
  add(c.trimmed_frames, "of them trimmed");
  add(c.of(VeroceCheck::kUnknownOpcode), "of unknown opcode");
  add(c.all() - c.decoded() - c.of(VeroceCheck::kUnknownOpcode), "that fit no layout known");
  add(c.plain_frames, "that are plain RoCEv2, analysed as such");
  text = plural(c.all() + c.plain_frames, "frame") + " to veRoCE's port: " + text;
  if (!snapshot.veroce.uses.empty()) {
    text += fmt::format("; layout {}: {}", wire::kVeroceLayoutName, uses_text(snapshot.veroce));
    const std::string untold = untold_items(snapshot.veroce);
    if (c.decoded() != 0 && !untold.empty()) text += "; assumed, as no packet tells: " + untold;
    if (is_flag_refuted(snapshot.veroce)) {
      text += fmt::format("; refuted, as packets came again without it: {}",
                          wire::veroce_item(wire::VeroceItem::kRetransmitBit).key);
    }
  }
  if (snapshot.veroce.evicted_flows != 0) {
    text += fmt::format("; {} forgotten at the limit", plural(snapshot.veroce.evicted_flows, "flow"));
  }
  return text;
}

}  // namespace rocetop::present
