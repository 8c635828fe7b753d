// SPDX-License-Identifier: BSD-3-Clause
#include "present/metric_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>

#include "present/utf8.h"

namespace rocetop::present {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

void write_number(std::string& to, double value) {
  constexpr double kDigits = 1e15;  // below, a whole number has the same digits either way
  if (std::isnan(value)) {
    to += "Nan";
  } else if (std::isinf(value)) {
    to += value < 0 ? "-Inf" : "+Inf";
  } else if (value >= 0 && value < kDigits && value == std::floor(value) && !std::signbit(value)) {
    const fmt::format_int digits(static_cast<std::uint64_t>(value));
    to.append(digits.data(), digits.size());
  } else {
    fmt::format_to(std::back_inserter(to), "{:.16g}", value);
  }
}

void write_label_value(std::string& to, std::string_view value) {
  std::size_t begin = 0;
  for (std::size_t at = 0; (at = value.find_first_of("\\\"\n", begin)) != std::string_view::npos; begin = at + 1) {
    to.append(value.substr(begin, at - begin)).append(1, '\\').append(1, value[at] == '\n' ? 'n' : value[at]);
  }
  to.append(value.substr(begin));
}

/// NAME SUFFIX {labels} and a blank. `label`: one more, at the end; none without a name.
void write_head(std::string& to, std::string_view name, std::string_view suffix, const ClientMetric& metric,
                std::string_view label = {}, double label_value = 0) {
  to.append(name).append(suffix);
  char before = '{';
  for (const ClientMetric::Label& l : metric.label) {
    to.append(1, before).append(l.name).append("=\"");
    write_label_value(to, l.value);
    to += '"';
    before = ',';
  }
  if (!label.empty()) {
    to.append(1, before).append(label).append("=\"");
    write_number(to, label_value);
    to += '"';
    before = ',';
  }
  to += before == '{' ? " " : "} ";
}

void write_value(std::string& to, double value) {
  write_number(to, value);
  to += '\n';
}

void write_histogram(std::string& to, const std::string& name, const ClientMetric& metric) {
  const ClientMetric::Histogram& h = metric.histogram;
  write_head(to, name, "_count", metric);
  write_value(to, static_cast<double>(h.sample_count));
  write_head(to, name, "_sum", metric);
  write_value(to, h.sample_sum);
  double last = -std::numeric_limits<double>::infinity();
  for (const ClientMetric::Bucket& bucket : h.bucket) {
    write_head(to, name, "_bucket", metric, "le", bucket.upper_bound);
    last = bucket.upper_bound;
    write_value(to, static_cast<double>(bucket.cumulative_count));
  }
  if (last == std::numeric_limits<double>::infinity()) return;
  write_head(to, name, "_bucket", metric, "le", std::numeric_limits<double>::infinity());
  write_value(to, static_cast<double>(h.sample_count));
}

std::string_view type_word(MetricType type) {
  return type == MetricType::Counter ? "counter" : type == MetricType::Gauge ? "gauge" : "histogram";
}

void write_family(std::string& to, const MetricFamily& family) {
  if (!family.help.empty()) to.append("# HELP ").append(family.name).append(" ").append(family.help).append("\n");
  to.append("# TYPE ").append(family.name).append(" ").append(type_word(family.type)).append("\n");
  for (const ClientMetric& metric : family.metric) {
    if (family.type == MetricType::Histogram) {
      write_histogram(to, family.name, metric);
      continue;
    }
    write_head(to, family.name, "", metric);
    write_value(to, family.type == MetricType::Counter ? metric.counter.value : metric.gauge.value);
  }
}

}  // namespace

std::string label_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    append_utf8(out, is_control(c.value) ? kReplacement : c.value);
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string metrics_text(const std::vector<MetricFamily>& families) {
  constexpr std::size_t kLine = 100;  // about
  std::size_t lines = 0;
  for (const MetricFamily& family : families) lines += family.metric.size();
  std::string out;
  out.reserve(lines * kLine);
  for (const MetricFamily& family : families) write_family(out, family);
  return out;
}

}  // namespace rocetop::present
