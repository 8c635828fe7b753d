// SPDX-License-Identifier: BSD-3-Clause
#include "host/adapters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

namespace rocetop::host {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDevices = 64;
constexpr std::size_t kPorts = 16;
constexpr std::size_t kCounters = 256;
constexpr std::size_t kLineBytes = 256;

/// The names in a folder, sorted; none if it cannot be read.
std::vector<std::string> names_in(const fs::path& folder, std::size_t most) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string());
    if (names.size() >= most * 4) break;
  }
  std::sort(names.begin(), names.end());
  if (names.size() > most) names.resize(most);
  return names;
}

/// The first line; nothing if it cannot be read.
std::optional<std::string> line_of(const fs::path& file) {
  std::ifstream in(file);
  std::array<char, kLineBytes> text{};
  if (!in || !(in.getline(text.data(), text.size()) || in.gcount() > 0)) return std::nullopt;
  return std::string(text.data());
}

std::optional<std::uint64_t> number(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || at != end) return std::nullopt;
  return value;
}

model::AdapterPort read_port(const fs::path& folder, const std::string& device, std::uint32_t port) {
  model::AdapterPort out;
  out.device = device;
  out.port = port;
  out.state = line_of(folder / "state").value_or("");
  out.rate = line_of(folder / "rate").value_or("");
  out.link_layer = line_of(folder / "link_layer").value_or("");
  out.interface = line_of(folder / "gid_attrs" / "ndevs" / "0").value_or("");
  for (const char* kind : {"hw_counters", "counters"}) {
    for (const std::string& name : names_in(folder / kind, kCounters)) {
      if (name == "lifespan" || out.counters.size() >= kCounters) continue;  // not a counter: how old they may be
      const auto text = line_of(folder / kind / name);
      const auto value = text ? number(*text) : std::nullopt;
      if (value) out.counters.push_back({name, *value});
    }
  }
  return out;
}

}  // namespace

std::vector<model::AdapterPort> read_adapters(const std::string& root) {
  std::vector<model::AdapterPort> out;
  for (const std::string& device : names_in(root, kDevices)) {
    const fs::path ports = fs::path(root) / device / "ports";
    for (const std::string& name : names_in(ports, kPorts)) {
      const auto port = number(name);
      if (port && *port <= 255) out.push_back(read_port(ports / name, device, static_cast<std::uint32_t>(*port)));
    }
  }
  return out;
}

}  // namespace rocetop::host
