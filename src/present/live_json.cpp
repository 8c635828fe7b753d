// SPDX-License-Identifier: BSD-3-Clause
#include "present/live_json.h"

#include "base/time_text.h"
#include "model/fields.h"
#include "present/json_fields.h"
#include "present/triage_json.h"

namespace rocetop::present {
namespace {

/// Lists of a line that comes every second are a look, not a record: the last line has them as triage does.
constexpr std::uint64_t kEntriesALine = 100;

std::optional<std::string_view> or_null(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

void write_interval(JsonWriter& json, const model::Interval& interval) {
  json.key("interval");
  json.begin_object();
  json.member("duration_ns", interval.duration.count);
  json.member("frames", interval.frames);
  json.member("roce_frames", interval.roce_frames);
  json.member("bytes_on_wire", interval.bytes_on_wire);
  json.member("packets_per_second", model::per_second(interval.frames, interval.duration));
  json.member("bits_per_second", 8 * model::per_second(interval.bytes_on_wire, interval.duration));
  json.member("frames_dropped", interval.dropped);
  json.member("pfc_frames", interval.pfc_frames);
  json.member("pause_frames", interval.pauses);
  json.member("active_connections", interval.active);
  json.key("totals");  // of all connections
  json.begin_object();
  write_fields(json, model::connection_fields(), interval.sum);
  json.end_object();
  json.end_object();
}

void write_interfaces(JsonWriter& json, const std::vector<model::LiveInterface>& interfaces) {
  json.key("interfaces");
  json.begin_array();
  for (const model::LiveInterface& i : interfaces) {
    json.begin_object();
    json.member("name", i.name);
    json.member("state", model::word(i.state));
    json.member("since_ns", i.since.count);
    json.member("state_changes", i.changes);
    json.member("error", or_null(i.error));
    json.member("nanosecond_stamps", i.nanoseconds);
    json.member("frames", i.frames);
    json.member("bytes_on_wire", i.bytes_on_wire);
    json.member("frames_dropped", i.dropped);
    json.member("frames_dropped_by_interface", i.dropped_by_interface);
    json.key("rdma_devices");
    json.begin_array();
    for (const std::string& device : i.rdma_devices) json.value(device);
    json.end_array();
    json.member("bypass_suspected", i.bypass_suspected);
    json.end_object();
  }
  json.end_array();
}

void write_recording(JsonWriter& json, const model::Recording& recording) {
  json.key("recording");
  if (recording.file.empty() && recording.error.empty()) return json.null();
  json.begin_object();
  json.member("file", or_null(recording.file));
  json.member("frames", recording.frames);
  json.member("frames_dropped", recording.dropped);
  json.member("error", or_null(recording.error));
  json.end_object();
}

/// What is no more in "connections".
void write_gone(JsonWriter& json, const model::Snapshot& totals) {
  json.key("gone");
  json.begin_object();
  json.member("silent_connections", totals.silent_connections);
  json.member("evicted_connections", totals.capture.evicted_connections);
  json.key("totals");
  json.begin_object();
  write_fields(json, model::connection_fields(), totals.gone);
  json.end_object();
  json.end_object();
}

}  // namespace

void write_live_json(const model::LiveSnapshot& snapshot, bool all, const TextSink& sink) {
  JsonWriter json(sink, true);
  json.begin_object();
  json.member("schema", "rocetop.live/1");
  json.member("rocetop_version", snapshot.totals.rocetop_version);
  json.member("number", snapshot.number);
  json.member("resets", snapshot.resets);
  json.member("time_ns", snapshot.time.count);
  json.member("time", rfc3339(snapshot.time));
  json.member("final", snapshot.final);
  json.member("window_ns", snapshot.window.count);  // of what is active, up to "time_ns"
  write_inputs(json, snapshot.totals);
  write_interval(json, snapshot.interval);
  write_interfaces(json, snapshot.interfaces);
  write_recording(json, snapshot.recording);
  write_gone(json, snapshot.totals);
  const bool every = all || snapshot.final;
  json.member("connections_in_all", snapshot.totals.connections.size());
  json.member("connections_listed", every ? "all" : "active");
  std::vector<std::size_t> active;
  for (std::size_t i = 0; i < snapshot.recent.size(); ++i) {
    if (snapshot.recent[i].frames != 0) active.push_back(i);
  }
  TriageJsonLimits limits;
  limits.recent = &snapshot.recent;
  if (snapshot.finding_states.size() == snapshot.totals.findings.size()) {
    limits.finding_states = &snapshot.finding_states;
  }
  if (!every) limits.only = &active;
  if (!snapshot.final) limits.entries_a_list = limits.shared_entries = kEntriesALine;
  write_results(json, snapshot.totals, limits);
  json.end_object();
  json.finish();
}

}  // namespace rocetop::present
