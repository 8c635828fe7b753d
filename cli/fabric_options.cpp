// SPDX-License-Identifier: BSD-3-Clause
#include "fabric_options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <fstream>
#include <iterator>

#include "options.h"
#include "verdict/expectations.h"

namespace rocetop::cli {
namespace {

constexpr std::size_t kExpectationsMost = 1 << 16;  // bytes of a file; a fabric is described in a few lines

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error{"--expect " + path + ": no such file, and no expectation",
                 "Give a file, or for example dscp=26,cnp-dscp=48,ecn=on,mtu=4096,port=4791."};
  }
  std::string text(kExpectationsMost + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (file.bad()) return Error{"--expect " + path + ": cannot be read", ""};
  if (text.size() > kExpectationsMost) return Error{"--expect " + path + ": too long for a list of expectations", ""};
  return text;
}

}  // namespace

void add_fabric_options(CLI::App& command, FabricOptions& options) {
  const std::string group = "The fabric";
  command
      .add_option("--expect", options.expect,
                  "How it is meant to be: a file, or dscp=26,cnp-dscp=48,ecn=on,mtu=4096,port=4791,priority=3,"
                  "protocol=rocev2. What differs is a finding (expect.violated)")
      ->type_name("WHAT")
      ->check(not_empty())
      ->group(group);
  command
      .add_option("--link-speed", options.link_speed,
                  "Speed of the captured link, for the time that pause frames take: 100G. Default: what the capture "
                  "says, if it does")
      ->type_name("SPEED")
      ->group(group);
}

Result<std::uint64_t> parse_link_speed(std::string_view text) {
  const Error wrong{"--link-speed " + std::string(text) + ": not a speed", "Give for example 100G, 400Gb/s or 2500M."};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !(value > 0)) return wrong;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  double factor = 1;
  if (!unit.empty()) {
    constexpr std::string_view kUnits = "kMGT";
    const auto exponent = unit[0] == 'm' || unit[0] == 'g' || unit[0] == 't'
                              ? kUnits.find(static_cast<char>(unit[0] - 'a' + 'A'))
                              : kUnits.find(unit[0]);
    if (exponent != std::string_view::npos) {
      for (std::size_t i = 0; i <= exponent; ++i) factor *= 1000;
      unit.remove_prefix(1);
    }
    if (!unit.empty() && unit != "b/s" && unit != "bps" && unit != "bit/s" && unit != "b" && unit != "bit")
      return wrong;
  }
  const double speed = value * factor;
  constexpr double kLeast = 1e6;
  constexpr double kMost = 1e14;
  if (speed < kLeast || speed > kMost) return wrong;
  return static_cast<std::uint64_t>(speed);
}

Result<Done> apply(const FabricOptions& options, engine::Options& to) {
  if (!options.link_speed.empty()) {
    const auto speed = parse_link_speed(options.link_speed);
    if (!speed) return speed.error();
    to.link_speed = speed.value();
  }
  if (options.expect.empty()) return Done{};
  std::string text = options.expect;
  if (text.find('=') == std::string::npos) {
    auto file = read_file(text);
    if (!file) return file.error();
    text = std::move(file.value());
  }
  auto expectations = verdict::parse_expectations(text);
  if (!expectations) return Error{"--expect: " + expectations.error().message, expectations.error().hint};
  to.expectations = std::move(expectations.value());
  return Done{};
}

}  // namespace rocetop::cli
