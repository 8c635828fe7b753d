// SPDX-License-Identifier: BSD-3-Clause
#include "present/congestion_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/host_pairs.h"
#include "model/words.h"
#include "present/json_fields.h"
#include "verdict/loop.h"

namespace rocetop::present {
namespace {

using track::CongestionCounts;
using track::DirectionCounts;

constexpr std::size_t kPortsMost = 64;

void table(JsonWriter& json, std::string_view name, const track::ValueTable& values) {
  json.key(name);
  json.begin_object();
  for (const auto& [value, frames] : values) json.member(std::to_string(value), frames);
  json.end_object();
}

void swings(JsonWriter& json, const CongestionCounts& c) {
  json.key("swings");
  if (c.swings == 0) return json.null();
  json.begin_object();
  json.member("count", c.swings);
  json.member("period_ns", static_cast<std::int64_t>(c.swing_ns));
  json.member("period_spread_ratio", c.swing_spread);
  json.member("amplitude_ratio", c.swing_depth);
  json.end_object();
}

void loop(JsonWriter& json, const DirectionCounts& d) {
  json.key("congestion");
  if (d.requests.packets + d.responses.packets == 0) return json.null();
  const CongestionCounts none;
  const CongestionCounts& c = d.congestion ? *d.congestion : none;
  json.begin_object();
  json.member("loop", model::word(d.loop));
  if (d.loop == track::Loop::kClosed) json.member("loop_confidence", verdict::slowed_by_chance(c) ? "low" : "high");
  if (const std::string facts = verdict::loop_facts(d); !facts.empty()) json.member("loop_facts", facts);
  write_fields(json, model::congestion_fields(), c);
  write_distribution(json, "ce_to_cnp_ns", c.ce_to_cnp_ns);
  write_distribution(json, "cnp_gap_ns", c.cnp_gap_ns);
  write_distribution(json, "recovery_ns", c.recovery_ns);
  swings(json, c);
  json.end_object();
}

void dscp_changes(JsonWriter& json, const DirectionCounts& d) {
  json.member("dscp_changes", d.dscp_changes_in_all);
  json.key("cnp_dscp");
  const std::uint8_t cnp = d.dscp_of[static_cast<std::size_t>(wire::Role::kCnp)];
  if (cnp == track::kNoDscp) {
    json.null();
  } else {
    json.value(cnp);
  }
}

std::string mac_text(const std::array<std::uint8_t, 6>& m) {
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", m[0], m[1], m[2], m[3], m[4], m[5]);
}

/// Paused time of a class, over all ports that pause it; nothing where one of them is on a link of unknown speed.
std::optional<std::int64_t> paused_ns(const model::Snapshot& snapshot, std::size_t c) {
  std::optional<std::int64_t> sum;
  for (const auto& port : snapshot.pauses) {
    const track::PauseCounts& counts = port.classes[c];
    if (counts.xoff_frames + counts.xon_frames == 0) continue;
    if (!counts.paused) return std::nullopt;
    sum = sum.value_or(0) + counts.paused->count;
  }
  return sum;
}

std::optional<std::string> interface_name(const model::Snapshot& snapshot, std::uint32_t interface) {
  if (interface >= snapshot.interface_names.size() || snapshot.interface_names[interface].empty()) return std::nullopt;
  return snapshot.interface_names[interface];
}

void pausing_ports(JsonWriter& json, const model::Snapshot& snapshot) {
  json.key("pausing_ports");
  json.begin_array();
  for (const auto& port : snapshot.pauses) {
    for (std::size_t c = 0; c < port.classes.size(); ++c) {
      const track::PauseCounts& counts = port.classes[c];
      if (counts.xoff_frames + counts.xon_frames == 0) continue;
      json.begin_object();
      json.member("mac", mac_text(port.mac));
      json.member("interface", port.interface);
      json.member("interface_name", interface_name(snapshot, port.interface));
      json.key("class");
      c == track::kAllClasses ? json.null() : json.value(c);  // 802.3x: all of them
      json.member("xoff_frames", counts.xoff_frames);
      json.member("xon_frames", counts.xon_frames);
      json.member("paused_ns", counts.paused ? std::optional{counts.paused->count} : std::nullopt);
      json.member("paused_ns_min", counts.paused.value_or(counts.paused_least).count);
      json.member("paused_ns_max", counts.paused.value_or(counts.paused_most).count);
      json.member("longest_without_xon_ns", counts.longest_stretch.count);
      json.end_object();
    }
  }
  json.end_array();
}

void mix_row(JsonWriter& json, const std::string& name, const model::TrafficMix::Row& row) {
  if (std::all_of(row.begin(), row.end(), [](const auto& cell) { return cell.frames == 0; })) return;
  json.key(name);
  json.begin_object();
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (row[c].frames == 0) continue;
    json.key(model::word(static_cast<model::Carrier>(c)));
    json.begin_object();
    json.member("frames", row[c].frames);
    json.member("bytes", row[c].bytes);
    json.end_object();
  }
  json.end_object();
}

void mix(JsonWriter& json, const model::Snapshot& snapshot) {
  const model::TrafficMix& mix = snapshot.mix;
  json.key("mix");
  json.begin_object();
  // Of a capture that was filtered to RoCE the mix says nothing about the classes.
  json.member("holds_other_traffic", mix.holds_other());
  json.key("dscp");
  json.begin_object();
  for (std::size_t i = 0; i < mix.by_dscp.size(); ++i) mix_row(json, std::to_string(i), mix.by_dscp[i]);
  json.end_object();
  json.key("priority");
  json.begin_object();
  for (std::size_t i = 0; i < mix.by_priority.size(); ++i) {
    mix_row(json, i == model::TrafficMix::kUntagged ? "untagged" : std::to_string(i), mix.by_priority[i]);
  }
  json.end_object();
  json.end_object();
}

void pacing(JsonWriter& json, const track::CnpPacing& p) {
  const auto known = [](Nanos gap) { return gap.count > 0 ? std::optional{gap.count} : std::nullopt; };
  json.begin_object();
  json.member("src", p.src.to_string());
  json.member("cnps", p.cnps);
  json.member("pacing", model::pacing_text(p));
  json.key("min_gap_ns");
  json.begin_object();
  json.member("qp", known(p.qp_gap));
  json.member("ip_pair", known(p.pair_gap));
  json.member("destination", known(p.destination_gap));
  json.member("port", known(p.port_gap));
  json.end_object();
  json.end_object();
}

void pair(JsonWriter& json, const model::HostPair& p) {
  json.begin_object();
  json.member("src", p.src.to_string());
  json.member("dst", p.dst.to_string());
  write_fields(json, model::host_pair_fields(), p);
  json.key("ports");
  json.begin_array();
  for (std::size_t i = 0; i < std::min(p.ports.size(), kPortsMost); ++i) {
    const model::PortUse& port = p.ports[i];
    json.begin_object();
    json.member("udp_src", port.udp_src);
    json.member("connections", port.connections);
    json.member("data_packets", port.data_packets);
    json.member("reordered_packets", port.reordered_packets);
    json.end_object();
  }
  json.end_array();
  table(json, "ttl", p.hop_limits);
  json.end_object();
}

void fast_cnps(JsonWriter& json, const track::FastCnpCounts& c, bool several_files) {
  json.begin_object();
  json.member("switch", c.from.to_string());
  json.member("sender", c.sender.to_string());
  json.member("receiver", c.receiver ? std::optional{c.receiver->to_string()} : std::nullopt);
  json.member("dst_qpn", c.dst_qpn.value);
  json.member("cnps", c.cnps);
  json.member("first_frame", c.first_frame.number());
  if (several_files) json.member("first_file", c.first_frame.file());
  json.member("first_ns", c.first_time.count);
  json.member("last_ns", c.last_time.count);
  json.end_object();
}

/// The first `most`; how many more there are is said.
template <typename List, typename Write>
void list(JsonWriter& json, const std::string& name, const List& entries, std::size_t most, Write&& write,
          std::uint64_t unknown = 0) {
  json.key(name);
  json.begin_array();
  const std::size_t shown = std::min(entries.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    json.new_line();
    write(json, entries[i]);
  }
  json.end_array();
  if (entries.size() > shown || unknown != 0) json.member(name + "_omitted", entries.size() - shown + unknown);
}

}  // namespace

