// SPDX-License-Identifier: BSD-3-Clause
#include "track/veroce_layouts.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "track/veroce_trial.h"

namespace rocetop::track {
namespace {

using wire::LayoutConfidence;
using wire::Packet;
using wire::VeroceCheck;
using wire::VeroceItem;
using wire::VeroceOpcode;
using wire::VeroceShape;

constexpr std::uint32_t kVeroceBit = 1U << static_cast<unsigned>(wire::HeaderSet::kVeroce);
constexpr std::uint32_t kFewPackets = 4;  // of a flow, before which those of its hosts say whether a layout fits
constexpr std::uint32_t kIbtaBit = 1U << static_cast<unsigned>(wire::HeaderSet::kIbta);

LayoutConfidence weaker(LayoutConfidence a, LayoutConfidence b) {
  if (a == LayoutConfidence::kFailed || b == LayoutConfidence::kFailed) return LayoutConfidence::kFailed;
  return std::min(a, b);
}

/// Forgets the quarter of `table` that was not used for longest. Returns how many.
template <typename Table>
std::size_t forget_stalest(Table& table) {
  std::vector<std::uint64_t> used;
  used.reserve(table.size());
  for (const auto& entry : table) used.push_back(entry.second->used);
  const auto quarter = used.begin() + static_cast<std::ptrdiff_t>(used.size() / 4);
  std::nth_element(used.begin(), quarter, used.end());
  const std::uint64_t last = *quarter;
  const std::size_t before = table.size();
  for (auto it = table.begin(); it != table.end();) it = it->second->used <= last ? table.erase(it) : std::next(it);
  return before - table.size();
}

template <typename Map, typename Key>
const LayoutEvidence* evidence_in(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second->evidence;
}

/// Both directions of two hosts are one pair.
HostPair unordered(HostPair pair) { return pair.dst < pair.src ? pair.reversed() : pair; }

/// Bit by kSackStart's alternatives.
std::uint32_t start_of(const Packet& packet, const wire::VeroceReading& reading) {
  if (!reading.has(wire::kSacketh)) return 0;
  const std::int32_t ahead = serial_difference(reading.sack.start.value, packet.bth.psn.value);
  return ahead == 0 || ahead == 1 ? 1U << static_cast<unsigned>(ahead) : 0;
}

}  // namespace

/// Each item's choice, and whose evidence it rests on.
struct VeroceLayouts::Chosen {
  wire::VeroceLayout layout;
  std::array<LayoutChoice, wire::kVeroceItems> choices;
  std::array<const LayoutEvidence*, wire::kVeroceItems> from{};
  bool failed = false;

