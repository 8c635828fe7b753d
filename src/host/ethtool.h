// SPDX-License-Identifier: BSD-3-Clause
// What the kernel says of a network interface through ethtool: the statistics of its driver (ioctl SIOCETHTOOL with
// ETHTOOL_GSSET_INFO, ETHTOOL_GSTRINGS and ETHTOOL_GSTATS; linux/ethtool.h) and the standard pause statistics (generic
// netlink, ETHTOOL_MSG_PAUSE_GET with ETHTOOL_FLAG_STATS; linux/ethtool_netlink.h, Linux 5.9). Reads only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/adapters.h"

namespace rocetop::host {

struct PauseStatistics {
  std::optional<std::uint64_t> received;
  std::optional<std::uint64_t> sent;
};

/// An answer, or why there is none: not supported is no failure.
template <typename T>
struct EthtoolAnswer {
  T value;
  bool failed = false;
};

class Ethtool {
 public:
  virtual ~Ethtool() = default;
  /// All statistics of the driver, in its order; none where it has none.
  virtual EthtoolAnswer<std::vector<model::AdapterCounter>> statistics(const std::string& interface) = 0;
  virtual EthtoolAnswer<PauseStatistics> pause(const std::string& interface) = 0;
};

/// The kernel's. Its sockets belong to the network namespace of the thread that makes it.
std::unique_ptr<Ethtool> kernel_ethtool();

/// An ioctl on the interface of that name: 0, or an errno. `data` begins with the command (a uint32_t).
using EthtoolCall = std::function<int(const std::string& interface, void* data)>;

/// The three calls that statistics take. At most 8,192 of them; counts that do not fit each other fail.
EthtoolAnswer<std::vector<model::AdapterCounter>> driver_statistics(const std::string& interface,
                                                                    const EthtoolCall& call);

/// A netlink request as it goes to the kernel, for the family `family` (its number).
std::vector<std::byte> pause_request(const std::string& interface, std::uint16_t family, std::uint32_t sequence);
/// The kernel's answer to it, which may be anything.
EthtoolAnswer<PauseStatistics> parse_pause_answer(std::span<const std::byte> answer, std::uint16_t family,
                                                  std::uint32_t sequence);

}  // namespace rocetop::host
