// SPDX-License-Identifier: BSD-3-Clause
#include "inputs.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <utility>

namespace rocetop::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

}  // namespace

bool looks_like_a_path(std::string_view word) {
  static constexpr std::array<std::string_view, 7> kEndings = {".pcap", ".pcapng", ".cap", ".ntar",
                                                               ".gz",   ".zst",    ".erf"};
  if (word.find(' ') != std::string_view::npos) return false;
  return word.find('/') != std::string_view::npos ||
         std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) { return word.ends_with(ending); });
}

bool file_exists(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0;
}

Result<std::string> filter_of(const std::vector<std::string>& last_words, const Words& words) {
  const int filters = int{!last_words.empty()} + int{!words.after_dashes.empty()} + int{!words.filter_option.empty()};
  const std::string given = joined(last_words.empty() ? words.after_dashes : last_words);
  if (filters > 1) {
    return Error{"two filters given: \"" + given + "\" and one more",
                 "Give it once: with -f, after --, or as the last words."};
  }
  return words.filter_option.empty() ? given : words.filter_option;
}

Result<Inputs> sort_words(const Words& words, const Exists& exists) {
  Inputs inputs;
  inputs.files = words.read_files;
  std::vector<std::string> filter;
  for (const std::string& word : words.plain) {
    const bool is_file = filter.empty() && words.read_files.empty() &&
                         (inputs.files.empty() || word == "-" || exists(word) || looks_like_a_path(word));
    (is_file ? inputs.files : filter).push_back(word);
  }
  if (inputs.files.empty()) {
    return Error{"no capture given", "Name a pcap or pcapng file, or - for standard input."};
  }
  if (std::count(inputs.files.begin(), inputs.files.end(), "-") > 1) {
    return Error{"standard input (-) can be read only once", ""};
  }
  auto one = filter_of(filter, words);
  if (!one) return Error{one.error().message, one.error().hint + " A word that is no file starts the filter."};
  inputs.filter = std::move(one.value());
  return inputs;
}

}  // namespace rocetop::cli
