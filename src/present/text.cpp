// SPDX-License-Identifier: BSD-3-Clause
#include "present/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/number_text.h"
#include "present/utf8.h"

namespace rocetop::present {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Zero cells: combining marks and variation selectors that a name may hold (a short list on purpose; a mark that is not
// in it misaligns a column by one cell and nothing else).
constexpr std::array kCombining = {Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD},
                                   Range{0x064B, 0x065F}, Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF},
                                   Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}};
// Two cells: East Asian wide and full-width blocks, emoji.
constexpr std::array kWide = {Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0xA4CF},
                              Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},
                              Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},
                              Range{0x1F300, 0x1F64F}, Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};

template <std::size_t N>
bool in(const std::array<Range, N>& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(), [c](Range r) { return c >= r.first && c <= r.last; });
}

constexpr char32_t kNoBreakSpace = 0xA0;  // looks like a space and is written as one: text is searched and copied

std::size_t cells_of(char32_t c) {
  if (c < 0x300) return 1;
  return in(kCombining, c) ? 0 : in(kWide, c) ? 2 : 1;
}

std::string_view in_ascii(char32_t c) {
  switch (c) {
    case U'→':
      return "->";
    case U'←':
      return "<-";
    case U'↔':
      return "<->";
    case U'µ':
    case U'μ':
      return "u";
    case U'…':
      return "...";
    case U'–':
    case U'—':
    case U'−':
    case U'─':
      return "-";
    case U'×':
      return "x";
    case U'·':
      return "-";
    case U'‘':
    case U'’':
      return "'";
    case U'“':
    case U'”':
      return "\"";
    case U'≥':
      return ">=";
    case U'≤':
      return "<=";
    case U'±':
      return "+-";
    case U'✖':
      return "x";
    case U'▲':
      return "!";
    case U'●':
      return "*";
    case U'└':
      return "`-";
    default:
      return "?";
  }
}

void append_clean(std::string& out, char32_t c, bool unicode) {
  if (c == kNoBreakSpace) {
    out += ' ';
  } else if (is_control(c)) {
    out += c < 0x100 ? fmt::format("\\x{:02x}", static_cast<std::uint32_t>(c))
                     : fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
  } else if (c < 0x80 || unicode) {
    append_utf8(out, c);
  } else {
    out += in_ascii(c);
  }
}

/// Cuts `text` after as many characters as fit into `width` cells; at least one.
std::size_t bytes_that_fit(std::string_view text, std::size_t width) {
  std::size_t used = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const CodePoint c = first_code_point(text.substr(at));
    const std::size_t wide = cells_of(c.value);
    if (used + wide > width && at > 0) break;
    used += wide;
    at += c.bytes;
  }
  return at;
}

/// Adds `word` to the lines, on a new one if it does not fit on the last, in pieces if it fits on none.
void add_word(std::vector<std::string>& lines, std::string_view word, std::size_t width) {
  std::string& last = lines.back();
  const std::size_t used = cells(last);
  if (last.empty() || used + 1 + cells(word) <= width) {
    if (!last.empty()) last += ' ';
    last += word;
  } else {
    lines.emplace_back(word);
  }
  if (cells(lines.back()) <= width) return;
  const std::vector<std::string> cut = pieces(lines.back(), width);
  lines.pop_back();
  lines.insert(lines.end(), cut.begin(), cut.end());
}

/// Three significant digits and a unit: value < 1000 in units[i].
template <std::size_t N>
std::string scaled(double value, const std::array<std::string_view, N>& units) {
  std::size_t i = 0;
  while (value >= 999.5 && i + 1 < N) {
    value /= 1000;
    ++i;
  }
  const int decimals = i == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, units[i]);
}

}  // namespace

std::vector<std::string> pieces(std::string_view text, std::size_t width) {
  std::vector<std::string> out;
  while (!text.empty()) {
    std::size_t cut = bytes_that_fit(text, width);
    if (cut < text.size()) {  // a list is better cut between its parts
      const std::size_t part = text.substr(0, cut).find_last_of(",;/");
      if (part != std::string_view::npos && part + 1 > cut / 2) cut = part + 1;
    }
    out.emplace_back(text.substr(0, cut));
    text.remove_prefix(cut);
  }
  return out;
}

std::string keep_together(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kBeforeNumber = {"qp",         "port", "packet",
                                                                    "connection", "rule", "PSN"};
  static constexpr std::array<std::string_view, 6> kUnits = {"ns", "µs", "ms", "s", "%", "s)"};
  const auto is_one_of = [](const auto& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string out;
  std::string_view previous;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    if (!out.empty()) {
      const std::string_view unit = word.substr(0, word.find_first_of(",.;:)"));
      const bool numbered =
          is_one_of(kBeforeNumber, previous) && !word.empty() && (is_digit(word[0]) || word[0] == '?');
      const bool measured = !previous.empty() && is_digit(previous.back()) && is_one_of(kUnits, unit);
      out += numbered || measured ? "\u00A0" : " ";
    }
    out += word;
    previous = word;
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return out;
}

std::string clean(std::string_view text, bool unicode) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    append_clean(out, c.value, unicode);
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::size_t cells(std::string_view text) {
  std::size_t sum = 0;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    sum += cells_of(c.value);
    text.remove_prefix(c.bytes);
  }
  return sum;
}

std::string fit(std::string_view text, std::size_t width, bool unicode) {
  if (cells(text) <= width) return std::string(text);
  const std::string_view dots = unicode ? "…" : "...";
  const std::size_t dots_width = unicode ? 1 : 3;
  if (width <= dots_width) return std::string(text.substr(0, bytes_that_fit(text, std::max<std::size_t>(width, 1))));
  return std::string(text.substr(0, bytes_that_fit(text, width - dots_width))) + std::string(dots);
}

std::vector<std::string> wrap(std::string_view text, std::size_t width, bool unicode) {
  width = std::max<std::size_t>(width, 2);
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view paragraph = text.substr(0, end);
    lines.emplace_back();
    while (!paragraph.empty()) {
      const std::size_t space = std::min(paragraph.find(' '), paragraph.size());
      if (space > 0) add_word(lines, clean(paragraph.substr(0, space), unicode), width);
      paragraph.remove_prefix(std::min(space + 1, paragraph.size()));
    }
    if (end >= text.size()) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t used = cells(text);
  return std::string(used < width ? width - used : 0, ' ') + std::string(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t used = cells(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string short_count(std::uint64_t number) {
  constexpr std::uint64_t kWhole = 10'000;
  if (number < kWhole) return grouped(number);
  static constexpr std::array<std::string_view, 7> kUnits = {"", "k", "M", "G", "T", "P", "E"};
  std::string text = scaled(static_cast<double>(number), kUnits);
  text.erase(text.find(' '), 1);
  return text;
}

std::string bytes_text(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 6> kUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
  return scaled(static_cast<double>(bytes), kUnits);
}

std::string rate_text(double bits_per_second) {
  static constexpr std::array<std::string_view, 6> kUnits = {"b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s", "Pb/s"};
  return scaled(std::max(bits_per_second, 0.0), kUnits);
}

std::string percent(double ratio) {
  const double p = ratio * 100;
  if (!(p > 0)) return "0 %";
  if (p < 0.1) return "<0.1 %";
  if (ratio < 1 && p > 99.9) return ">99.9 %";
  return p >= 99.95 ? fmt::format("{:.0f} %", p) : fmt::format("{:.1f} %", p);
}

}  // namespace rocetop::present
