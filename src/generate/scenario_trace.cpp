// SPDX-License-Identifier: BSD-3-Clause
#include "generate/scenario_trace.h"

#include <algorithm>

namespace rocetop::generate {
namespace {

constexpr std::uint64_t kAddressBase = 0x7F00'0000'0000;  // virtual address of PSN 0
constexpr std::uint32_t kRKey = 0x1234;
constexpr std::uint8_t kCnpDscp = 48;

std::vector<std::uint8_t> payload(Sequence s, std::uint32_t bytes) {
  return std::vector<std::uint8_t>(bytes, static_cast<std::uint8_t>(s));
}

}  // namespace

void Space::add(Sequence first, const Message& message, bool continues, bool afresh) {
  auto before = messages.upper_bound(first);
  if (before != messages.begin()) {
    --before;
    if (continues && !before->second.complete && before->second.last + 1 == first) {
      before->second = message;
      return;
    }
    if (!afresh && before->second.last >= first) return;
  }
  messages[first] = message;
}

Msn Space::completed(Sequence s, bool nak) const {
  const Sequence limit = nak ? s - 1 : s;
  const auto counts = [&](const auto& entry) {
    return entry.second.read ? entry.first <= limit : entry.second.complete && entry.second.last <= limit;
  };
  return Msn{static_cast<std::uint32_t>(std::count_if(messages.begin(), messages.end(), counts))};
}

// ---- packets

void ScenarioTrace::message(Side from, const Family& family, const PsnRange& psns, const MessageStyle& style) {
  Space& space = space_of(from);
  const Sequence first = space.sequence(psns.first);
  const auto known = [&](Sequence q) {
    const auto found = space.sent.find(q);
    return !style.afresh && found != space.sent.end() && family.contains(found->second.opcode & 0x1F);
  };
  for (std::uint32_t i = 0; i < psns.count;) {
    if (known(first + i)) {
      draw(from, space.sent.at(first + i));
      ++i;
      continue;
    }
    std::uint32_t fresh = 1;
    while (i + fresh < psns.count && !known(first + i + fresh)) ++fresh;
    draw_message(from, family, Run{first + i, fresh, style.last_bytes, style.open, style.more}, style);
    i += fresh;
  }
}

void ScenarioTrace::draw_message(Side from, const Family& family, const Run& run, const MessageStyle& style) {
  Space& space = space_of(from);
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const Sequence at = run.first + i;
    PacketSpec packet = packet_from(from, run.opcode(family, i, style.immediate), wire_psn(at));
    packet.ack_request = style.ack_all || (run.ends(i) && !style.ack_none);
    packet.payload = payload(at, i + 1 == run.count ? run.last_bytes : settings.pmtu);
    if (style.immediate && run.ends(i)) packet.immediate = 0x11223344;
    if (&family == &kWrites && run.starts(i)) {
      packet.reth = RethSpec{address_of(at), kRKey, (run.count - 1) * settings.pmtu + run.last_bytes};
    }
    space.sent[at] = packet;
    space.advance(at);
    draw(from, std::move(packet));
  }
  space.add(run.first, {run.first + run.count - 1, false, !run.more}, run.open, style.afresh);
}

void ScenarioTrace::read(Side from, const PsnRange& psns, std::uint32_t last_bytes) {
  Space& space = space_of(from);
  const Sequence first = space.sequence(psns.first);
  const Sequence last = first + psns.count - 1;
  PacketSpec packet = packet_from(from, Opcode::kReadRequest, wire_psn(first));
  packet.ack_request = true;
  packet.reth = RethSpec{address_of(first), kRKey, (psns.count - 1) * settings.pmtu + last_bytes};
  space.sent[first] = packet;
  space.advance(last);
  space.add(first, {last, true, true}, false, false);
  draw(from, std::move(packet));
}

void ScenarioTrace::fetch_add(Side from, Psn psn) {
  Space& space = space_of(from);
  const Sequence at = space.sequence(psn);
  PacketSpec packet = packet_from(from, Opcode::kFetchAdd, wire_psn(at));
  packet.ack_request = true;
  packet.atomic = AtomicEthSpec{address_of(at), kRKey, 1, 0};
  space.sent[at] = packet;
  space.advance(at);
  space.add(at, {at, false, true}, false, false);
  draw(from, std::move(packet));
}

void ScenarioTrace::read_response(Side from, const Run& run, std::optional<Msn> msn) {
  const Space& space = space_of(other(from));
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const Sequence at = run.first + i;
    PacketSpec packet = packet_from(from, run.opcode(kReadResponse, i), wire_psn(at));
    packet.payload = payload(at, i + 1 == run.count ? run.last_bytes : settings.pmtu);
    if (!packet.is(Opcode::kReadResponseMiddle)) {
      packet.aeth = AethSpec{kUnlimitedCredits, msn.value_or(space.completed(at, false))};
    }
    draw(from, std::move(packet));
  }
}

void ScenarioTrace::reply(Side from, Opcode opcode, Psn psn, std::uint8_t syndrome, std::optional<Msn> msn) {
  const Space& space = space_of(other(from));
  PacketSpec packet = packet_from(from, opcode, psn);
  const bool refuses = syndrome >= 0x20;
  packet.aeth = AethSpec{syndrome, msn.value_or(space.completed(space.sequence(psn), refuses))};
  if (opcode == Opcode::kAtomicAcknowledge) packet.atomic_original = 7;
  draw(from, std::move(packet));
}

