// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/truth.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace rocetop::generate::sim {
namespace {

constexpr std::uint8_t kCe = 3;
constexpr std::string_view kDeedWords[] = {"lost",    "queue_full", "hung",    "marked",         "marked_by_fault",
                                           "delayed", "copied",     "damaged", "capture_missed", "trimmed"};
constexpr std::string_view kKindWords[] = {"request", "response", "ack",  "nak", "rnr_nak",  "cnp",
                                           "pause",   "cm",       "sack", "rtt", "slow_path"};
constexpr std::string_view kCauseWords[] = {"nak", "rnr", "timeout", "read_restart"};
constexpr std::string_view kResendWords[] = {"sack", "second_round", "drop_nak", "timeout"};

void add(std::string& out, std::string_view key, std::uint64_t value) {
  out += out.empty() || out.back() == '{' ? "\"" : ", \"";
  out += key;
  out += "\": " + std::to_string(value);
}

void add_text(std::string& out, std::string_view key, std::string_view value) {
  out += out.empty() || out.back() == '{' ? "\"" : ", \"";
  out += key;
  out += "\": \"";
  out += value;
  out += '"';
}

std::string json_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out;
}

std::string space_text(const SpaceBook::Counts& counts) {
  std::string out = "{";
  add(out, "packets", counts.packets);
  add(out, "missing", counts.missing);
  add(out, "original_seen", counts.original_seen);
  add(out, "original_unseen", counts.original_unseen);
  add(out, "reordered", counts.reordered);
  add(out, "copies", counts.copies);
  return out + "}";
}

/// PSNs that one connection may have between the oldest to come again and the newest.
std::size_t span_of(const Plan& plan, std::size_t connection) {
  std::size_t most = plan.connections[connection].window;
  for (const FlowPlan& flow : plan.flows) {
    if (flow.connection != connection) continue;
    most = std::max<std::size_t>(most, psns_of(flow.operation, flow.bytes, plan.connections[connection].path_mtu));
  }
  return 4 * most;
}

}  // namespace

SpaceBook::SpaceBook(std::size_t span) : seen_(std::bit_ceil(span + 1)), mask_(seen_.size() - 1) {}

void SpaceBook::skip_to(Sequence s) {
  for (; next_ < s; ++next_) {
    seen_[static_cast<std::size_t>(next_) & mask_] = false;
    ++counts_.missing;
  }
}

void SpaceBook::seen(const Packet& packet) {
  ++counts_.packets;
  const Sequence first = packet.sequence;
  const Sequence end = first + packet.psns;
  if (next_ < 0) next_ = first;
  if (first < next_) {
    if (packet.copy) {
      ++counts_.copies;
    } else if (!packet.resent) {
      ++counts_.reordered;
    } else {
      ++(test(first) ? counts_.original_seen : counts_.original_unseen);
    }
  }
  if (packet.damaged && first < next_) return;  // it fills no gap
  skip_to(first);
  for (Sequence s = first; s < end; ++s) seen_[static_cast<std::size_t>(s) & mask_] = true;
  next_ = std::max(next_, end);
}

Truth::Truth(const Plan& plan, Nanos start, TextSink sink) : plan_(plan), start_(start), sink_(std::move(sink)) {
  if (!sink_) return;
  for (std::size_t pair = 0; pair < 2 * plan.connections.size(); ++pair) {
    directions_.emplace_back(span_of(plan, pair / 2));
  }
  has_veroce_ = std::any_of(plan.connections.begin(), plan.connections.end(),
                            [](const ConnectionPlan& connection) { return connection.is_veroce(); });
}

void Truth::begin(std::string_view scenario, std::uint64_t seed) {
  if (!sink_) return;
  std::string out = "{";
  add_text(out, "schema", "rocetop.truth/1");
  add_text(out, "scenario", json_text(scenario));
  add(out, "seed", seed);
  add_text(out, "tap", json_text(plan_.tap_name));
  sink_(out + ",\n\"events\": [");
}

