// SPDX-License-Identifier: BSD-3-Clause
#include "present/triage_json.h"

#include <algorithm>
#include <string>

#include "base/time_text.h"
#include "model/fields.h"
#include "model/totals.h"
#include "model/words.h"
#include "present/congestion_json.h"
#include "present/delay_json.h"
#include "present/json_fields.h"
#include "present/veroce_json.h"
#include "wire/opcode.h"
#include "wire/veroce_opcode.h"

namespace rocetop::present {
namespace {

using model::word;

class TriageJson {
 public:
  TriageJson(JsonWriter& json, const model::Snapshot& snapshot, const TriageJsonLimits& limits)
      : snapshot_(snapshot),
        several_files_(snapshot.files.size() > 1),
        entries_a_list_(limits.entries_a_list),
        entries_left_(limits.entries_in_all),
        shared_entries_(limits.shared_entries),
        findings_(limits.findings),
        states_(limits.finding_states),
        only_(limits.only),
        recent_(limits.recent),
        json_(json) {}

  void write();
  void inputs();
  void results();

 private:
  void capture();
  void holes();
  void problems();
  void thresholds();
  void connection(const track::ConnectionCounts& c);
  void network(std::string_view name, const wire::NetworkKey& key);
  void cm(const track::CmFacts& facts);
  void direction(const track::DirectionCounts& d);
  void space(std::string_view name, const track::SpaceCounts& s);
  void missing(const track::SpaceCounts& s);
  void episodes(const track::SpaceCounts& s);
  void episode(const track::Episode& e);
  void finding(const verdict::Finding& f, const model::FindingState* state);
  void what_was_seen(const verdict::Finding& f);
  void recently(const model::FindingState& state);

  /// "WHAT_frame": number or null, and with several files "WHAT_file".
  void frame(const std::string& what, FrameId id);
  void end_point(std::string_view name, const IpAddress& ip, std::optional<Qpn> qpn);
  void strings(std::string_view name, const std::vector<std::string>& list);
  /// How many of `wanted` entries may still be written; takes them off the budget.
  std::uint64_t allow(std::uint64_t wanted);
  template <typename T>
  void fields(std::span<const model::Field<T>> table, const T& object) {
    write_fields(json_, table, object);
  }