  const LayoutChoice& of(VeroceItem item) const { return choices[static_cast<std::size_t>(item)]; }
  /// Where alternatives that read the packet alike need not be told apart.
  LayoutConfidence confidence(VeroceItem item, const Packet& packet) const {
    const LayoutEvidence* evidence = from[static_cast<std::size_t>(item)];
    if (evidence == nullptr) return of(item).confidence;
    return evidence->of(item).confidence(layout.at(item), same_reading(item, packet, layout));
  }
};

FlowKey VeroceLayouts::flow_key(const Packet& packet) {
  return {{packet.src, packet.dst, packet.network, wire::Protocol::kVeroce}, packet.bth.dest_qp, {}, false};
}

HostPair VeroceLayouts::hosts_key(const Packet& packet) {
  return unordered({packet.src, packet.dst, packet.network, wire::Protocol::kVeroce});
}

VeroceLayouts::Flow& VeroceLayouts::flow_of(const Packet& packet) {
  const FlowKey key = flow_key(packet);
  auto found = flows_.find(key);
  if (found == flows_.end()) {
    if (flows_.size() >= flow_limit_) evicted_flows_ += forget_stalest(flows_);
    found = flows_.emplace(key, std::make_unique<Flow>()).first;
  }
  found->second->used = clock_;
  return *found->second;
}

VeroceLayouts::Hosts& VeroceLayouts::hosts_of(const Packet& packet) {
  const HostPair key = hosts_key(packet);
  auto found = hosts_.find(key);
  if (found == hosts_.end()) {
    if (hosts_.size() >= kHosts) forget_stalest(hosts_);
    found = hosts_.emplace(key, std::make_unique<Hosts>()).first;
  }
  found->second->used = clock_;
  return *found->second;
}

VeroceLayouts::Chosen VeroceLayouts::choose(const FlowKey& key, const LayoutEvidence& flow,
                                            const LayoutEvidence& hosts) const {
  Chosen out;
  out.layout = base_;
  const HostPair pair = unordered(key.hosts);
  const std::array<const LayoutEvidence*, 4> sources = {known_ ? evidence_in(known_->flows_, key) : nullptr,
                                                        known_ ? evidence_in(known_->hosts_, pair) : nullptr, &flow,
                                                        &hosts};
  for (std::size_t i = 0; i < wire::kVeroceItems; ++i) {
    const auto item = static_cast<VeroceItem>(i);
    out.choices[i].alternative = base_.choice[i];
    for (const LayoutEvidence* source : sources) {
      if (source == nullptr || !source->tells(item)) continue;
      out.choices[i] = source->choose(item, base_);
      out.from[i] = source;
      break;
    }
    out.layout.choice[i] = out.choices[i].alternative;
  }
  const LayoutEvidence* known = sources[0];
  const bool is_new = flow.judged < kFewPackets;
  out.failed = (known != nullptr && known->has_failed()) || flow.has_failed() || (is_new && hosts.has_failed());
  return out;
}

void VeroceLayouts::learn_item(VeroceItem item, std::uint32_t fitting, std::uint32_t possible, Flow& flow,
                               Hosts& hosts) {
  flow.evidence.of(item).add(fitting, possible);
  hosts.evidence.of(item).add(fitting, possible);
  all_.of(item).add(fitting, possible);
}

void VeroceLayouts::learn_icrc(const Packet& packet, Flow& flow, Hosts& hosts) {
  if (!packet.veroce.icrc_whole) return;
  learn_item(VeroceItem::kIcrc, packet.veroce.icrc_rules, possible_alternatives(VeroceItem::kIcrc, {}), flow, hosts);
}

void VeroceLayouts::learn(const Packet& packet, Flow& flow, Hosts& hosts) {
  const VeroceOpcode opcode = wire::veroce_opcode(packet.bth.opcode);
  if (!opcode.known() || opcode.shape == VeroceShape::kCnp) return;  // a CNP is of both protocols
  const Chosen chosen = choose(flow_key(packet), flow.evidence, hosts.evidence);
  const VeroceTrial trial = try_readings(packet, flow.context, chosen.layout, base_);
  const bool plain = trial.fits_ibta && !(trial.passes && trial.follows);
  learn_item(VeroceItem::kHeaders, (trial.passes ? kVeroceBit : 0) | (plain ? kIbtaBit : 0), kVeroceBit | kIbtaBit,
             flow, hosts);
  for (LayoutEvidence* evidence : {&flow.evidence, &hosts.evidence, &all_}) {
    ++evidence->judged;
    if (!trial.passes && !trial.fits_ibta && !trial.disagrees) ++evidence->failed;
  }
  if (trial.disagrees) flow.context.add_disagreement();
  if (!trial.passes || (plain && chosen.layout.headers() == wire::HeaderSet::kIbta)) return;
  for (std::uint8_t i = 0; i < trial.concerned.count; ++i) {
    const VeroceItem item = trial.concerned.items[i];
    learn_item(item, trial.fitting[i], possible_alternatives(item, {}), flow, hosts);
  }
}

/// Remembers a packet by the reading that was chosen for it.
void VeroceLayouts::remember(const Packet& packet, const wire::VeroceReading& reading, Flow& flow, Hosts& hosts) {
  const VeroceOpcode opcode = wire::veroce_opcode(packet.bth.opcode);
  if (!reading.passed() || !flow.context.agrees(packet, opcode, reading)) return;
  flow.context.add(packet, opcode, reading);
  if (const std::uint32_t start = start_of(packet, reading)) {
    learn_item(VeroceItem::kSackStart, start, possible_alternatives(VeroceItem::kSackStart, {}), flow, hosts);
  }
  if (!opcode.sequenced) return;
  const RetransmitEvidence::Packet kind = flow.context.add_psn(opcode.space, packet.bth.psn);
  for (LayoutEvidence* evidence : {&flow.evidence, &hosts.evidence, &all_}) {
    evidence->retransmit.add(kind, packet.bth.reserved7);
  }
}

void VeroceLayouts::conclude(Packet& packet, Flow& flow, Hosts& hosts, bool learns) {
  Chosen chosen = choose(flow_key(packet), flow.evidence, hosts.evidence);
  if (chosen.failed) {
    packet.veroce.layout = base_;
    const VeroceCheck check = wire::read_veroce(packet, base_).check;
    return wire::make_raw(check == VeroceCheck::kPassed ? VeroceCheck::kConnection : check, packet);
  }
  if (chosen.layout.headers() == wire::HeaderSet::kIbta) {
    packet.veroce.layout = chosen.layout;
    packet.veroce.confidence = chosen.of(VeroceItem::kHeaders).confidence;
    const bool sure = packet.veroce.confidence == LayoutConfidence::kConfirmed;
    if ((sure || wire::fits_ibta(packet)) && wire::read_as_rocev2(packet)) return;
    const bool known = wire::opcode_facts(packet.bth.opcode).known;
    wire::make_raw(known ? VeroceCheck::kLength : VeroceCheck::kUnknownOpcode, packet);
    return;
  }
  const VeroceOpcode opcode = wire::veroce_opcode(packet.bth.opcode);
  const wire::VeroceReading reading = wire::read_veroce(packet, chosen.layout, flow.context.path_mtu());
  const bool agrees = flow.context.agrees(packet, opcode, reading);
  if (learns) {
    remember(packet, reading, flow, hosts);
    chosen = choose(flow_key(packet), flow.evidence, hosts.evidence);  // the Retrans flag may have shown itself
  }
  LayoutConfidence confidence = chosen.of(VeroceItem::kHeaders).confidence;
  const ConcernedItems concerned = concerned_items(opcode);
  for (std::uint8_t i = 0; i < concerned.count; ++i) {
    confidence = weaker(confidence, chosen.confidence(concerned.items[i], packet));
  }
  packet.veroce.confidence = agrees ? confidence : weaker(confidence, LayoutConfidence::kAssumed);
  packet.veroce.retransmit_confidence = chosen.of(VeroceItem::kRetransmitBit).confidence;
  wire::apply(reading, chosen.layout, packet);
}

/// Once the rule is known, an ICRC that does not match it is wrong.
void VeroceLayouts::judge_icrc(Packet& packet, const Flow& flow, const Hosts& hosts) const {
  if (!packet.veroce.icrc_whole || base_.is_given(VeroceItem::kIcrc)) return;
  const LayoutChoice choice = choose(flow_key(packet), flow.evidence, hosts.evidence).of(VeroceItem::kIcrc);
  if (choice.confidence != LayoutConfidence::kConfirmed) return;
  const bool matches = (packet.veroce.icrc_rules >> choice.alternative & 1) != 0;
  packet.icrc = matches ? wire::IcrcStatus::kGood : wire::IcrcStatus::kBad;
}

/// A packet that passes twice at once, its headers alike, is no resend that lacks its flag, whatever shows it twice.
/// Other VLANs are read by themselves.
bool VeroceLayouts::is_copy(const Packet& packet, Nanos time) {
  const std::uint64_t network = HostPairHash::of({}, {}, packet.network, packet.protocol);
  return copies_.use().is_copy(detail::mix(identity_of(packet), network), time, CopyLog::Told::kCertain);
}

void VeroceLayouts::settle(Packet& packet, std::optional<Nanos> time) {
  if (packet.protocol != wire::Protocol::kVeroce) return;
  if (time && is_copy(packet, *time)) return settle_copy(packet);
  ++clock_;
  Flow& flow = flow_of(packet);
  Hosts& hosts = hosts_of(packet);
  learn_icrc(packet, flow, hosts);
  judge_icrc(packet, flow, hosts);
  const bool learns = packet.icrc != wire::IcrcStatus::kBad;
  if (learns) learn(packet, flow, hosts);
  conclude(packet, flow, hosts, learns);
  if (packet.protocol == wire::Protocol::kVeroce && packet.has(wire::kRtteth)) settle_rtt(packet, hosts, time);
}

void VeroceLayouts::settle_copy(Packet& packet) {
  if (packet.protocol != wire::Protocol::kVeroce) return;
  ++clock_;
  Flow& flow = flow_of(packet);
  Hosts& hosts = hosts_of(packet);
  judge_icrc(packet, flow, hosts);
  conclude(packet, flow, hosts, false);
}

/// RX2 is on no wire where only the requester knows it; between request and response the tap has a clock of its own.
void VeroceLayouts::settle_rtt(Packet& packet, Hosts& hosts, std::optional<Nanos> time) {
  const wire::RttEth& rtt = packet.veroce.rtt;
  if (packet.bth.opcode == wire::kVeroceRttRequest) {
    hosts.requests[hosts.next_request] = {packet.src, rtt.context, rtt.tx1, packet.udp_src, time};
    hosts.next_request = static_cast<std::uint8_t>((hosts.next_request + 1) % Hosts::kRttRequests);
    return;
  }
  for (RttRequest& request : hosts.requests) {
    if (!request.time || !time || request.from != packet.dst || request.context != rtt.context ||
        request.tx1 != rtt.tx1 || request.udp_src != packet.udp_src) {
      continue;
    }
    const Nanos beyond = *time - *request.time - rtt.host_delay();
    if (beyond.count >= 0) packet.veroce.rtt_beyond_tap = beyond;
    request.time.reset();  // answered
    return;
  }
}

VeroceReport VeroceLayouts::report() const {
  VeroceReport out;
  for (std::size_t i = 0; i < wire::kVeroceItems; ++i) {
    const auto item = static_cast<VeroceItem>(i);
    out.items.push_back({item, all_.choose(item, base_)});
  }
  std::map<std::pair<std::string, LayoutConfidence>, std::uint64_t> uses;
  const LayoutEvidence nothing;
  for (const auto& [key, flow] : flows_) {
    const LayoutEvidence* hosts = evidence_in(hosts_, unordered(key.hosts));
    const Chosen chosen = choose(key, flow->evidence, hosts != nullptr ? *hosts : nothing);
    const bool plain = chosen.layout.headers() == wire::HeaderSet::kIbta;
    const std::string text = plain ? std::string(wire::kPlainLayout) : differences(chosen.layout);
    const LayoutConfidence confidence =
        chosen.failed ? LayoutConfidence::kFailed : chosen.of(VeroceItem::kHeaders).confidence;
    ++uses[{text, confidence}];
  }
  for (const auto& [use, flows] : uses) out.uses.push_back({use.first, use.second, flows});
  std::ranges::sort(out.uses, [](const auto& a, const auto& b) {
    return std::tie(b.flows, a.layout, a.confidence) < std::tie(a.flows, b.layout, b.confidence);
  });
  if (out.uses.size() > VeroceReport::kUses) out.uses.resize(VeroceReport::kUses);
  out.flows = flows_.size();
  out.evicted_flows = evicted_flows_;
  return out;
}

}  // namespace rocetop::track
