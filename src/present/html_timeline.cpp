// SPDX-License-Identifier: BSD-3-Clause
#include "present/html_timeline.h"

#include <algorithm>
#include <string>
#include <vector>

#include "model/words.h"
#include "present/packed_column.h"

namespace rocetop::present {
namespace {

constexpr std::int64_t kPartsOfABin = 64;

class HtmlTimeline {
 public:
  HtmlTimeline(bool several_files, Nanos zero, JsonWriter& json)
      : several_files_(several_files), zero_(zero), json_(json) {}

  void write(const model::Timeline& timeline) {
    json_.begin_object();
    json_.member("zero_ns", std::to_string(zero_.count));  // beyond what a number of the script holds
    json_.key("connections");
    json_.begin_array();
    for (const model::ConnectionTimeline& c : timeline.connections) connection(c);
    json_.end_array();
    json_.member("other_connections", timeline.other_connections);
    json_.key("others");
    marks(timeline.others);
    json_.key("pauses");
    json_.begin_array();
    for (const model::PauseTimeline& pause : timeline.pauses) pauses(pause, pause.priority);
    if (timeline.link_pause.xoff.packets() + timeline.link_pause.xon.packets() != 0)
      pauses(timeline.link_pause, std::nullopt);
    json_.end_array();
    json_.end_object();
  }

 private:
  void connection(const model::ConnectionTimeline& c) {
    json_.new_line();
    json_.begin_object();
    json_.member("id", c.id);
    json_.member("full", c.in_full());
    json_.key("directions");
    json_.begin_array();
    for (const model::DirectionTimeline& d : c.directions) {
      json_.begin_object();
      json_.member("src", d.src.to_string());
      json_.member("dst", d.dst.to_string());
      json_.member("dst_qpn", d.dst_qpn ? std::optional{d.dst_qpn->value} : std::nullopt);
      json_.key("marks");
      marks(d.marks);
      if (!d.paths.paths.empty()) paths(d.paths);
      json_.end_object();
    }
    json_.end_array();
    json_.end_object();
  }

  void marks(const std::vector<model::MarkedSeries>& list) {
    json_.begin_array();
    for (const model::MarkedSeries& marked : list) {
      json_.begin_object();
      json_.member("mark", model::word(marked.mark));
      json_.member("space", model::word(marked.space));
      series(marked.series);
      json_.end_object();
    }
    json_.end_array();
  }

  /// Of a direction that uses several.
  void paths(const model::PathTimelines& list) {
    json_.key("paths");
    json_.begin_array();
    for (const model::PathTimeline& path : list.paths) {
      json_.begin_object();
      json_.member("port", path.udp_src);
      path_marks(path);
      json_.end_object();
    }
    json_.end_array();
    json_.key("other_paths");
    json_.begin_object();
    json_.member("paths", list.other_paths);
    json_.member("at_least", list.more_paths);
    path_marks(list.others);
    json_.end_object();
  }

  void path_marks(const model::PathTimeline& path) {
    json_.key("marks");
    json_.begin_array();
    for (const model::PathSeries& one : path.marks) {
      json_.begin_object();
      json_.member("mark", model::word(one.mark));
      series(one.series);
      json_.end_object();
    }
    json_.end_array();
  }

  void pauses(const model::PauseTimeline& pause, std::optional<std::uint8_t> priority) {
    json_.begin_object();
    json_.member("class", priority);
    for (const auto& [name, list] : {std::pair{"xoff", &pause.xoff}, std::pair{"xon", &pause.xon}}) {
      json_.key(name);
      json_.begin_object();
      series(*list);
      json_.end_object();
    }
    json_.end_object();
  }

  /// Columns in the order that points.js names. In a bin, times are in parts of it: nobody sees more.
  void series(const model::Series& s) {
    const std::int64_t unit = std::max<std::int64_t>(1, s.bin().count / kPartsOfABin);
    json_.member("cells", s.cells().size());
    json_.member("packets", s.packets());
    json_.member("bin_ns", s.bin().count);
    if (unit != 1) json_.member("unit_ns", unit);
    columns_.clear();
    column(s, [&](const model::Cell& c) { return (c.first_time - zero_).count / unit; });
    column(s, [](const model::Cell& c) { return c.low; });
    column(s, [](const model::Cell& c) { return c.high - c.low; });
    column(s, [](const model::Cell& c) { return static_cast<std::int64_t>(c.frame.number()); });
    column(s, [](const model::Cell& c) { return static_cast<std::int64_t>(c.bytes); });
    column(s, [](const model::Cell& c) { return static_cast<std::int64_t>(c.packets); });
    column(s, [&](const model::Cell& c) { return ((c.last_time - c.first_time).count + unit - 1) / unit; });
    if (several_files_) column(s, [](const model::Cell& c) { return std::int64_t{c.frame.file()}; });
    json_.member("columns", columns_);
  }

  template <typename Get>
  void column(const model::Series& s, Get get) {
    values_.clear();
    for (const model::Cell& cell : s.cells()) values_.push_back(get(cell));
    if (!columns_.empty()) columns_ += ' ';
    columns_ += packed_column(values_);
  }

  const bool several_files_;
  const Nanos zero_;
  JsonWriter& json_;
  std::string columns_;
  std::vector<std::int64_t> values_;
};

}  // namespace

void write_html_timeline(const model::Timeline& timeline, bool several_files, Nanos zero, JsonWriter& json) {
  HtmlTimeline(several_files, zero, json).write(timeline);
}

}  // namespace rocetop::present
