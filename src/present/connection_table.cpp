// SPDX-License-Identifier: BSD-3-Clause
#include "present/connection_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/number_text.h"
#include "model/fields.h"
#include "model/trouble.h"
#include "present/finding_text.h"
#include "present/peers_text.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

constexpr std::size_t kFewConnections = 10;  // so few are all shown, quiet or not
constexpr std::size_t kRowsShown = 40;
constexpr std::size_t kQuietShown = 5;  // the busiest, when there is nothing else to show

using Cell = std::string (*)(const model::ConnectionTotals&);

struct Column {
  std::string_view key;            ///< of model::connection_fields()
  std::string_view short_heading;  ///< where room is short; empty: the field's own
  int importance;                  ///< 0 goes last
  bool only_if_any;                ///< left out when every row shows nothing
  Cell cell;                       ///< null: the field's value as a count
  Cell short_cell;                 ///< … and in three digits
};

std::string resent_cell(const model::ConnectionTotals& t) {
  const auto ratio = t.retransmitted_ratio();
  std::string text = (t.inexact ? "≥" : "") + grouped(t.retransmitted);
  if (t.retransmitted != 0 && ratio) text += " (" + percent(*ratio) + ")";
  return text;
}
std::string missing_cell(const model::ConnectionTotals& t) { return (t.inexact ? "≥" : "") + grouped(t.missing); }
std::string bytes_cell(const model::ConnectionTotals& t) { return bytes_text(t.bytes_on_wire); }
std::string rate_cell(const model::ConnectionTotals& t) {
  const auto rate = t.bits_per_second();
  return rate ? rate_text(*rate) : "-";
}

std::string short_resent_cell(const model::ConnectionTotals& t) {
  const auto ratio = t.retransmitted_ratio();
  std::string text = (t.inexact ? "≥" : "") + short_count(t.retransmitted);
  if (t.retransmitted != 0 && ratio) text += *ratio < 0.005 ? " <1%" : fmt::format(" {:.0f}%", *ratio * 100);
  return text;
}
std::string short_missing_cell(const model::ConnectionTotals& t) {
  return (t.inexact ? "≥" : "") + short_count(t.missing);
}
std::string short_bytes_cell(const model::ConnectionTotals& t) { return short_count(t.bytes_on_wire); }
std::string short_rate_cell(const model::ConnectionTotals& t) {
  const auto rate = t.bits_per_second();
  return rate ? short_count(static_cast<std::uint64_t>(std::min(std::max(*rate, 0.0), 1e18))) : "-";
}

constexpr Column kColumns[] = {
    {"packets", "pkts", 3, false, nullptr, nullptr},
    {"bytes_on_wire", "", 8, false, bytes_cell, short_bytes_cell},
    {"bits_per_second", "bit/s", 9, false, rate_cell, short_rate_cell},
    {"retransmitted_packets", "resent", 0, false, resent_cell, short_resent_cell},
    {"missing_packets", "miss", 1, false, missing_cell, short_missing_cell},
    {"capture_missed_packets", "uncap", 6, true, nullptr, nullptr},
    {"reordered_packets", "late", 6, true, nullptr, nullptr},
    {"duplicate_packets", "dup", 7, true, nullptr, nullptr},
    {"naks", "", 1, false, nullptr, nullptr},
    {"rnr_naks", "", 2, false, nullptr, nullptr},
    {"bad_icrc_packets", "icrc", 4, true, nullptr, nullptr},
    {"ce_packets", "", 5, false, nullptr, nullptr},
    {"cnps", "", 5, false, nullptr, nullptr},
    {"fast_cnps", "fast", 6, true, nullptr, nullptr},
};
constexpr int kNeeded = 3;  // columns up to this importance must fit beside the peers

/// From roomy to tight.
struct Layout {
  bool compact;  ///< short headings, three digits
  std::size_t gap;
};
constexpr Layout kLayouts[] = {{false, 2}, {true, 2}, {true, 1}};

constexpr std::size_t kGap = 2;  // around the id

struct Row {
  const track::ConnectionCounts* connection = nullptr;
  const model::Trouble* trouble = nullptr;
  std::string id;
  std::string peers_a;             ///< "192.0.2.1 qp 17"
  std::string peers_b;             ///< "↔ 192.0.2.2 qp 18 (UC)"
  std::vector<std::string> cells;  ///< by kColumns
};

bool is_nothing(const std::string& cell) { return cell == "0" || cell == "-"; }

std::string cell_text(const Column& column, const model::ConnectionTotals& totals, bool compact) {
  const Cell own = compact ? column.short_cell : column.cell;
  if (own != nullptr) return own(totals);
  const model::FieldValue value = model::connection_field(column.key).get(totals);
  const auto* count = std::get_if<std::uint64_t>(&value);
  if (count == nullptr) return "-";
  return compact ? short_count(*count) : grouped(*count);
}

