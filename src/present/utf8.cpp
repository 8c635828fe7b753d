// SPDX-License-Identifier: BSD-3-Clause
#include "present/utf8.h"

namespace rocetop::present {
namespace {

struct Lead {
  std::size_t length;  // 0: not a lead byte
  char32_t bits;
  char32_t least;  // smaller values are overlong
};

Lead lead(unsigned char c) {
  if (c < 0x80) return {1, c, 0};
  if (c >= 0xC2 && c <= 0xDF) return {2, char32_t(c & 0x1F), 0x80};
  if (c >= 0xE0 && c <= 0xEF) return {3, char32_t(c & 0x0F), 0x800};
  if (c >= 0xF0 && c <= 0xF4) return {4, char32_t(c & 0x07), 0x10000};
  return {0, 0, 0};
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const Lead l = lead(static_cast<unsigned char>(text[0]));
  if (l.length == 0) return {};
  char32_t value = l.bits;
  for (std::size_t i = 1; i < l.length; ++i) {
    if (i >= text.size() || (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return {kReplacement, i};
    value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < l.least || value > 0x10FFFF || surrogate) return {kReplacement, l.length};
  return {value, l.length};
}

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6);
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xE0000 && c <= 0xE007F);
}

}  // namespace rocetop::present
