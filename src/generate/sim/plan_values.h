// SPDX-License-Identifier: BSD-3-Clause
// Values in the text of simulated scenarios, and tables of the options that set them: how "window=64" becomes
// ConnectionPlan::window.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generate/scenario_text.h"

namespace rocetop::generate::sim {

using Failure = std::optional<Error>;

/// "25g", "400m": bits/s, at least 1 Mb/s and at most 1 Tb/s.
Result<std::uint64_t> parse_rate(const Word& word);
/// "64k": bytes, of 1024.
Result<std::uint64_t> parse_bytes(const Word& word, std::uint64_t most);
/// "0.1%" or "0.001".
Result<double> parse_share(const Word& word);
/// "a,b" and "s1-s8": names, in order.
Result<std::vector<std::string>> parse_names(const Word& word);

/// One option of a verb that fills a T.
template <typename T>
struct Setter {
  std::string_view name;
  Failure (*set)(T& target, const Option& option);
};

/// Every option of the statement; an error where one is none of the table.
template <typename T, std::size_t N>
Failure apply(const Setter<T> (&table)[N], const Statement& statement, T& target) {
  for (const Option& option : statement.options) {
    const Setter<T>* found = nullptr;
    for (const Setter<T>& setter : table) {
      if (setter.name == option.name) found = &setter;
    }
    if (found == nullptr) return error_at(option.word, "not an option of " + std::string(statement.verb.text));
    if (auto failure = found->set(target, option)) return failure;
  }
  return std::nullopt;
}

template <typename Value, typename Target>
Failure assign(Result<Value> parsed, Target& target) {
  if (!parsed) return parsed.error();
  target = static_cast<Target>(parsed.value());
  return std::nullopt;
}

template <auto Member, std::uint64_t Least, std::uint64_t Most, typename T>
Failure set_number(T& target, const Option& option) {
  const auto word = value_word(option);
  if (!word) return word.error();
  const auto value = parse_number(word.value(), Most);
  if (!value || value.value() < Least) {
    return error_at(word.value(),
                    "a number from " + std::to_string(Least) + " to " + std::to_string(Most) + " is expected");
  }
  target.*Member = static_cast<std::remove_reference_t<decltype(target.*Member)>>(value.value());
  return std::nullopt;
}

template <auto Member, typename T>
Failure set_duration(T& target, const Option& option) {
  const auto word = value_word(option);
  if (!word) return word.error();
  return assign(parse_duration(word.value()), target.*Member);
}

template <auto Member, typename T>
Failure set_rate(T& target, const Option& option) {
  const auto word = value_word(option);
  if (!word) return word.error();
  return assign(parse_rate(word.value()), target.*Member);
}

template <auto Member, std::uint64_t Most, typename T>
Failure set_bytes(T& target, const Option& option) {
  const auto word = value_word(option);
  if (!word) return word.error();
  return assign(parse_bytes(word.value(), Most), target.*Member);
}

template <auto Member, typename T>
Failure set_share(T& target, const Option& option) {
  const auto word = value_word(option);
  if (!word) return word.error();
  return assign(parse_share(word.value()), target.*Member);
}

template <auto Member, typename T>
Failure set_flag(T& target, const Option& option) {
  if (option.value) return error_at(option.word, "takes no value");
  target.*Member = true;
  return std::nullopt;
}

}  // namespace rocetop::generate::sim