std::string_view heading_of(const Column& column, bool compact) {
  return compact && !column.short_heading.empty() ? column.short_heading : model::connection_field(column.key).heading;
}

class ConnectionTable {
 public:
  ConnectionTable(const TextStyle& style, const TextSink& sink) : style_(style), sink_(sink) {}

  void add(const track::ConnectionCounts& c, const model::Trouble& trouble) {
    Row row;
    row.connection = &c;
    row.trouble = &trouble;
    row.id = std::to_string(c.id);
    const bool backwards = !c.a_to_b && c.b_to_a;  // one direction only, and not the one named first
    const auto& from = backwards ? end_point_text(c.b_ip, c.b_qpn) : end_point_text(c.a_ip, c.a_qpn);
    const auto& to = backwards ? end_point_text(c.a_ip, c.a_qpn) : end_point_text(c.b_ip, c.b_qpn);
    const bool both = c.a_to_b && c.b_to_a;
    const std::string notes = connection_notes(c);
    row.peers_a = from;
    row.peers_b = clean(both ? "↔ " : "→ ", style_.unicode) + to + (notes.empty() ? "" : " (" + notes + ")");
    rows_.push_back(std::move(row));
  }

  /// "bytes, rate"; what no row shows anything of apart. Empty if nothing was left out for want of room.
  std::string left_out_text() const {
    std::string lost;
    std::string zero;
    for (std::size_t i = 0; i < std::size(kColumns); ++i) {
      if (std::find(left_out_.begin(), left_out_.end(), i) == left_out_.end()) continue;
      std::string& list = empty_[i] ? zero : lost;
      list += (list.empty() ? "" : ", ") + std::string(model::connection_field(kColumns[i].key).heading);
    }
    if (!lost.empty()) lost = "left out at this width: " + lost + " (--width, --json)";
    if (!zero.empty()) zero = "nothing to show: " + zero;
    return lost + (lost.empty() || zero.empty() ? "" : "; ") + zero;
  }

  void write() {
    const bool beside = choose_layout();
    header(beside);
    for (const Row& row : rows_) {
      if (beside) {
        line(row);
      } else {
        stacked(row);
      }
    }
  }

 private:
  void lay_out(const Layout& layout) {
    layout_ = layout;
    widths_.clear();
    shown_.clear();
    empty_.assign(std::size(kColumns), true);
    left_out_.clear();
    id_width_ = 2;
    for (Row& row : rows_) {
      row.cells.clear();
      for (const Column& column : kColumns) {
        row.cells.push_back(clean(cell_text(column, row.trouble->totals, layout.compact), style_.unicode));
      }
      id_width_ = std::max(id_width_, row.id.size());
      peers_width_ = std::max(peers_width_, cells(peers(row)));
    }
    for (std::size_t i = 0; i < std::size(kColumns); ++i) {
      std::size_t width = cells(heading_of(kColumns[i], layout.compact));
      for (const Row& row : rows_) {
        width = std::max(width, cells(row.cells[i]));
        empty_[i] = empty_[i] && is_nothing(row.cells[i]);
      }
      widths_.push_back(width);
      if (!empty_[i] || !kColumns[i].only_if_any) shown_.push_back(i);
    }
  }

  std::size_t used_beside(std::size_t left) const {
    std::size_t sum = left;
    for (const std::size_t i : shown_) sum += layout_.gap + widths_[i];
    return sum;
  }

  /// Drops the least important column until the rest fits beside `left` cells, those that show nothing first; true if
  /// everything needed is still there.
  bool drop_until_fit(std::size_t left) {
    bool complete = true;
    while (shown_.size() > 1 && used_beside(left) > style_.width) {
      const auto least = std::max_element(shown_.begin(), shown_.end(), [&](std::size_t x, std::size_t y) {
        return std::pair(bool{empty_[x]}, kColumns[x].importance) < std::pair(bool{empty_[y]}, kColumns[y].importance);
      });
      complete = complete && (empty_[*least] || kColumns[*least].importance > kNeeded);
      left_out_.push_back(*least);
      shown_.erase(least);
    }
    return complete && used_beside(left) <= style_.width;
  }

  /// Everything beside the peers if any layout allows it, then most of it, then the peers on a line of their own.
  /// True for beside.
  bool choose_layout() {
    for (const Layout& layout : kLayouts) {
      lay_out(layout);
      if (used_beside(prefix_width() + peers_width_) <= style_.width) return true;
    }
    if (drop_until_fit(prefix_width() + peers_width_)) return true;
    for (const Layout& layout : kLayouts) {
      lay_out(layout);
      if (used_beside(prefix_width() - kGap) <= style_.width) return false;
    }
    drop_until_fit(prefix_width() - kGap);
    return false;
  }