void Truth::seen(const Packet& packet) {
  if (!sink_) return;
  if (packet.kind == PacketKind::kPause) {
    ++pauses_;
    return;
  }
  if (packet.kind == PacketKind::kCm) {
    ++management_;
    return;
  }
  Direction& direction = directions_[packet.sender];
  ++direction.frames;
  if (packet.ecn == kCe) ++direction.ce;
  if (packet.damaged) ++direction.damaged;
  if (packet.veroce.there) count_veroce(packet, direction);
  switch (packet.kind) {
    case PacketKind::kRequest:
      return direction.requests.seen(packet);
    case PacketKind::kResponse:
      return direction.responses.seen(packet);
    case PacketKind::kAck:
      ++direction.acks;
      return;
    case PacketKind::kNak:
      ++direction.naks;
      return;
    case PacketKind::kRnrNak:
      ++direction.rnr_naks;
      return;
    case PacketKind::kCnp:
      ++direction.cnps;
      return;
    case PacketKind::kSack:
      ++direction.sacks;
      return;
    case PacketKind::kRtt:
      ++direction.rtt_packets;
      return;
    case PacketKind::kSlowPath:
      ++direction.slow_path_signals;
      return;
    case PacketKind::kPause:
    case PacketKind::kCm:
      return;
  }
}

void Truth::count_veroce(const Packet& packet, Direction& direction) {
  Path& path = direction.paths[packet.udp_src];
  ++path.frames;
  if (packet.ecn == kCe) ++path.ce;
  if (packet.veroce.becn) ++direction.becn;
  if (!packet.is_data()) return;
  ++path.data;
  if (packet.resent) ++path.resent;
  if (packet.veroce.trimmed) ++path.trimmed;
}

void Truth::gone(const Packet& packet, const Network& network) {
  if (!sink_) return;
  omitted_ += packet.deeds_omitted;
  for (std::size_t i = 0; i < packet.deeds; ++i) {
    const DeedKind kind = packet.done_to[i].kind;
    ++deeds_[static_cast<std::size_t>(kind)];
    if (packet.veroce.there && (kind == DeedKind::kLost || kind == DeedKind::kQueueFull)) {
      ++directions_[packet.sender].paths[packet.udp_src].lost;
    }
    write_event(packet, packet.done_to[i], network);
  }
}

