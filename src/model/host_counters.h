// SPDX-License-Identifier: BSD-3-Clause
// One reading of this machine's own counters: its RDMA ports, its network interfaces, and what could not be read. Plain
// data as the kernel gave it; what the names mean is in model/counter_table.h. All text in it is untrusted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/adapters.h"

namespace rocetop::model {

/// Why something is missing from a reading. What the machine does not have (no such folder, a driver without
/// statistics, "N/A") is no error.
enum class HostReadError : std::uint8_t {
  kFile,        ///< a file or folder of sysfs that is there and would not be read
  kValue,       ///< a counter's file whose content is no number
  kLimit,       ///< more devices, ports, counters or interfaces than are read
  kTime,        ///< the reading took too long, the rest was left out
  kStatistics,  ///< an interface's driver would not give its statistics
  kPause,       ///< an interface's driver would not give its pause statistics
};
inline constexpr std::size_t kHostReadErrors = 6;
std::string_view word(HostReadError error);  ///< "adapter_file"

struct HostReadErrors {
  std::array<std::uint64_t, kHostReadErrors> of{};

  void add(HostReadError error, std::uint64_t times = 1) { of[static_cast<std::size_t>(error)] += times; }
  void add(const HostReadErrors& more) {
    for (std::size_t i = 0; i < kHostReadErrors; ++i) of[i] += more.of[i];
  }
};

/// A network interface and those of its driver's statistics that the table of counters knows.
struct NetworkInterface {
  std::string name;    ///< "eth0"
  std::string driver;  ///< "mlx5_core"; empty if the kernel does not say
  std::vector<AdapterCounter> counters;
  std::optional<std::uint64_t> pause_frames_received;  ///< standard statistics of the kernel: IEEE 802.3 PAUSE
  std::optional<std::uint64_t> pause_frames_sent;
};

struct HostReading {
  std::vector<AdapterPort> ports;
  std::vector<NetworkInterface> interfaces;
  HostReadErrors errors;  ///< since the reader began
};

}  // namespace rocetop::model