  /// Mark, id and the gap before the peers.
  std::size_t prefix_width() const { return 2 + id_width_ + kGap; }
  static std::string peers(const Row& row) { return row.peers_a + " " + row.peers_b; }

  void header(bool beside) {
    std::string text = "  " + pad_left("id", id_width_) + std::string(kGap, ' ');
    text += beside ? pad_right("connection", peers_width_) : "connection";
    if (!beside) {
      sink_(paint(style_, Tone::kQuiet, text) + "\n");
      text = std::string(prefix_width() - kGap, ' ');
    }
    for (const std::size_t i : shown_) {
      text += std::string(layout_.gap, ' ') + pad_left(heading_of(kColumns[i], layout_.compact), widths_[i]);
    }
    sink_(paint(style_, Tone::kQuiet, text) + "\n");
  }

  std::string prefix(const Row& row) const {
    std::string mark = " ";
    Tone tone = Tone::kPlain;
    if (row.trouble->severity) {
      mark = clean(severity_mark(*row.trouble->severity), style_.unicode);
      tone = severity_tone(*row.trouble->severity);
    }
    return paint(style_, tone, mark) + " " + pad_left(row.id, id_width_) + std::string(kGap, ' ');
  }

  std::string numbers(const Row& row) const {
    std::string text;
    for (const std::size_t i : shown_) {
      text += std::string(layout_.gap, ' ');
      text += paint(style_, is_nothing(row.cells[i]) ? Tone::kQuiet : Tone::kPlain, pad_left(row.cells[i], widths_[i]));
    }
    return text;
  }

  void line(const Row& row) const { sink_(prefix(row) + pad_right(peers(row), peers_width_) + numbers(row) + "\n"); }

  void stacked(const Row& row) const {
    const std::size_t room = style_.width > prefix_width() ? style_.width - prefix_width() : 1;
    const std::string margin(prefix_width(), ' ');
    std::string text = prefix(row);
    if (cells(peers(row)) <= room) {
      text += peers(row) + "\n";
    } else {
      bool first = true;
      for (const std::string& half : {row.peers_a, row.peers_b}) {
        for (const std::string& piece : wrap(half, room, style_.unicode)) {
          text += (first ? "" : margin) + piece + "\n";
          first = false;
        }
      }
    }
    sink_(text + std::string(prefix_width() - kGap, ' ') + numbers(row) + "\n");
  }

  const TextStyle& style_;
  const TextSink& sink_;
  std::vector<Row> rows_;
  std::vector<std::size_t> widths_;  // by kColumns
  std::vector<std::size_t> shown_;   // indexes into kColumns
  std::vector<std::size_t> left_out_;
  std::vector<bool> empty_;  // by kColumns: no row shows anything
  Layout layout_{};
  std::size_t id_width_ = 2;
  std::size_t peers_width_ = 10;
};

void note(const TextStyle& style, const TextSink& sink, const std::string& text) {
  sink(paragraph(style, {{text, Tone::kQuiet}}, 0, 2));
}

}  // namespace

std::vector<ColumnLegend> connection_table_legend() {
  std::vector<ColumnLegend> legend;
  for (const Column& column : kColumns) {
    const auto& field = model::connection_field(column.key);
    std::string names(field.heading);
    if (!column.short_heading.empty() && column.short_heading != field.heading)
      names += ", " + std::string(column.short_heading);
    std::string help(field.help);
    if (column.only_if_any) help += " Shown where there are any.";
    legend.push_back({std::move(names), std::move(help)});
  }
  return legend;
}

void write_connection_table(const model::Snapshot& snapshot, const TextStyle& style, bool all, const TextSink& sink) {
  const std::vector<model::Trouble> order = model::by_trouble(snapshot);
  if (order.empty()) return;
  // Worst first: if the first one is quiet, all are.
  const std::size_t quiet_shown =
      all || order.size() <= kFewConnections ? order.size() : (order.front().quiet ? kQuietShown : 0);
  std::size_t rows = 0;
  std::size_t quiet = 0;
  std::size_t cut = 0;
  ConnectionTable table(style, sink);
  for (const model::Trouble& trouble : order) {
    if (trouble.quiet && rows >= quiet_shown) {
      ++quiet;
    } else if (!all && rows >= kRowsShown) {
      ++cut;
    } else {
      table.add(snapshot.connections[trouble.index], trouble);
      ++rows;
    }
  }
  if (rows != 0) {
    table.write();
    if (const std::string left_out = table.left_out_text(); !left_out.empty()) note(style, sink, left_out);
  }
  if (cut != 0) note(style, sink, plural(cut, "further connection") + " with something to see not shown (--all)");
  if (quiet != 0) note(style, sink, plural(quiet, "quiet connection") + " not shown (--all)");
}

}  // namespace rocetop::present
