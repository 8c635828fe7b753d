// SPDX-License-Identifier: BSD-3-Clause
#include "present/delay_json.h"

#include <cmath>

#include "model/fields.h"
#include "model/words.h"
#include "present/json_fields.h"

namespace rocetop::present {
namespace {

using track::RoundTripCounts;

template <typename Value>
void bins(JsonWriter& json, std::string_view name, const RoundTripCounts& trips, Value&& value) {
  json.key(name);
  json.begin_array();
  for (const RoundTripCounts::Bin& bin : trips.bins) {
    if (bin.samples == 0) {
      json.null();
    } else {
      json.value(value(bin));
    }
  }
  json.end_array();
}

void round_trips(JsonWriter& json, const RoundTripCounts& trips) {
  write_distribution(json, "rtt_ns", trips.rtt_ns);
  json.key("rtt_over_time");
  if (trips.bins.empty()) return json.null();
  json.begin_object();
  json.member("first_ns", trips.first_time.count);
  json.member("bin_ns", std::int64_t{1} << trips.bin_bits);
  json.key("samples");
  json.begin_array();
  for (const auto& bin : trips.bins) json.value(bin.samples);
  json.end_array();
  bins(json, "mean_ns", trips, [](const auto& bin) { return std::llround(bin.sum_ns / bin.samples); });
  bins(json, "max_ns", trips, [](const auto& bin) { return bin.largest_ns; });
  json.end_object();
}

/// Swift's signal: how many round trips were longer than a target.
void over_target(JsonWriter& json, const Histogram& rtt, Nanos target) {
  json.key("rtt_over_target");
  if (rtt.empty()) return json.null();
  json.begin_object();
  json.member("target_ns", target.count);
  json.member("ratio", rtt.share_above(target.count));
  json.end_object();
}

void messages(JsonWriter& json, const track::MessageStats& stats) {
  json.key("messages");
  json.begin_object();
  for (std::size_t i = 0; i < track::kOperations; ++i) {
    const auto& counts = stats.operations[i];
    if (!counts) continue;
    json.key(model::word(static_cast<track::Operation>(i)));
    json.begin_object();
    write_fields(json, model::message_fields(), *counts);
    write_distribution(json, "size_bytes", counts->size_bytes);
    write_distribution(json, "completion_ns", counts->completion_ns);
    write_distribution(json, "idle_ns", counts->idle_ns);
    json.end_object();
  }
  json.end_object();
  write_distribution(json, "outstanding_reads", stats.outstanding_reads);
}

}  // namespace

void write_delays(JsonWriter& json, const track::DirectionCounts& direction, const verdict::Thresholds& thresholds) {
  json.member("tap", model::word(direction.tap));
  json.member("tap_confidence", model::word(direction.tap_evidence.sure));
  json.key("tap_why");
  if (direction.tap_evidence.why.empty()) {
    json.null();
  } else {
    json.value(direction.tap_evidence.why);
  }
  round_trips(json, direction.round_trips);
  over_target(json, direction.round_trips.rtt_ns, thresholds.rtt_target);
  messages(json, direction.messages);
  write_fields(json, model::delay_fields(), direction);
}

}  // namespace rocetop::present