void Truth::write_event(const Packet& packet, const Deed& deed, const Network& network) {
  line_ = std::exchange(any_event_, true) ? ",\n  {" : "\n  {";
  add(line_, "time_ns", static_cast<std::uint64_t>(start_.count + deed.time / 1'000));
  add_text(line_, "what", kDeedWords[static_cast<std::size_t>(deed.kind)]);
  if (deed.kind == DeedKind::kMissed) {
    add_text(line_, "where", "capture");
  } else {
    const Port& port = network.port(deed.port);
    add_text(line_, "where", plan_.nodes[port.node].name + "/" + plan_.nodes[port.peer].name);
  }
  add_text(line_, "packet", kKindWords[static_cast<std::size_t>(packet.kind)]);
  const ConnectionPlan& connection = plan_.connections[packet.sender / 2];
  const bool from_a = packet.sender % 2 == 0;
  add(line_, "connection", packet.sender / 2 + 1);
  add_text(line_, "src", plan_.nodes[from_a ? connection.a : connection.b].ip.to_string());
  add_text(line_, "dst", plan_.nodes[from_a ? connection.b : connection.a].ip.to_string());
  const Qpn receiver = packet.kind == PacketKind::kCm ? Qpn{1} : from_a ? connection.qpn_b : connection.qpn_a;
  add(line_, "dst_qpn", receiver.value);
  add(line_, "psn", wire_psn(packet.sequence).value);
  if (packet.veroce.there) add(line_, "udp_src", packet.udp_src);
  if (packet.opcode == Opcode::kAcknowledgeResponse || packet.opcode == Opcode::kSackResponse) {
    line_ += ", \"of_responses\": true";
  }
  if (packet.resent) line_ += ", \"resent\": true";
  if (packet.frame != 0) {
    add(line_, "frame", packet.frame);
  } else {
    line_ += ", \"frame\": null";
  }
  line_ += "}";
  sink_(line_);
}

void Truth::write_direction(std::size_t pair, const std::vector<TransportDeeds>& deeds) {
  const ConnectionPlan& connection = plan_.connections[pair / 2];
  const Direction& direction = directions_[pair];
  const bool from_a = pair % 2 == 0;
  std::string out = "{";
  add_text(out, "src", plan_.nodes[from_a ? connection.a : connection.b].ip.to_string());
  add_text(out, "dst", plan_.nodes[from_a ? connection.b : connection.a].ip.to_string());
  add(out, "dst_qpn", (from_a ? connection.qpn_b : connection.qpn_a).value);
  add(out, "frames", direction.frames);
  add(out, "acks", direction.acks);
  add(out, "naks", direction.naks);
  add(out, "rnr_naks", direction.rnr_naks);
  add(out, "cnps", direction.cnps);
  add(out, "ce", direction.ce);
  add(out, "bad_icrc", direction.damaged);
  out += ", \"requests\": " + space_text(direction.requests.counts());
  out += ", \"responses\": " + space_text(direction.responses.counts());
  std::string causes = "{";
  for (std::size_t i = 0; i < kGoBackCauses; ++i) add(causes, kCauseWords[i], deeds[pair].go_backs[i]);
  out += ", \"go_backs\": " + causes + "}";
  if (connection.is_veroce()) write_veroce(pair, deeds, out);
  sink_(out + "}");
}

void Truth::write_veroce(std::size_t pair, const std::vector<TransportDeeds>& deeds, std::string& out) const {
  const Direction& direction = directions_[pair];
  const TransportDeeds& receiver = deeds[pair ^ 1U];
  std::string own = "{";
  add(own, "sacks", direction.sacks);
  add(own, "becn", direction.becn);
  add(own, "slow_path_signals", direction.slow_path_signals);
  add(own, "rtt_packets", direction.rtt_packets);
  own += ", \"resends\": {";
  for (std::size_t i = 0; i < kResendCauses; ++i) add(own, kResendWords[i], deeds[pair].resends[i]);
  own += "}";
  add(own, "received_again", receiver.received_again);
  add(own, "beyond_bitmap", receiver.beyond_bitmap);
  own += ", \"paths\": [";
  for (const auto& [port, path] : direction.paths) {
    own += own.back() == '[' ? "{" : ", {";
    add(own, "udp_src", port);
    add(own, "frames", path.frames);
    add(own, "data", path.data);
    add(own, "resent", path.resent);
    add(own, "ce", path.ce);
    add(own, "trimmed", path.trimmed);
    add(own, "lost", path.lost);
    own += "}";
  }
  out += ", \"veroce\": " + own + "]}";
}

void Truth::end(std::uint64_t frames, const std::vector<TransportDeeds>& deeds) {
  if (!sink_) return;
  sink_("],\n\"connections\": [");
  for (std::size_t i = 0; i < plan_.connections.size(); ++i) {
    const ConnectionPlan& connection = plan_.connections[i];
    std::string out = i == 0 ? "\n  {" : ",\n  {";
    add(out, "id", i + 1);
    for (const bool a : {true, false}) {
      out += a ? ", \"a\": {" : ", \"b\": {";
      add_text(out, "ip", plan_.nodes[a ? connection.a : connection.b].ip.to_string());
      add(out, "qpn", (a ? connection.qpn_a : connection.qpn_b).value);
      out += "}";
    }
    sink_(out + ", \"directions\": [");
    write_direction(2 * i, deeds);
    sink_(", ");
    write_direction(2 * i + 1, deeds);
    sink_("]}");
  }
  std::string totals = "],\n\"totals\": {";
  add(totals, "frames", frames);
  add(totals, "pause_frames", pauses_);
  add(totals, "management_frames", management_);
  const std::size_t kinds = has_veroce_ ? kDeedKinds : kDeedKinds - 1;  // trimming is veRoCE's alone
  for (std::size_t i = 0; i < kinds; ++i) add(totals, kDeedWords[i], deeds_[i]);
  add(totals, "omitted", omitted_);
  sink_(totals + "}}\n");
}

}  // namespace rocetop::generate::sim