void ScenarioTrace::datagrams(Side from, const PsnRange& psns, std::uint32_t bytes) {
  for (std::uint32_t i = 0; i < psns.count; ++i) {
    PacketSpec packet = packet_from(from);
    packet.set(Opcode::kUdSendOnly);
    packet.psn = Psn{psns.first.value + i};
    packet.deth = DethSpec{0x1111'1111, settings.qpn[index(from)]};
    packet.payload = payload(packet.psn.value, bytes);
    draw(from, std::move(packet));
  }
}

void ScenarioTrace::cnp(Side from) {
  PacketSpec packet = make_cnp(packet_from(from));
  packet.dscp = kCnpDscp;
  draw(from, std::move(packet));
}

void ScenarioTrace::fast_cnp(Side instead_of, const IpAddress& address) {
  PacketSpec data = packet_from(other(instead_of));  // the one that the switch complains about
  data.dscp = kCnpDscp;
  data.ecn = 0;
  draw(instead_of, make_fast_cnp(data, address));
}

void ScenarioTrace::pause(Side from, const PauseSpec& pause) {
  Drawn drawn{packet_from(from), pause, now_, from, false, {}};
  drawn.pause->mac_src = drawn.packet.mac_src;
  drawn_.push_back(std::move(drawn));
  now_ = now_ + settings.step;
}

void ScenarioTrace::cm(Side from, CmType type, std::optional<Psn> starting_psn,
                       std::optional<std::uint16_t> reject_reason) {
  CmSpec message;
  message.type = type;
  message.transaction_id = settings.qpn[0].value;
  message.local_comm_id = 0xC0000000 | settings.qpn[index(from)].value;
  message.remote_comm_id = 0xC0000000 | settings.qpn[index(other(from))].value;
  message.qpn = settings.qpn[index(type == CmType::kDreq ? other(from) : from)];
  message.path_mtu = settings.pmtu;
  message.transport_type = settings.transport;
  message.starting_psn = starting_psn.value_or(message.starting_psn);
  message.reject_reason = reject_reason.value_or(message.reject_reason);
  draw(from, make_cm(packet_from(from), message));
}

// ---- what they share

void ScenarioTrace::copy(const Drawn& drawn) {
  drawn_.push_back(drawn);
  drawn_.back().time = drawn.time + Nanos{settings.step.count / 2};
  drawn_.back().edit = "copied";
}

void ScenarioTrace::forget_connection() {
  spaces_.erase({settings.ip[0], settings.ip[1], settings.qpn[0], settings.qpn[1]});
}

std::vector<const Drawn*> ScenarioTrace::by_time() const {
  std::vector<const Drawn*> all;
  all.reserve(drawn_.size());
  for (const Drawn& d : drawn_) all.push_back(&d);
  std::stable_sort(all.begin(), all.end(), [](const Drawn* a, const Drawn* b) { return a->time < b->time; });
  return all;
}

std::vector<TimedFrame> ScenarioTrace::frames() const {
  std::vector<TimedFrame> frames;
  for (const Drawn* d : by_time()) {
    if (!d->dropped) frames.push_back({d->time, d->pause ? encode(*d->pause) : encode(d->packet)});
  }
  return frames;
}

std::vector<DrawnEdit> ScenarioTrace::edits() const {
  std::vector<DrawnEdit> edits;
  std::uint64_t frame = 0;
  for (const Drawn* d : by_time()) {
    if (!d->dropped) ++frame;
    if (!d->edit.empty()) edits.push_back({d->edit, d->time, d->packet, d->dropped ? 0 : frame});
  }
  return edits;
}

std::uint64_t ScenarioTrace::address_of(Sequence s) const {
  return kAddressBase + static_cast<std::uint64_t>(s) * settings.pmtu;
}

PacketSpec ScenarioTrace::packet_from(Side from) const {
  const std::size_t me = index(from);
  const std::size_t peer = index(other(from));
  PacketSpec packet;
  if (from == Side::kB) std::swap(packet.mac_src, packet.mac_dst);
  packet.vlan = settings.vlan;
  packet.src = settings.ip[me];
  packet.dst = settings.ip[peer];
  packet.dscp = settings.dscp;
  packet.ecn = settings.ecn;
  packet.udp_src = settings.port[me].value_or(static_cast<std::uint16_t>(0xC000 | (settings.qpn[me].value & 0x3FFF)));
  packet.dest_qp = settings.qpn[peer];
  return packet;
}

PacketSpec ScenarioTrace::packet_from(Side from, Opcode opcode, Psn psn) const {
  PacketSpec packet = packet_from(from);
  packet.opcode = static_cast<std::uint8_t>(static_cast<unsigned>(opcode) | settings.transport << 5U);
  packet.psn = psn;
  return packet;
}

Space& ScenarioTrace::space_of(Side requester) {
  return spaces_[{settings.ip[0], settings.ip[1], settings.qpn[0], settings.qpn[1]}][index(requester)];
}

void ScenarioTrace::draw(Side from, PacketSpec packet) {
  packet.ip_id = next_ip_id_[index(from)]++;
  drawn_.push_back({std::move(packet), std::nullopt, now_, from, false, {}});
  now_ = now_ + settings.step;
}

Drawn* ScenarioTrace::latest(Psn psn, std::optional<Side> side) {
  const auto matches = [&](const Drawn& d) {
    return !d.pause && d.packet.psn == psn && !d.dropped && d.sender == side.value_or(d.sender);
  };
  const auto found = std::find_if(drawn_.rbegin(), drawn_.rend(), matches);
  return found == drawn_.rend() ? nullptr : &*found;
}

}  // namespace rocetop::generate
