// SPDX-License-Identifier: BSD-3-Clause
#include "present/packed_column.h"

#include <algorithm>
#include <string_view>

namespace rocetop::present {
namespace {

std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8 | (j < n ? bytes[i + j] : 0u);
    for (std::size_t j = 0; j < 4; ++j) text += j <= n ? kAlphabet[group >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

void append_varint(std::vector<std::uint8_t>& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
  bytes.push_back(static_cast<std::uint8_t>(value));
}

}  // namespace

std::string packed_column(const std::vector<std::int64_t>& values) {
  if (values.empty()) return "=0";
  const auto differs = [&](std::int64_t v) { return v != values.front(); };
  if (std::none_of(values.begin(), values.end(), differs)) return "=" + std::to_string(values[0]);
  std::vector<std::uint8_t> bytes;
  std::uint64_t previous = 0;
  for (const std::int64_t v : values) {
    const std::uint64_t difference = static_cast<std::uint64_t>(v) - previous;  // wraps around, and back when read
    const std::uint64_t sign = (difference >> 63) != 0 ? ~std::uint64_t{0} : 0;
    append_varint(bytes, difference << 1 ^ sign);
    previous = static_cast<std::uint64_t>(v);
  }
  return base64(bytes);
}

}  // namespace rocetop::present