  const model::Snapshot& snapshot_;
  const bool several_files_;
  const std::uint64_t entries_a_list_;
  std::uint64_t entries_left_;
  const std::size_t shared_entries_;
  const std::uint64_t findings_;
  const std::vector<model::FindingState>* states_;
  const std::vector<std::size_t>* only_;
  const std::vector<model::ConnectionTotals>* recent_;
  JsonWriter& json_;
};

template <typename Value>
std::optional<std::uint32_t> number(const std::optional<Value>& v) {
  return v ? std::optional<std::uint32_t>{v->value} : std::nullopt;
}

void TriageJson::write() {
  json_.begin_object();
  json_.member("schema", "rocetop.triage/1");
  json_.member("rocetop_version", snapshot_.rocetop_version);
  inputs();
  thresholds();
  json_.new_line();
  results();
  json_.end_object();
  json_.finish();
}

void TriageJson::inputs() {
  strings("files", snapshot_.files);
  json_.member("partial", snapshot_.partial);
  json_.member("interrupted", snapshot_.interrupted);
  problems();
}

void TriageJson::results() {
  capture();
  json_.new_line();
  json_.key("connections");
  json_.begin_array();
  if (only_) {
    for (const std::size_t i : *only_) connection(snapshot_.connections[i]);
  } else {
    for (const auto& c : snapshot_.connections) connection(c);
  }
  json_.end_array();
  json_.new_line();
  write_shared(json_, snapshot_, shared_entries_);
  json_.new_line();
  json_.key("findings");
  json_.begin_array();
  for (std::size_t i = 0; i < snapshot_.findings.size() && i < findings_; ++i) {
    finding(snapshot_.findings[i], states_ ? &(*states_)[i] : nullptr);
  }
  json_.end_array();
}

void TriageJson::capture() {
  const model::CaptureCounts& c = snapshot_.capture;
  const auto text = [](std::optional<Nanos> t) { return t ? std::optional{rfc3339(*t)} : std::nullopt; };
  const auto count = [](std::optional<Nanos> t) { return t ? std::optional{t->count} : std::nullopt; };
  json_.key("capture");
  json_.begin_object();
  fields(model::capture_fields(), c);
  json_.member("first_ns", count(c.first_time));
  json_.member("last_ns", count(c.last_time));
  json_.member("first_time", text(c.first_time));
  json_.member("last_time", text(c.last_time));
  json_.member("completeness_known", c.completeness_known);
  json_.member("drops_are_unknowable", c.drops_are_unknowable);
  json_.member("largest_backward_step_ns", c.largest_backward_step.count);
  json_.key("undecodable");
  json_.begin_object();
  for (std::size_t i = 1; i < c.undecodable.size(); ++i) {
    if (c.undecodable[i] != 0) json_.member(wire::reason_name(static_cast<wire::Undecodable>(i)), c.undecodable[i]);
  }
  json_.end_object();
  holes();
  write_pauses_and_mix(json_, snapshot_);
  write_veroce_capture(json_, snapshot_);
  json_.end_object();
}

void TriageJson::holes() {
  json_.key("holes");
  json_.begin_array();
  for (const track::CaptureHole& hole : snapshot_.holes) {
    json_.begin_object();
    json_.member("from_ns", hole.from.count);
    json_.member("to_ns", hole.to.count);
    frame("before", hole.before);
    frame("after", hole.after);
    json_.member("directions", hole.jumped);
    json_.member("psns", hole.psns);
    json_.end_object();
  }
  json_.end_array();
}

void TriageJson::problems() {
  json_.key("problems");
  json_.begin_array();
  for (const model::InputProblem& problem : snapshot_.problems) {
    json_.begin_object();
    json_.member("message", problem.message);
    json_.member("fatal", problem.fatal);
    json_.member("limit", problem.limit);
    json_.end_object();
  }
  json_.end_array();
}

/// What the findings were judged by: shares and ratios as they are, times in nanoseconds.
void TriageJson::thresholds() {
  json_.key("thresholds");
  json_.begin_object();
  for (const verdict::ThresholdFacts& facts : verdict::kThresholds) {
    const verdict::Thresholds& t = snapshot_.thresholds;
    if (const auto* real = std::get_if<double verdict::Thresholds::*>(&facts.member)) {
      json_.member(facts.name, t.*(*real));
    } else if (const auto* whole = std::get_if<std::uint64_t verdict::Thresholds::*>(&facts.member)) {
      json_.member(facts.name, t.*(*whole));
    } else {
      json_.member(std::string(facts.name) + "_ns", (t.*std::get<Nanos verdict::Thresholds::*>(facts.member)).count);
    }
  }
  json_.end_object();
}

void TriageJson::connection(const track::ConnectionCounts& c) {
  json_.new_line();
  json_.begin_object();
  json_.member("id", c.id);
  json_.member("protocol", word(c.protocol));
  json_.member("transport", word(c.transport));
  end_point("a", c.a_ip, c.a_qpn);
  end_point("b", c.b_ip, c.b_qpn);
  network("network", c.network);
  json_.key("paired_by");
  if (c.paired_by == track::PairedBy::kNone) {
    json_.null();
  } else {
    json_.value(word(c.paired_by));
  }
  frame("first", c.first_frame);
  frame("last", c.last_frame);
  json_.member("first_ns", c.first_time.count);
  json_.member("last_ns", c.last_time.count);
  json_.member("path_mtu", c.path_mtu);
  if (c.cm) cm(*c.cm);
  json_.key("totals");
  json_.begin_object();
  fields(model::connection_fields(), model::totals(c));
  json_.end_object();
  if (recent_) {
    json_.key("recent");
    json_.begin_object();
    fields(model::connection_fields(), (*recent_)[static_cast<std::size_t>(&c - snapshot_.connections.data())]);
    json_.end_object();
  }
  json_.key("directions");
  json_.begin_array();
  if (c.a_to_b) direction(*c.a_to_b);
  if (c.b_to_a) direction(*c.b_to_a);
  json_.end_array();
  json_.end_object();
}

void TriageJson::network(std::string_view name, const wire::NetworkKey& key) {
  json_.key(name);
  if (key == wire::NetworkKey{}) return json_.null();
  json_.begin_object();
  if (key.vlan_outer != 0xFFFF) json_.member("vlan", key.vlan_outer);
  if (key.vlan_inner != 0xFFFF) json_.member("inner_vlan", key.vlan_inner);
  if (key.vni != 0xFFFFFFFF) json_.member("vni", key.vni);
  json_.end_object();
}

void TriageJson::cm(const track::CmFacts& facts) {
  json_.key("cm");
  json_.begin_object();
  json_.member("service_id", facts.service_id);
  json_.member("rdma_cm_port", facts.rdma_cm_port);
  json_.member("local_ack_timeout", facts.local_ack_timeout);
  json_.member("retry_count", facts.retry_count);
  json_.member("rnr_retry_count", facts.rnr_retry_count);
  frame("request", facts.request_frame);
  json_.end_object();
}

void TriageJson::direction(const track::DirectionCounts& d) {
  json_.begin_object();
  json_.member("src", d.src.to_string());
  json_.member("dst", d.dst.to_string());
  json_.member("dst_qpn", number(d.dst_qpn));
  if (d.src_qpn) json_.member("src_qpn", d.src_qpn->value);
  if (d.network) network("network", *d.network);
  if (d.cnps_elsewhere_in) {
    json_.member("cnps_elsewhere", d.cnps_elsewhere);
    network("cnps_elsewhere_in", *d.cnps_elsewhere_in);
  }
  fields(model::direction_fields(), d);
  frame("first", d.first_frame);
  frame("last", d.last_frame);
  write_delays(json_, d, snapshot_.thresholds);
  json_.key("udp_src");
  d.udp_src == 0 ? json_.null() : json_.value(d.udp_src);
  json_.member("udp_src_varies", d.udp_src_varies);
  json_.key("opcodes");
  json_.begin_object();
  for (const auto& [opcode, packets] : d.opcodes) {
    const wire::VeroceOpcode own = d.veroce ? wire::veroce_opcode(opcode) : wire::VeroceOpcode{};
    json_.member(own.known() ? own.name : wire::opcode_facts(opcode).name, packets);
  }
  json_.end_object();
  space("requests", d.requests);
  space("responses", d.responses);
  json_.key("naks");
  json_.begin_object();
  for (std::size_t i = 0; i < d.naks.size(); ++i) {
    if (d.naks[i] != 0) json_.member(wire::nak_key(static_cast<wire::NakCode>(i)), d.naks[i]);
  }
  json_.end_object();
  json_.key("dscp");
  json_.begin_object();
  for (const auto& [dscp, frames] : d.dscp) json_.member(std::to_string(dscp), frames);
  json_.end_object();
  write_congestion(json_, d);
  write_veroce_direction(json_, d);
  json_.member("last_acked_psn", number(d.last_acked_psn));
  frame("last_ack", d.last_ack_frame);
  json_.end_object();
}

void TriageJson::space(std::string_view name, const track::SpaceCounts& s) {
  json_.key(name);
  json_.begin_object();
  fields(model::space_fields(), s);
  json_.member("first_psn", number(s.first_psn));
  json_.member("highest_psn", number(s.highest_psn));
  missing(s);
  episodes(s);
  if (!s.inexact.empty()) json_.member("inexact", s.inexact);
  json_.end_object();
}

std::uint64_t TriageJson::allow(std::uint64_t wanted) {
  const std::uint64_t allowed = std::min({wanted, entries_a_list_, entries_left_});
  entries_left_ -= allowed;
  return allowed;
}

void TriageJson::missing(const track::SpaceCounts& s) {
  const std::uint64_t shown = allow(s.missing.size());
  json_.key("missing");
  json_.begin_array();
  for (std::uint64_t i = 0; i < shown; ++i) {
    const track::MissingRun& run = s.missing[i];
    json_.begin_object();
    json_.member("first_psn", run.first_psn.value);
    json_.member("last_psn", run.last_psn.value);
    frame("seen_at", run.seen_at);
    json_.member("outcome", word(run.outcome));
    json_.end_object();
  }
  json_.end_array();
  const std::uint64_t omitted = s.missing_omitted + s.missing.size() - shown;
  if (omitted != 0) json_.member("missing_omitted", omitted);
}

void TriageJson::episodes(const track::SpaceCounts& s) {
  const std::uint64_t shown = allow(s.episodes.size());
  json_.key("episodes");
  json_.begin_array();
  for (std::uint64_t i = 0; i < shown; ++i) episode(s.episodes[i]);
  json_.end_array();
  const std::uint64_t omitted = s.episodes_omitted + s.episodes.size() - shown;
  if (omitted != 0) json_.member("episodes_omitted", omitted);
}

void TriageJson::episode(const track::Episode& e) {
  json_.begin_object();
  json_.member("cause", word(e.cause));
  json_.member("first_psn", e.first_psn.value);
  json_.member("last_psn", e.last_psn.value);
  frame("first", e.first_frame);
  frame("last", e.last_frame);
  frame("trigger", e.trigger_frame);
  json_.member("packets", e.packets);
  json_.member("bytes", e.bytes);
  json_.member("wasted_packets", e.wasted_packets);
  json_.member("unseen_packets", e.unseen_packets);
  json_.member("wait_ns", e.has_wait() ? std::optional{e.wait.count} : std::nullopt);
  if (e.cause == track::Cause::kRnr) json_.member("advertised_wait_ns", e.advertised_wait.count);
  json_.end_object();
}

void TriageJson::finding(const verdict::Finding& f, const model::FindingState* state) {
  json_.new_line();
  json_.begin_object();
  json_.member("id", f.id);
  json_.member("rule", f.rule);
  json_.member("severity", word(f.severity));
  json_.member("confidence", word(f.confidence));
  json_.member("caused_by", f.caused_by);
  json_.member("title", f.title);
  json_.member("explanation", f.explanation);
  strings("next_steps", f.next_steps);
  strings("ruled_out", f.ruled_out);
  json_.key("connections");
  json_.begin_array();
  for (const std::uint32_t id : f.connections) json_.value(id);
  json_.end_array();
  json_.key("hosts");
  json_.begin_array();
  for (const IpAddress& host : f.hosts) json_.value(host.to_string());
  json_.end_array();
  what_was_seen(f);
  if (state != nullptr) recently(*state);
  json_.end_object();
}

void TriageJson::what_was_seen(const verdict::Finding& f) {
  const auto nanos = [](std::optional<Nanos> t) { return t ? std::optional{t->count} : std::nullopt; };
  json_.member("first_ns", nanos(f.first_time));
  json_.member("last_ns", nanos(f.last_time));
  // Beyond 2^53 readers of JSON may round the numbers: the texts are exact everywhere.
  json_.member("first_time", f.first_time ? std::optional{rfc3339(*f.first_time)} : std::nullopt);
  json_.member("last_time", f.last_time ? std::optional{rfc3339(*f.last_time)} : std::nullopt);
  json_.key("frames");
  json_.begin_array();
  for (const FrameId id : f.frames) json_.value(id.number());
  json_.end_array();
  json_.member("frames_total", f.frames_total);
  if (several_files_) {
    json_.key("frame_files");
    json_.begin_array();
    for (const FrameId id : f.frames) json_.value(id.file());
    json_.end_array();
  }
  json_.key("values");
  json_.begin_object();
  for (const auto& [name, v] : f.values) json_.member(name, v);
  json_.end_object();
}

/// Of a watch: whether it goes on, and what the window alone says of it.
void TriageJson::recently(const model::FindingState& state) {
  json_.member("active", state.active);
  json_.member("last_seen_ns", state.last_seen ? std::optional{state.last_seen->count} : std::nullopt);
  json_.key("recent");
  if (!state.recent) return json_.null();
  json_.begin_object();
  json_.member("severity", word(state.recent->severity));
  json_.member("title", state.recent->title);
  json_.member("explanation", state.recent->explanation);
  what_was_seen(*state.recent);
  json_.end_object();
}

void TriageJson::frame(const std::string& what, FrameId id) {
  json_.member(what + "_frame", id ? std::optional{id.number()} : std::nullopt);
  if (several_files_) json_.member(what + "_file", id ? std::optional{id.file()} : std::nullopt);
}

void TriageJson::end_point(std::string_view name, const IpAddress& ip, std::optional<Qpn> qpn) {
  json_.key(name);
  json_.begin_object();
  json_.member("ip", ip.to_string());
  json_.member("qpn", number(qpn));
  json_.end_object();
}

void TriageJson::strings(std::string_view name, const std::vector<std::string>& list) {
  json_.key(name);
  json_.begin_array();
  for (const std::string& text : list) json_.value(text);
  json_.end_array();
}

}  // namespace

void write_triage_json(const model::Snapshot& snapshot, const TextSink& sink, const TriageJsonLimits& limits) {
  JsonWriter json(sink);
  TriageJson(json, snapshot, limits).write();
}

void write_results(JsonWriter& json, const model::Snapshot& snapshot, const TriageJsonLimits& limits) {
  TriageJson(json, snapshot, limits).results();
}

void write_inputs(JsonWriter& json, const model::Snapshot& snapshot) { TriageJson(json, snapshot, {}).inputs(); }

}  // namespace rocetop::present