void write_congestion(JsonWriter& json, const DirectionCounts& d) {
  loop(json, d);
  table(json, "priorities", d.priorities);
  table(json, "ttl", d.hop_limits);
  dscp_changes(json, d);
}

void write_pauses_and_mix(JsonWriter& json, const model::Snapshot& snapshot) {
  json.key("pfc");
  json.begin_array();
  for (std::size_t i = 0; i < snapshot.capture.pfc.size(); ++i) {
    const model::PauseCounts& counts = snapshot.capture.pfc[i];
    if (counts.xoff_frames == 0 && counts.xon_frames == 0) continue;
    json.begin_object();
    json.member("class", i);
    json.member("xoff_frames", counts.xoff_frames);
    json.member("xon_frames", counts.xon_frames);
    json.member("paused_ns", paused_ns(snapshot, i));
    json.end_object();
  }
  json.end_array();
  json.key("pause_802_3x");
  json.begin_object();
  json.member("xoff_frames", snapshot.capture.pause_802_3x.xoff_frames);
  json.member("xon_frames", snapshot.capture.pause_802_3x.xon_frames);
  json.end_object();
  pausing_ports(json, snapshot);
  mix(json, snapshot);
}

void write_shared(JsonWriter& json, const model::Snapshot& snapshot, std::size_t most) {
  list(json, "cnp_pacing", snapshot.cnp_pacing, most, pacing);
  list(
      json, "fast_cnps", snapshot.fast_cnps, most,
      [&](JsonWriter& out, const track::FastCnpCounts& c) { fast_cnps(out, c, snapshot.files.size() > 1); },
      snapshot.fast_cnps_omitted);
  list(json, "receivers", snapshot.receivers, most, [](JsonWriter& out, const track::ReceiverCounts& r) {
    out.begin_object();
    out.member("host", r.host.to_string());
    out.member("congested_senders_at_once", r.most_at_once);
    out.end_object();
  });
  std::vector<model::HostPair> pairs = model::host_pairs(snapshot.connections);
  std::erase_if(pairs, [](const model::HostPair& p) { return p.data_packets == 0; });
  list(json, "host_pairs", pairs, most, pair);
}

}  // namespace rocetop::present
