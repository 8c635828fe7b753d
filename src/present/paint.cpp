// SPDX-License-Identifier: BSD-3-Clause
#include "present/paint.h"

#include <algorithm>

#include "present/text.h"

namespace rocetop::present {
namespace {

std::string_view code(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return "";
    case Tone::kStrong:
      return "\x1b[1m";
    case Tone::kQuiet:
      return "\x1b[2m";
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kInfo:
      return "\x1b[36m";
    case Tone::kWarning:
      return "\x1b[1;33m";
    case Tone::kCritical:
      return "\x1b[1;31m";
  }
  return "";
}

struct Line {
  std::vector<Span> runs;
  std::size_t used = 0;
};

void append(Line& line, std::string_view text, Tone tone) {
  if (line.runs.empty() || line.runs.back().tone != tone) line.runs.push_back({"", tone});
  line.runs.back().text += text;
  line.used += cells(text);
}

std::string render(const TextStyle& style, const Line& line) {
  std::string out;
  for (const Span& run : line.runs) out += paint(style, run.tone, run.text);
  return out;
}

}  // namespace

std::string paint(const TextStyle& style, Tone tone, std::string_view text) {
  if (!style.colour || tone == Tone::kPlain || text.empty()) return std::string(text);
  return std::string(code(tone)) + std::string(text) + "\x1b[0m";
}

std::string paragraph(const TextStyle& style, const std::vector<Span>& spans, std::size_t first_used,
                      std::size_t indent) {
  std::string out;
  Line line;
  line.used = first_used;
  bool at_start = true;
  const auto end_line = [&] {
    out += render(style, line) + "\n";
    line = {};
    append(line, std::string(indent, ' '), Tone::kPlain);
    at_start = true;
  };
  const auto add = [&](std::string_view word, Tone tone) {
    const bool full = line.used + (at_start ? 0 : 1) + cells(word) > style.width;
    if (full && (!at_start || line.used > indent)) end_line();
    if (!at_start) append(line, " ", line.runs.back().tone == tone ? tone : Tone::kPlain);
    append(line, word, tone);
    at_start = false;
  };
  const std::size_t widest = style.width > indent + 2 ? style.width - indent : 2;
  for (const Span& span : spans) {
    std::string_view rest = span.text;
    while (!rest.empty()) {
      const std::size_t space = std::min(rest.find_first_of(" \n"), rest.size());
      const std::string word = clean(rest.substr(0, space), style.unicode);
      rest.remove_prefix(std::min(space + 1, rest.size()));
      for (const std::string& piece : pieces(word, widest)) add(piece, span.tone);
    }
  }
  return out + render(style, line) + "\n";
}

}  // namespace rocetop::present
