// SPDX-License-Identifier: BSD-3-Clause
#include "present/html_histograms.h"

#include <cstdint>
#include <string>
#include <utility>

#include "base/histogram.h"
#include "model/words.h"
#include "present/packed_column.h"

namespace rocetop::present {
namespace {

/// A distribution of a direction and its path in the JSON.
using Named = std::pair<std::string, const Histogram*>;

std::vector<Named> histograms(const track::DirectionCounts& d) {
  std::vector<Named> all{{"rtt_ns", &d.round_trips.rtt_ns}};
  for (std::size_t i = 0; i < track::kOperations; ++i) {
    const auto& messages = d.messages.operations[i];
    if (!messages) continue;
    const auto operation = std::string(model::word(static_cast<track::Operation>(i)));
    all.emplace_back("messages." + operation + ".completion_ns", &messages->completion_ns);
  }
  if (d.congestion) {
    all.emplace_back("congestion.ce_to_cnp_ns", &d.congestion->ce_to_cnp_ns);
    all.emplace_back("congestion.cnp_gap_ns", &d.congestion->cnp_gap_ns);
  }
  std::erase_if(all, [](const Named& named) { return named.second->empty(); });
  return all;
}

std::size_t buckets(const track::ConnectionCounts& c) {
  std::size_t n = 0;
  for (const auto* d : {&c.a_to_b, &c.b_to_a}) {
    if (!*d) continue;
    for (const auto& [path, histogram] : histograms(**d)) {
      histogram->each_bucket([&](std::int64_t, std::int64_t, std::uint32_t) { ++n; });
    }
  }
  return n;
}

void write(const Histogram& histogram, JsonWriter& json) {
  std::vector<std::int64_t> index;
  std::vector<std::int64_t> values;
  histogram.each_bucket([&](std::int64_t low, std::int64_t, std::uint32_t n) {
    index.push_back(static_cast<std::int64_t>(Histogram::bucket_of(static_cast<std::uint64_t>(low))));
    values.push_back(n);
  });
  json.begin_object();
  json.member("buckets", index.size());
  json.member("columns", packed_column(index) + ' ' + packed_column(values));
  json.end_object();
}

void write(const track::ConnectionCounts& c, JsonWriter& json) {
  json.new_line();
  json.begin_object();
  json.member("id", c.id);
  json.key("directions");
  json.begin_array();
  for (const auto* d : {&c.a_to_b, &c.b_to_a}) {
    if (!*d) continue;
    json.begin_object();
    for (const auto& [path, histogram] : histograms(**d)) {
      json.key(path);
      write(*histogram, json);
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace

void write_html_histograms(const model::Snapshot& snapshot, const std::vector<std::size_t>& order,
                           std::size_t most_buckets, JsonWriter& json) {
  std::size_t omitted = 0;
  json.begin_object();
  json.key("connections");
  json.begin_array();
  for (const std::size_t i : order) {
    const track::ConnectionCounts& c = snapshot.connections[i];
    const std::size_t wanted = buckets(c);
    if (wanted == 0) continue;
    if (wanted > most_buckets) {
      ++omitted;
      continue;
    }
    most_buckets -= wanted;
    write(c, json);
  }
  json.end_array();
  json.member("omitted", omitted);
  json.end_object();
}

}  // namespace rocetop::present
