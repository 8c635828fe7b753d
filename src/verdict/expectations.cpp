// SPDX-License-Identifier: BSD-3-Clause
#include "verdict/expectations.h"

#include <charconv>

namespace rocetop::verdict {
namespace {

constexpr std::string_view kHint =
    "Known: dscp=0..63, cnp-dscp=0..63, ecn=on|off, mtu=256|512|1024|2048|4096, port=1..65535, priority=0..7, "
    "protocol=rocev1|rocev2|veroce; "
    "separated by commas or lines, several values as dscp=26|24.";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// Text that is shown again must not drive a terminal.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, 60)) out += c >= 0x20 && c < 0x7F ? c : '?';
  return out + (text.size() > 60 ? "…'" : "'");
}

Error wrong(std::string_view entry) {
  return Error{"expectation " + quoted(entry) + " is not understood", std::string(kHint)};
}

std::optional<std::uint32_t> number(std::string_view text, std::uint32_t least, std::uint32_t most) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most) return std::nullopt;
  return value;
}

std::string_view next_piece(std::string_view& text, std::string_view separators) {
  const auto end = text.find_first_of(separators);
  const std::string_view piece = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return piece;
}

template <typename T>
bool add_numbers(std::string_view values, std::uint32_t least, std::uint32_t most, std::vector<T>& to) {
  if (values.ends_with('|')) return false;
  while (!values.empty()) {
    const auto value = number(trimmed(next_piece(values, "|")), least, most);
    if (!value) return false;
    to.push_back(static_cast<T>(*value));
  }
  return true;
}

bool add_protocols(std::string_view values, std::vector<wire::Protocol>& to) {
  if (values.ends_with('|')) return false;
  while (!values.empty()) {
    const std::string_view name = trimmed(next_piece(values, "|"));
    if (name == "veroce") {
      to.push_back(wire::Protocol::kVeroce);
    } else if (name == "rocev2") {
      to.push_back(wire::Protocol::kRoceV2);
    } else if (name == "rocev1") {
      to.push_back(wire::Protocol::kRoceV1);
    } else {
      return false;
    }
  }
  return true;
}

bool set(Expectations& e, std::string_view key, std::string_view value) {
  if (value.empty()) return false;
  if (key == "dscp") return add_numbers(value, 0, 63, e.data_dscps);
  if (key == "cnp-dscp") return add_numbers(value, 0, 63, e.cnp_dscps);
  if (key == "port") return add_numbers(value, 1, 65535, e.udp_ports);
  if (key == "priority") return add_numbers(value, 0, 7, e.priorities);
  if (key == "protocol") return add_protocols(value, e.protocols);
  if (key == "ecn") {
    e.ecn = value == "on";
    return value == "on" || value == "off";
  }
  if (key == "mtu") {
    e.path_mtu = number(value, 256, 4096);
    return e.path_mtu && (*e.path_mtu & (*e.path_mtu - 1)) == 0;
  }
  return false;
}

}  // namespace

Result<Expectations> parse_expectations(std::string_view text) {
  Expectations e;
  while (!text.empty()) {
    std::string_view line = next_piece(text, "\n");
    line = line.substr(0, line.find('#'));
    while (!line.empty()) {
      const std::string_view entry = trimmed(next_piece(line, ","));
      if (entry.empty()) continue;
      const auto equals = entry.find('=');
      if (equals == std::string_view::npos ||
          !set(e, trimmed(entry.substr(0, equals)), trimmed(entry.substr(equals + 1)))) {
        return wrong(entry);
      }
    }
  }
  if (!e.any()) return Error{"no expectation is given", std::string(kHint)};
  return e;
}

}  // namespace rocetop::verdict
