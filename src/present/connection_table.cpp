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
constexpr std::size_t kGap = 2;

using Cell = std::string (*)(const model::ConnectionTotals&);

struct Column {
  std::string_view key;  ///< of model::connection_fields()
  int importance;        ///< 0 goes last
  bool only_if_any;      ///< left out when every row shows nothing
  Cell cell;             ///< null: the field's value as a count
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

constexpr Column kColumns[] = {
    {"packets", 3, false, nullptr},
    {"bytes_on_wire", 8, false, bytes_cell},
    {"bits_per_second", 9, false, rate_cell},
    {"retransmitted_packets", 0, false, resent_cell},
    {"missing_packets", 1, false, missing_cell},
    {"capture_missed_packets", 6, true, nullptr},
    {"reordered_packets", 6, true, nullptr},
    {"duplicate_packets", 7, true, nullptr},
    {"naks", 1, false, nullptr},
    {"rnr_naks", 2, false, nullptr},
    {"bad_icrc_packets", 4, true, nullptr},
    {"ce_packets", 5, false, nullptr},
    {"cnps", 5, false, nullptr},
};
constexpr int kNeeded = 3;  // columns up to this importance must fit beside the peers

struct Row {
  const track::ConnectionCounts* connection = nullptr;
  const model::Trouble* trouble = nullptr;
  std::string id;
  std::string peers_a;             ///< "192.0.2.1 qp 17"
  std::string peers_b;             ///< "↔ 192.0.2.2 qp 18 (UC)"
  std::vector<std::string> cells;  ///< by kColumns
};

std::string cell_text(const Column& column, const model::ConnectionTotals& totals) {
  if (column.cell != nullptr) return column.cell(totals);
  const model::FieldValue value = model::connection_field(column.key).get(totals);
  const auto* count = std::get_if<std::uint64_t>(&value);
  return count != nullptr ? grouped(*count) : "-";
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
    for (const Column& column : kColumns) row.cells.push_back(clean(cell_text(column, trouble.totals), style_.unicode));
    rows_.push_back(std::move(row));
  }

  void write() {
    measure();
    const bool beside = choose_columns();
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
  void measure() {
    widths_.clear();
    shown_.clear();
    for (std::size_t i = 0; i < std::size(kColumns); ++i) {
      std::size_t width = cells(model::connection_field(kColumns[i].key).heading);
      bool any = false;
      for (const Row& row : rows_) {
        width = std::max(width, cells(row.cells[i]));
        any = any || (row.cells[i] != "0" && row.cells[i] != "-");
      }
      widths_.push_back(width);
      if (any || !kColumns[i].only_if_any) shown_.push_back(i);
    }
    for (const Row& row : rows_) {
      id_width_ = std::max(id_width_, row.id.size());
      peers_width_ = std::max(peers_width_, cells(peers(row)));
    }
  }

  /// Drops the least important column until the rest fits beside `left` cells; true if everything needed is still
  /// there.
  bool drop_until_fit(std::size_t left) {
    const auto used = [&] {
      std::size_t sum = left;
      for (const std::size_t i : shown_) sum += kGap + widths_[i];
      return sum;
    };
    int dropped = 100;
    while (shown_.size() > 1 && used() > style_.width) {
      const auto least = std::max_element(shown_.begin(), shown_.end(), [](std::size_t x, std::size_t y) {
        return kColumns[x].importance < kColumns[y].importance;
      });
      dropped = std::min(dropped, kColumns[*least].importance);
      shown_.erase(least);
    }
    return dropped > kNeeded && used() <= style_.width;
  }

  bool choose_columns() {
    const std::vector<std::size_t> all = shown_;
    if (drop_until_fit(prefix_width() + peers_width_)) return true;
    shown_ = all;
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
      text += std::string(kGap, ' ') + pad_left(model::connection_field(kColumns[i].key).heading, widths_[i]);
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
      const bool nothing = row.cells[i] == "0" || row.cells[i] == "-";
      text += std::string(kGap, ' ');
      text += paint(style_, nothing ? Tone::kQuiet : Tone::kPlain, pad_left(row.cells[i], widths_[i]));
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
  std::size_t id_width_ = 2;
  std::size_t peers_width_ = 10;
};

void note(const TextStyle& style, const TextSink& sink, const std::string& text) {
  sink(paragraph(style, {{text, Tone::kQuiet}}, 0, 2));
}

}  // namespace

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
  if (rows != 0) table.write();
  if (cut != 0) note(style, sink, plural(cut, "further connection") + " with something to see not shown (--all)");
  if (quiet != 0) note(style, sink, plural(quiet, "quiet connection") + " not shown (--all)");
}

}  // namespace rocetop::present
