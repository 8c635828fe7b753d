// SPDX-License-Identifier: BSD-3-Clause
#include "command_name.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rocetop::cli {
namespace {

constexpr std::size_t kSlips = 2;  // a swap of neighbours counts as two

/// How many letters must be added, left out or replaced.
std::size_t slips(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

bool resembles(const std::string& word, const std::string& command) {
  if (word.size() > 2 * command.size()) return false;  // the table of a huge word is not worth its memory
  return (word.size() >= 2 && command.starts_with(word)) || slips(word, command) <= kSlips;
}

}  // namespace

std::optional<Error> wrong_command(const std::string& word, const std::vector<std::string>& commands,
                                   const Exists& exists) {
  if (word.starts_with("-") && word != "-") return std::nullopt;
  if (std::find(commands.begin(), commands.end(), word) != commands.end()) return std::nullopt;
  if (word == "-" || looks_like_a_path(word) || exists(word)) {
    return Error{"no command before " + word, "Did you mean: rocetop triage " + word + "?"};
  }
  std::string all;
  for (const std::string& command : commands) {
    if (resembles(word, command)) return Error{"no command '" + word + "'", "Did you mean " + command + "?"};
    all += (all.empty() ? "" : ", ") + command;
  }
  return Error{"no command '" + word + "'", "There are: " + all + ". See rocetop --help."};
}

std::optional<std::string> meant_option(const std::vector<std::string>& words,
                                        const std::vector<std::string>& options) {
  for (const std::string& word : words) {
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(0, word.find('='));
    if (std::find(options.begin(), options.end(), name) != options.end()) continue;
    const std::string* nearest = nullptr;
    std::size_t least = 0;
    for (const std::string& option : options) {
      if (!option.starts_with("--") || !resembles(name, option)) continue;
      const std::size_t distance = option.starts_with(name) ? 0 : slips(name, option);
      if (nearest == nullptr || distance < least) {
        nearest = &option;
        least = distance;
      }
    }
    if (nearest != nullptr) return "Did you mean " + *nearest + "?";
  }
  return std::nullopt;
}

std::optional<std::string> similar_word(const std::string& word, const std::vector<std::string>& words) {
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const auto& known) { return resembles(word, known); });
  if (found == words.end()) return std::nullopt;
  return *found;
}

}  // namespace rocetop::cli
