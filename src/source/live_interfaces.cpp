// SPDX-License-Identifier: BSD-3-Clause
#include "source/live_interfaces.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

namespace rocetop::source {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kEntriesMost = 4'096;  // of a folder: more are no interfaces of a real machine

/// The first word of a file; empty if there is none.
std::string word_in(const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

std::optional<std::uint64_t> number_in(const fs::path& path) {
  const std::string word = word_in(path);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end && names.size() < kEntriesMost;
       at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void add_once(std::vector<std::string>& list, const std::string& name) {
  if (!name.empty() && std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

fs::path rdma_folder(const std::string& sysfs) { return fs::path(sysfs) / "class" / "infiniband"; }

struct Candidate {
  std::string name;
  std::vector<std::string> devices;  // of RDMA
  std::uint64_t bytes = 0;
};

constexpr std::uint64_t kIffUp = 0x1;  // <linux/if.h>
constexpr std::uint64_t kIffLoopback = 0x8;

std::uint64_t flags_of(const fs::path& interface) {
  const std::string word = word_in(interface / "flags");  // "0x1003"
  std::uint64_t flags = 0;
  if (word.starts_with("0x")) std::from_chars(word.data() + 2, word.data() + word.size(), flags, 16);
  return flags;
}

bool is_up(const fs::path& interface) {
  const std::string state = word_in(interface / "operstate");
  return (flags_of(interface) & kIffUp) != 0 && (state == "up" || state == "unknown");
}

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

std::vector<RdmaDevice> rdma_devices(const std::string& sysfs) {
  std::vector<RdmaDevice> devices;
  for (const std::string& name : names_in(rdma_folder(sysfs))) {
    const fs::path folder = rdma_folder(sysfs) / name;
    RdmaDevice device{name, names_in(folder / "device" / "net")};
    add_once(device.interfaces, word_in(folder / "parent"));  // Soft-RoCE has no device of its own
    for (const std::string& port : names_in(folder / "ports")) {
      add_once(device.interfaces, word_in(folder / "ports" / port / "gid_attrs" / "ndevs" / "0"));
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

std::optional<std::uint64_t> rdma_packets(const std::string& device, const std::string& sysfs) {
  // mlx5 and others; bnxt_re; irdma.
  constexpr std::array<std::string_view, 8> kCounters = {
      "counters/port_rcv_packets", "counters/port_xmit_packets", "hw_counters/rx_pkts",   "hw_counters/tx_pkts",
      "hw_counters/ip4InPkts",     "hw_counters/ip4OutPkts",     "hw_counters/ip6InPkts", "hw_counters/ip6OutPkts"};
  std::optional<std::uint64_t> sum;
  const fs::path ports = rdma_folder(sysfs) / device / "ports";
  for (const std::string& port : names_in(ports)) {
    for (const std::string_view counter : kCounters) {
      if (const auto packets = number_in(ports / port / counter)) sum = sum.value_or(0) + *packets;
    }
  }
  return sum;
}

std::vector<std::string> rdma_devices_of(const std::string& interface, const std::string& sysfs) {
  std::vector<std::string> names;
  for (const RdmaDevice& device : rdma_devices(sysfs)) {
    if (std::find(device.interfaces.begin(), device.interfaces.end(), interface) != device.interfaces.end()) {
      names.push_back(device.name);
    }
  }
  return names;
}

Result<InterfaceChoice> choose_interface(const std::string& sysfs) {
  const fs::path folder = fs::path(sysfs) / "class" / "net";
  std::vector<Candidate> candidates;
  for (const std::string& name : names_in(folder)) {
    const fs::path interface = folder / name;
    if ((flags_of(interface) & kIffLoopback) != 0 || !is_up(interface)) continue;
    candidates.push_back({name, rdma_devices_of(name, sysfs),
                          number_in(interface / "statistics" / "rx_bytes").value_or(0) +
                              number_in(interface / "statistics" / "tx_bytes").value_or(0)});
  }
  if (candidates.empty()) return Error{"no network interface is up", "Name one with -i, or read a capture with -r."};
  const auto best = std::max_element(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    if (a.devices.empty() != b.devices.empty()) return a.devices.size() < b.devices.size();
    return a.bytes < b.bytes;
  });
  if (!best->devices.empty()) {
    return InterfaceChoice{best->name, "it is up and has the RDMA device " + list_of(best->devices)};
  }
  if (candidates.size() == 1) {
    return InterfaceChoice{best->name, "no interface has an RDMA device, and it is the only one that is up"};
  }
  return InterfaceChoice{best->name, "no interface has an RDMA device, and of those that are up it moved most bytes"};
}

BypassWatch::BypassWatch(const std::string& interface, std::string sysfs)
    : sysfs_(std::move(sysfs)), devices_(rdma_devices_of(interface, sysfs_)) {}

std::optional<std::uint64_t> BypassWatch::packets() const {
  std::optional<std::uint64_t> sum;
  for (const std::string& device : devices_) {
    if (const auto packets = rdma_packets(device, sysfs_)) sum = sum.value_or(0) + *packets;
  }
  return sum;
}

void BypassWatch::look(std::uint64_t roce_frames, Nanos now) {
  if (devices_.empty()) return;
  const auto counted = packets();
  if (!counted) return;
  if (!begun_ || roce_frames != frames_ || *counted < counted_.value_or(0)) {
    begun_ = true;
    suspected_ = false;
    frames_ = roce_frames;
    counted_ = counted;
    since_ = now;
    return;
  }
  suspected_ = *counted - *counted_ >= kPackets && now - since_ >= kTime;
}

}  // namespace rocetop::source
