// SPDX-License-Identifier: BSD-3-Clause
#include "generate/scenario_text.h"

#include <algorithm>
#include <charconv>

namespace rocetop::generate {
namespace {

constexpr std::string_view kBlank = " \t\r";

// Cuts off the first word of `rest`; empty at its end.
Word next_word(std::string_view line, std::size_t line_number, std::string_view& rest) {
  const std::size_t start = std::min(rest.find_first_not_of(kBlank), rest.size());
  rest.remove_prefix(start);
  const std::size_t length = std::min(rest.find_first_of(kBlank), rest.size());
  const Word word{rest.substr(0, length), line_number, static_cast<std::size_t>(rest.data() - line.data()) + 1};
  rest.remove_prefix(length);
  return word;
}

Option make_option(const Word& word) {
  const std::size_t equals = word.text.find('=');
  if (equals == std::string_view::npos) return {word, word.text, std::nullopt};
  return {word, word.text.substr(0, equals), word.text.substr(equals + 1)};
}

std::optional<std::uint64_t> number(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<std::optional<Statement>> parse_statement(std::string_view line, std::size_t line_number, std::string_view text,
                                                 bool (*takes_argument)(std::string_view)) {
  Statement statement;
  Word word = next_word(line, line_number, text);
  if (word.text.empty()) return std::optional<Statement>{};
  if (word.text == "A:" || word.text == "B:") {
    statement.side = word.text == "A:" ? Side::kA : Side::kB;
    const Word prefix = word;
    word = next_word(line, line_number, text);
    if (word.text.empty()) return error_at(prefix, "a statement must follow");
  }
  statement.verb = word;
  word = next_word(line, line_number, text);
  if (!word.text.empty() && takes_argument(statement.verb.text)) {
    statement.argument = word;
    word = next_word(line, line_number, text);
  }
  for (; !word.text.empty(); word = next_word(line, line_number, text)) statement.options.push_back(make_option(word));
  return std::optional<Statement>{std::move(statement)};
}

std::string printable(std::string_view text) {
  std::string out(text.substr(0, 40));
  std::replace_if(out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return out;
}

}  // namespace

Error error_at(const Word& word, std::string what) {
  return {"line " + std::to_string(word.line) + ", column " + std::to_string(word.column) + ": \"" +
              printable(word.text) + "\": " + std::move(what),
          "docs/generate.md describes the language"};
}

const Option* Statement::find(std::string_view name) const {
  const auto found = std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.name == name; });
  return found == options.end() ? nullptr : &*found;
}

Result<std::vector<Statement>> parse_statements(std::string_view text, bool (*takes_argument)(std::string_view verb)) {
  std::vector<Statement> statements;
  for (std::size_t line_number = 1; !text.empty(); ++line_number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    std::string_view rest = line.substr(0, line.find('#'));
    while (!rest.empty()) {
      const std::string_view part = rest.substr(0, rest.find('|'));
      rest.remove_prefix(std::min(part.size() + 1, rest.size()));
      auto statement = parse_statement(line, line_number, part, takes_argument);
      if (!statement) return statement.error();
      if (statement.value()) statements.push_back(std::move(*statement.value()));
    }
  }
  return statements;
}

Result<std::uint64_t> parse_number(const Word& word, std::uint64_t max) {
  const auto value = number(word.text);
  if (!value || *value > max) return error_at(word, "a number from 0 to " + std::to_string(max) + " is expected");
  return *value;
}

Result<PsnRange> parse_psns(const Word& word) {
  const std::size_t dash = word.text.find('-');
  const auto first = number(word.text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number(word.text.substr(dash + 1));
  if (!first || !last || *first > kMask24 || *last > kMask24) {
    return error_at(word, "a PSN such as 100, or a range such as 100-103, is expected");
  }
  const auto span = serial_difference(static_cast<std::uint32_t>(*last), static_cast<std::uint32_t>(*first));
  if (span < 0) return error_at(word, "the range ends before it starts");
  return PsnRange{Psn{static_cast<std::uint32_t>(*first)}, static_cast<std::uint32_t>(span) + 1};
}

Result<Nanos> parse_duration(const Word& word) {
  struct Unit {
    std::string_view name;
    std::int64_t nanoseconds;
  };
  constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};  // "s" ends them all
  constexpr std::uint64_t kMax = 1'000'000'000;
  for (const Unit& unit : kUnits) {
    if (!word.text.ends_with(unit.name)) continue;
    const auto value = number(word.text.substr(0, word.text.size() - unit.name.size()));
    if (value && *value <= kMax) return Nanos{static_cast<std::int64_t>(*value) * unit.nanoseconds};
  }
  return error_at(word, "a duration such as 500ns, 10us, 70ms or 3s is expected");
}

Result<std::pair<Word, Word>> parse_pair(const Word& word) {
  const std::size_t slash = word.text.find('/');
  if (slash == std::string_view::npos) return error_at(word, "two values with a slash between them are expected");
  return std::pair{Word{word.text.substr(0, slash), word.line, word.column},
                   Word{word.text.substr(slash + 1), word.line, word.column + slash + 1}};
}

Result<Word> value_word(const Option& option) {
  if (!option.value || option.value->empty()) return error_at(option.word, "a value is expected, as in name=5");
  return Word{*option.value, option.word.line, option.word.column + option.name.size() + 1};
}

}  // namespace rocetop::generate
