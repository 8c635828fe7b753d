// SPDX-License-Identifier: BSD-3-Clause
#include "source/live_interfaces.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
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

/// By interface of this namespace; getifaddrs() has them in 32 bits only.
std::map<std::string, std::uint64_t> bytes_moved() {
  constexpr std::size_t kReceived = 0;  // columns of /proc/net/dev
  constexpr std::size_t kSent = 8;
  std::map<std::string, std::uint64_t> out;
  std::ifstream file("/proc/self/net/dev");
  for (std::string line; std::getline(file, line) && out.size() < kEntriesMost;) {
    const std::size_t colon = line.rfind(':');
    if (colon == std::string::npos) continue;  // a heading
    std::istringstream columns(line.substr(colon + 1));
    std::array<std::uint64_t, kSent + 1> values{};
    for (std::uint64_t& value : values) columns >> value;
    const std::size_t begin = line.find_first_not_of(' ');
    if (columns) out[line.substr(begin, colon - begin)] = values[kReceived] + values[kSent];
  }
  return out;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

/// Of `devices`, those of the interface; as rdma_devices_of().
std::vector<std::string> names_for(const std::string& interface, const std::vector<RdmaDevice>& devices,
                                   const std::string& sysfs, unsigned index) {
  std::vector<std::string> names;
  for (const RdmaDevice& device : devices) {
    if (std::find(device.interfaces.begin(), device.interfaces.end(), interface) != device.interfaces.end()) {
      names.push_back(device.name);
    }
  }
  if (names.empty() || index == 0) return names;
  const auto shown = number_in(fs::path(sysfs) / "class" / "net" / interface / "ifindex");
  if (shown && *shown != index) names.clear();
  return names;
}

std::vector<std::string> names_of(const std::vector<Candidate>& candidates) {
  std::vector<std::string> names;
  names.reserve(candidates.size());
  for (const Candidate& candidate : candidates) names.push_back(candidate.name);
  return names;
}

/// The bond, or bridge, that the interface is a part of; empty if of none.
std::string bond_of(const std::string& interface, const std::string& sysfs) {
  std::error_code error;
  return fs::read_symlink(fs::path(sysfs) / "class" / "net" / interface / "master", error).filename().string();
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

bool is_rdma_device(const std::string& name, const std::string& sysfs) {
  std::error_code error;
  return !name.empty() && name.find('/') == std::string::npos && fs::exists(rdma_folder(sysfs) / name, error);
}

std::vector<NetworkInterface> network_interfaces() {
  std::vector<NetworkInterface> out;
  const auto bytes = bytes_moved();
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return out;
  for (const ifaddrs* at = list; at != nullptr && out.size() < kEntriesMost; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_PACKET) continue;  // one for each interface
    NetworkInterface& interface = out.emplace_back();
    interface.name = at->ifa_name;
    interface.index = if_nametoindex(at->ifa_name);
    interface.up = (at->ifa_flags & IFF_UP) != 0 && (at->ifa_flags & IFF_RUNNING) != 0;
    interface.loopback = (at->ifa_flags & IFF_LOOPBACK) != 0;
    const auto found = bytes.find(interface.name);
    if (found != bytes.end()) interface.bytes = found->second;
  }
  ::freeifaddrs(list);
  return out;
}

std::vector<std::string> rdma_devices_of(const std::string& interface, const std::string& sysfs, unsigned index) {
  return names_for(interface, rdma_devices(sysfs), sysfs, index);
}

Result<InterfaceChoice> choose_interface(const std::vector<NetworkInterface>& interfaces, const std::string& sysfs) {
  const std::vector<RdmaDevice> devices = rdma_devices(sysfs);
  std::vector<Candidate> candidates;
  for (const NetworkInterface& interface : interfaces) {
    if (interface.loopback || !interface.up) continue;
    candidates.push_back({interface.name, names_for(interface.name, devices, sysfs, interface.index), interface.bytes});
  }
  if (candidates.empty()) return Error{"no network interface is up", "Name one with -i, or read a capture with -r."};
  const auto best = std::max_element(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    if (a.devices.empty() != b.devices.empty()) return a.devices.size() < b.devices.size();
    return a.bytes < b.bytes;
  });
  if (!best->devices.empty()) {
    InterfaceChoice choice{best->name, "it is up and has the RDMA device " + list_of(best->devices), {}};
    for (const Candidate& other : candidates) {
      if (!other.devices.empty() && other.name != best->name) choice.passed_over.push_back(other.name);
    }
    return choice;
  }
  if (candidates.size() == 1) {
    return InterfaceChoice{best->name, "no interface has an RDMA device, and it is the only one that is up", {}};
  }
  return InterfaceChoice{
      best->name, "no interface has an RDMA device, and of those that are up it moved most bytes", {}};
}

