// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/plan_values.h"

#include <algorithm>
#include <charconv>

namespace rocetop::generate::sim {
namespace {

constexpr std::uint64_t kLeastRate = 1'000'000;
constexpr std::uint64_t kMostRate = 1'000'000'000'000;
constexpr std::size_t kNamesMost = 1'024;
constexpr std::size_t kLongestName = 32;

/// A number with one letter behind it, of "kmgt"; nothing if it is not one.
std::optional<std::uint64_t> scaled(std::string_view text, std::uint64_t unit) {
  std::uint64_t factor = 1;
  if (!text.empty()) {
    const std::size_t letter = std::string_view("kmgt").find(text.back());
    if (letter != std::string_view::npos) {
      for (std::size_t i = 0; i <= letter; ++i) factor *= unit;
      text.remove_suffix(1);
    }
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > 0xFFFF'FFFF) return std::nullopt;
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(value, factor, &product)) return std::nullopt;
  return product;
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && text.size() <= kLongestName && letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

struct Numbered {
  std::string_view stem;
  std::uint32_t number = 0;
};

std::optional<Numbered> numbered(std::string_view name) {
  std::size_t stem = name.size();
  while (stem > 0 && name[stem - 1] >= '0' && name[stem - 1] <= '9') --stem;
  Numbered out{name.substr(0, stem)};
  const auto [end, error] = std::from_chars(name.data() + stem, name.data() + name.size(), out.number);
  if (error != std::errc{} || out.stem.empty()) return std::nullopt;
  return out;
}

/// "s1-s8", or one name.
bool add_names(std::string_view part, std::vector<std::string>& names) {
  const std::size_t dash = part.find('-');
  if (dash == std::string_view::npos) {
    names.emplace_back(part);
    return is_name(part);
  }
  const auto first = numbered(part.substr(0, dash));
  const auto last = numbered(part.substr(dash + 1));
  if (!first || !last || first->stem != last->stem || !is_name(part.substr(0, dash))) return false;
  if (last->number < first->number || last->number - first->number >= kNamesMost) return false;
  for (std::uint32_t i = first->number; i <= last->number; ++i) {
    names.push_back(std::string(first->stem) + std::to_string(i));
  }
  return true;
}

}  // namespace

Result<std::uint64_t> parse_rate(const Word& word) {
  const auto rate = scaled(word.text, 1'000);
  if (!rate || *rate < kLeastRate || *rate > kMostRate) {
    return error_at(word, "a rate from 1m to 1t (bits a second), such as 25g, is expected");
  }
  return *rate;
}

Result<std::uint64_t> parse_bytes(const Word& word, std::uint64_t most) {
  const auto bytes = scaled(word.text, 1'024);
  if (!bytes || *bytes > most) return error_at(word, "bytes, such as 1500, 64k or 1m, at most " + std::to_string(most));
  return *bytes;
}

Result<double> parse_share(const Word& word) {
  std::string_view text = word.text;
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (percent) value /= 100;
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value <= 1)) {
    return error_at(word, "a share from 0 to 1, or from 0% to 100%, is expected");
  }
  return value;
}

Result<std::vector<std::string>> parse_names(const Word& word) {
  std::vector<std::string> names;
  std::string_view rest = word.text;
  while (names.size() <= kNamesMost) {
    const std::string_view part = rest.substr(0, rest.find(','));
    if (!add_names(part, names)) {
      return error_at(word, "names, such as a, b1 or s1-s8, with commas between them, are expected");
    }
    if (part.size() == rest.size()) return names;
    rest.remove_prefix(part.size() + 1);
  }
  return error_at(word, "more than " + std::to_string(kNamesMost) + " names");
}

}  // namespace rocetop::generate::sim
