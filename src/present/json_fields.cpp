// SPDX-License-Identifier: BSD-3-Clause
#include "present/json_fields.h"

#include <variant>

namespace rocetop::present {

void write_value(JsonWriter& json, const model::FieldValue& value) {
  if (const auto* integer = std::get_if<std::uint64_t>(&value)) {
    json.value(*integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    json.value(*real);
  } else {
    json.null();
  }
}

void write_distribution(JsonWriter& json, std::string_view name, const Histogram& histogram) {
  json.key(name);
  if (histogram.empty()) return json.null();
  json.begin_object();
  json.member("count", histogram.count());
  json.member("min", histogram.min());
  json.member("p50", histogram.percentile(0.5));
  json.member("p90", histogram.percentile(0.9));
  json.member("p99", histogram.percentile(0.99));
  json.member("p999", histogram.percentile(0.999));
  json.member("max", histogram.max());
  json.end_object();
}

}  // namespace rocetop::present