namespace {

/// Those with an RDMA device, without what is part of a bond that is one of them.
std::vector<Candidate> with_rdma(const std::vector<NetworkInterface>& interfaces, const std::string& sysfs) {
  const std::vector<RdmaDevice> devices = rdma_devices(sysfs);
  std::vector<Candidate> found;
  for (const NetworkInterface& interface : interfaces) {
    if (interface.loopback) continue;
    auto names = names_for(interface.name, devices, sysfs, interface.index);
    if (!names.empty()) found.push_back({interface.name, std::move(names), interface.bytes});
  }
  // What passes a part of a bond passes the bond as well. One that is a part itself is none, whatever /sys says.
  const auto has_bond = [&, names = names_of(found)](const Candidate& candidate) {
    const std::string bond = bond_of(candidate.name, sysfs);
    return std::find(names.begin(), names.end(), bond) != names.end() && bond_of(bond, sysfs).empty();
  };
  std::erase_if(found, has_bond);
  return found;
}

}  // namespace

std::vector<std::string> unwatched_interfaces(const std::vector<std::string>& watched,
                                              const std::vector<NetworkInterface>& interfaces,
                                              const std::string& sysfs) {
  std::vector<std::string> names = names_of(with_rdma(interfaces, sysfs));
  std::erase_if(
      names, [&](const std::string& name) { return std::find(watched.begin(), watched.end(), name) != watched.end(); });
  std::sort(names.begin(), names.end());
  return names;
}

Result<InterfaceChoices> choose_interfaces(const std::vector<NetworkInterface>& interfaces, const std::string& sysfs) {
  std::vector<Candidate> found = with_rdma(interfaces, sysfs);
  if (found.empty()) {
    auto one = choose_interface(interfaces, sysfs);
    if (!one) return one.error();
    return InterfaceChoices{{one->name}, one->reason};
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  std::vector<std::string> left_out;
  for (std::size_t i = kChoicesMost; i < found.size(); ++i) left_out.push_back(found[i].name);
  found.resize(std::min(found.size(), kChoicesMost));
  std::vector<std::string> devices;
  for (const Candidate& candidate : found) {
    for (const std::string& device : candidate.devices) add_once(devices, device);
  }
  std::sort(devices.begin(), devices.end());
  InterfaceChoices out{names_of(found), ""};
  std::sort(out.names.begin(), out.names.end());
  out.reason = (out.names.size() == 1 ? "it has the RDMA device" : "they have the RDMA devices");
  if (out.names.size() == 1 && devices.size() > 1) out.reason += "s";
  out.reason += " " + list_of(devices);
  if (!left_out.empty()) {
    out.reason += "; " + std::to_string(kChoicesMost) + " are watched unless -i names them, so not " +
                  list_of(left_out) + ", which moved less";
  }
  return out;
}

BypassWatch::BypassWatch(const std::string& interface, std::string sysfs)
    : sysfs_(std::move(sysfs)), devices_(rdma_devices_of(interface, sysfs_, if_nametoindex(interface.c_str()))) {}

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
