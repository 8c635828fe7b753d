// SPDX-License-Identifier: BSD-3-Clause
#include "source/input_name.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace rocetop::source {
namespace {

constexpr std::size_t kLongestName = 256;

/// Length of the printable UTF-8 character at the front of `text`; 0 if it is not one. C1 controls (U+0080 to U+009F)
/// and the bidirectional controls (U+200E/F, U+202A to U+202E, U+2066 to U+2069), which reorder what a terminal shows,
/// count as not printable.
std::size_t printable_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7F && byte(0) != '\\' ? 1 : 0;
  std::size_t length = 0;
  if (byte(0) >= 0xC2 && byte(0) <= 0xDF) length = 2;
  if ((byte(0) & 0xF0) == 0xE0) length = 3;
  if (byte(0) >= 0xF0 && byte(0) <= 0xF4) length = 4;
  if (length == 0) return 0;
  std::uint32_t code = byte(0) & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (!follows(i)) return 0;
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool control = code < 0xA0 || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
                       (code >= 0x2066 && code <= 0x2069);
  return overlong || surrogate || control || code > 0x10FFFF ? 0 : length;
}

}  // namespace

std::string input_name(std::string_view path) {
  if (path == "-") return "standard input";
  if (path.empty()) return "\"\"";
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name;
  while (!path.empty()) {
    if (name.size() >= kLongestName) return name + "…";
    const std::size_t length = printable_length(path);
    if (length == 0) {
      const auto value = static_cast<std::uint8_t>(path.front());
      name += {'\\', 'x', kDigits[value >> 4], kDigits[value & 0xF]};
      path.remove_prefix(1);
    } else {
      name += path.substr(0, length);
      path.remove_prefix(length);
    }
  }
  return name;
}

std::string input_names(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + input_name(name);
  return out;
}

const std::string* written_over(const std::string& path, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;  // what cannot be compared, a pipe or a file that is not there, is another file
    if (std::filesystem::equivalent(input == "-" ? "/dev/stdin" : input, path, ignored)) return &input;
  }
  return nullptr;
}

}  // namespace rocetop::source
