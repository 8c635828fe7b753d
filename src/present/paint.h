// SPDX-License-Identifier: BSD-3-Clause
// How text may look: its width, whether it has colour, whether it may leave ASCII. Colour never carries meaning alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rocetop::present {

enum class Tone : std::uint8_t { kPlain, kStrong, kQuiet, kGood, kInfo, kWarning, kCritical };

struct TextStyle {
  std::size_t width = 80;  ///< cells
  bool colour = false;     ///< ANSI escape sequences
  bool unicode = true;
};

/// `text` (cleaned) in the colour of `tone`, or as it is.
std::string paint(const TextStyle& style, Tone tone, std::string_view text);

/// A piece of a paragraph; breaks only at spaces.
struct Span {
  std::string text;
  Tone tone = Tone::kPlain;
};

/// The spans as one paragraph, wrapped to the style's width, each line ended; lines after the first start with `indent`
/// spaces, the first continues after `first_used` cells already written.
std::string paragraph(const TextStyle& style, const std::vector<Span>& spans, std::size_t first_used,
                      std::size_t indent);

}  // namespace rocetop::present
