// SPDX-License-Identifier: BSD-3-Clause
// Which words of the command line are capture files and which are the filter, as tcpdump's users expect it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace rocetop::cli {

struct Inputs {
  std::vector<std::string> files;
  std::string filter;  ///< BPF expression, empty for none
};

/// What the command line gave, before sorting.
struct Words {
  std::vector<std::string> plain;         ///< FILE… [FILTER…]
  std::vector<std::string> after_dashes;  ///< behind "--": the filter
  std::vector<std::string> read_files;    ///< of -r: then all plain words are the filter
  std::string filter_option;              ///< of -f
};

using Exists = std::function<bool(const std::string&)>;

/// The first word is a file. Later words are files as long as they exist (or are "-"); the first that does not starts
/// the filter. A word that looks like a path is taken for a file all the same, so that a misspelt name is reported as
/// one. Errors: no file, two filters, "-" twice.
Result<Inputs> sort_words(const Words& words, const Exists& exists);

/// The filter: of -f, behind "--", or `last_words`. Error: more than one.
Result<std::string> filter_of(const std::vector<std::string>& last_words, const Words& words);
/// … where all plain words are the filter.
inline Result<std::string> filter_of(const Words& words) { return filter_of(words.plain, words); }

/// Has a "/" or the ending of a capture file, and no space.
bool looks_like_a_path(std::string_view word);

bool file_exists(const std::string& path);

}  // namespace rocetop::cli
