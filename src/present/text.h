// SPDX-License-Identifier: BSD-3-Clause
// Text for terminals: cleaning what comes from files, measuring it in cells, wrapping it, and numbers as people read
// them. Knows nothing of RDMA, and nothing of the locale: numbers look the same everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/nanos.h"

namespace rocetop::present {

/// `text` without anything that could move a cursor: control characters as \x1b or \u202e, ill-formed UTF-8 as U+FFFD.
/// Without `unicode` what is not ASCII is spelt in ASCII ("→" as "->", "µs" as "us") or becomes "?".
std::string clean(std::string_view text, bool unicode);

/// Terminal cells that cleaned text takes: 2 for wide East Asian characters and emoji, 0 for combining marks.
std::size_t cells(std::string_view text);

/// `text` cut to `width` cells, its end replaced by an ellipsis if it was longer.
std::string fit(std::string_view text, std::size_t width, bool unicode);

/// Lines of at most `width` cells, broken at spaces; a word that is longer than a line is cut. Line feeds in `text` end
/// a line. `text` must not have been cleaned yet: the lines are. At least one line, possibly empty.
std::vector<std::string> wrap(std::string_view text, std::size_t width, bool unicode);

/// `text` (cleaned) in pieces of at most `width` cells, cut after a comma, semicolon or slash if one is near.
std::vector<std::string> pieces(std::string_view text, std::size_t width);

/// No-break spaces where a line break would part what is read as one: "qp 17", "44.1 ms", "port 4791", "64.5 %".
/// `wrap` and `paragraph` do not break there and write ordinary spaces.
std::string keep_together(std::string_view text);

std::string pad_left(std::string_view text, std::size_t width);   ///< right-aligned
std::string pad_right(std::string_view text, std::size_t width);  ///< left-aligned

std::string short_count(std::uint64_t number);  ///< "9,999", "15.8k", "1.58M": at most five cells
std::string bytes_text(std::uint64_t bytes);    ///< "812 B", "1.32 MB", powers of 1000
std::string rate_text(double bits_per_second);  ///< "9.41 Gb/s"
std::string percent(double ratio);              ///< "1.3 %"; "<0.1 %" for what is not zero; never "100 %" unless it is

}  // namespace rocetop::present
