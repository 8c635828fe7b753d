// SPDX-License-Identifier: BSD-3-Clause
// Scenario text -> statements and the values in them. Knows the shape of the language, not what its verbs mean
// (scenario.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/nanos.h"
#include "base/psn.h"
#include "base/result.h"

namespace rocetop::generate {

enum class Side : std::uint8_t { kA = 0, kB = 1 };
constexpr Side other(Side s) { return s == Side::kA ? Side::kB : Side::kA; }
constexpr std::size_t index(Side s) { return static_cast<std::size_t>(s); }

/// A word of the text and where it stands, both from 1.
struct Word {
  std::string_view text;
  std::size_t line = 1;
  std::size_t column = 1;
};

/// "line 1, column 7: WHAT", with the word itself.
Error error_at(const Word& word, std::string what);

struct Option {
  Word word;  ///< all of it
  std::string_view name;
  std::optional<std::string_view> value;
};

struct Statement {
  std::optional<Side> side;
  Word verb;
  std::optional<Word> argument;
  std::vector<Option> options;

  const Option* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
};

/// Inclusive; `count` is at least 1.
struct PsnRange {
  Psn first;
  std::uint32_t count = 1;
};

/// Statements in order; empty ones are skipped. `takes_argument` says which verbs have one: else the next word is an
/// option.
Result<std::vector<Statement>> parse_statements(std::string_view text, bool (*takes_argument)(std::string_view verb));

Result<std::uint64_t> parse_number(const Word& word, std::uint64_t max);
Result<PsnRange> parse_psns(const Word& word);
Result<Nanos> parse_duration(const Word& word);
/// "LEFT/RIGHT" as two words.
Result<std::pair<Word, Word>> parse_pair(const Word& word);
/// The value of an option as a word of its own; an error if it has none.
Result<Word> value_word(const Option& option);

}  // namespace rocetop::generate
