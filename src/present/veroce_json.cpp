// SPDX-License-Identifier: BSD-3-Clause
#include "present/veroce_json.h"

#include <fmt/format.h>

#include <optional>

#include "model/fields.h"
#include "present/json_fields.h"
#include "wire/veroce.h"

namespace rocetop::present {
namespace {

using wire::Packet;
using wire::VeroceHeaders;

void write_ranges(JsonWriter& json, std::string_view name, const std::vector<wire::PsnRange>& ranges) {
  json.key(name);
  json.begin_array();
  for (const wire::PsnRange& range : ranges) {
    json.begin_array();
    json.value(range.first.value);
    json.value(range.last.value);
    json.end_array();
  }
  json.end_array();
}

void write_sack(JsonWriter& json, const wire::SackEth& sack) {
  json.key("sack");
  json.begin_object();
  json.member("start_psn", sack.start.value);
  json.member("valid_length", sack.valid_length);
  write_ranges(json, "received", wire::psn_ranges(sack.bitmap, sack.start, sack.valid_length, true));
  write_ranges(json, "missing", wire::psn_ranges(sack.bitmap, sack.start, sack.valid_length, false));
  json.end_object();
}

std::optional<std::int64_t> count(std::optional<Nanos> time) {
  return time ? std::optional{time->count} : std::nullopt;
}

void write_rtt(JsonWriter& json, const Packet& packet) {
  const wire::RttEth& rtt = packet.veroce.rtt;
  json.key("rtt");
  json.begin_object();
  json.member("context", rtt.context);
  json.member("tx1", rtt.tx1);
  json.member("rx1", rtt.rx1);
  json.member("tx2", rtt.tx2);
  json.member("rx2", rtt.rx2);
  if (packet.bth.opcode == wire::kVeroceRttResponse) {
    json.member("host_delay_ns", rtt.host_delay().count);
    json.member("network_delay_ns", count(rtt.network_delay()));
    json.member("beyond_tap_ns", count(packet.veroce.rtt_beyond_tap));
  }
  json.end_object();
}

/// The layout's items that are not the default's, as key: word.
void write_differences(JsonWriter& json, const wire::VeroceLayout& layout) {
  json.key("differs");
  json.begin_object();
  for (std::size_t i = 0; i < wire::kVeroceItems; ++i) {
    if (layout.choice[i] == 0) continue;
    const wire::VeroceItemFacts& item = wire::veroce_item(static_cast<wire::VeroceItem>(i));
    json.member(item.key, item.alternatives[layout.choice[i]].word);
  }
  json.end_object();
}

void write_icrc_rule(JsonWriter& json, const VeroceHeaders& v) {
  if (!v.icrc_whole) return;
  const auto& rules = wire::veroce_item(wire::VeroceItem::kIcrc).alternatives;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if ((v.icrc_rules >> i & 1) != 0) return json.member("icrc_rule", rules[i].word);
  }
  json.null_member("icrc_rule");
}

void write_recovery(JsonWriter& json, std::string_view name, const track::VeroceRecovery& recovery) {
  json.key(name);
  json.begin_object();
  write_fields(json, model::recovery_fields(), recovery);
  json.member("reorder_depth_frame", recovery.reorder_depth_frame
                                         ? std::optional<std::uint64_t>{recovery.reorder_depth_frame.number()}
                                         : std::nullopt);
  write_distribution(json, "sack_depth_packets", recovery.sack_depth);
  json.end_object();
}

}  // namespace

void write_veroce_packet(JsonWriter& json, const Packet& packet) {
  const VeroceHeaders& v = packet.veroce;
  json.key("veroce");
  json.begin_object();
  json.member("layout", wire::kVeroceLayoutName);
  write_differences(json, v.layout);
  json.member("confidence", wire::word(v.confidence));
  json.member("check", wire::word(v.check));
  write_icrc_rule(json, v);
  if (v.check != wire::VeroceCheck::kPassed) {
    json.member("raw_bytes", v.raw_bytes);
    json.member("raw", fmt::format("{:02x}", fmt::join(v.raw, "")));
    return json.end_object();
  }
  if (wire::veroce_opcode(packet.bth.opcode).sequenced) {
    json.member("retrans", v.retransmit);
    json.member("retrans_confidence", wire::word(v.retransmit_confidence));
  }
  if (packet.has(wire::kMsneth)) json.member("msn", v.msn);
  if (packet.has(wire::kPoeth)) json.member("po", v.packet_order);
  if (packet.has(wire::kRqeth)) json.member("rqmsn", v.rq_msn);
  if (packet.has(wire::kSacketh)) write_sack(json, v.sack);
  if (packet.has(wire::kRtteth)) write_rtt(json, packet);
  if (v.trimmed) json.member("trimmed", true);
  json.end_object();
}

void write_veroce_direction(JsonWriter& json, const track::DirectionCounts& direction) {
  if (!direction.veroce) return;
  const track::VeroceDirection& v = *direction.veroce;
  json.key("veroce");
  json.begin_object();
  write_fields(json, model::veroce_fields(), v);
  write_distribution(json, "host_delay_ns", v.host_delay_ns);
  write_recovery(json, "requests", v.requests);
  write_recovery(json, "responses", v.responses);
  json.key("paths");
  json.begin_array();
  for (const track::VerocePath& path : v.paths) {
    json.begin_object();
    json.member("udp_source_port", path.udp_src);
    write_fields(json, model::path_fields(), path);
    write_distribution(json, "late_ns", path.late_ns);
    write_distribution(json, "probe_ns", path.probe_ns);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_veroce_capture(JsonWriter& json, const model::Snapshot& snapshot) {
  const model::VeroceCounts& c = snapshot.capture.veroce;
  if (!c.any()) return;
  json.key("veroce");
  json.begin_object();
  json.key("frames");
  json.begin_object();
  for (std::size_t i = 0; i < c.frames.size(); ++i) {
    json.member(i == 0 ? "decoded" : wire::word(static_cast<wire::VeroceCheck>(i)), c.frames[i]);
  }
  json.member("plain_rocev2", c.plain_frames);
  json.end_object();
  json.member("trimmed_frames", c.trimmed_frames);
  json.member("layout", wire::kVeroceLayoutName);
  json.key("items");
  json.begin_object();
  for (const track::VeroceReport::Item& item : snapshot.veroce.items) {
    const wire::VeroceItemFacts& facts = wire::veroce_item(item.item);
    json.key(facts.key);
    json.begin_object();
    json.member("value", facts.alternatives[item.choice.alternative].word);
    json.member("confidence", wire::word(item.choice.confidence));
    json.end_object();
  }
  json.end_object();
  json.key("flows");
  json.begin_array();
  for (const track::VeroceReport::Use& use : snapshot.veroce.uses) {
    json.begin_object();
    json.member("differs", use.layout);
    json.member("confidence", wire::word(use.confidence));
    json.member("flows", use.flows);
    json.end_object();
  }
  json.end_array();
  json.member("flows_forgotten", snapshot.veroce.evicted_flows);
  json.end_object();
}

}  // namespace rocetop::present
