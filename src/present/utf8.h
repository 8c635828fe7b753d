// SPDX-License-Identifier: BSD-3-Clause
// UTF-8 read one code point at a time, for text that comes from files and may be anything (RFC 3629).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rocetop::present {

inline constexpr char32_t kReplacement = 0xFFFD;

struct CodePoint {
  char32_t value = kReplacement;
  std::size_t bytes = 1;  ///< consumed
};

/// The first code point of `text` (not empty). Ill-formed, overlong, surrogate or too large: U+FFFD for the bytes that
/// could not belong to a character.
CodePoint first_code_point(std::string_view text);

void append_utf8(std::string& out, char32_t c);

/// Not for a terminal: C0 and C1 controls, DEL, line and paragraph separators, and what turns the writing direction.
bool is_control(char32_t c);

}  // namespace rocetop::present
