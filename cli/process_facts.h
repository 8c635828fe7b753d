// SPDX-License-Identifier: BSD-3-Clause
// What the kernel says of this process: the numbers that Prometheus' client libraries export as process_*.
#pragma once

#include <cstdint>
#include <optional>

namespace rocetop::cli {

struct ProcessFacts {
  std::optional<double> start_time_s;  ///< since the epoch
  std::optional<double> cpu_s;         ///< user and system, all threads
  std::optional<std::uint64_t> resident_bytes;
  std::optional<std::uint64_t> open_fds;
  std::optional<std::uint64_t> fds_most;
};

/// From /proc/self (proc(5)); what cannot be read is left out.
ProcessFacts read_process_facts();

}  // namespace rocetop::cli
