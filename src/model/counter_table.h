// SPDX-License-Identifier: BSD-3-Clause
// The one table of what drivers call their counters: which standard metric a name is, in which unit it counts, and when
// it starts again. For ports of RDMA devices (sysfs) and for the statistics of network interfaces (ethtool). What is
// not in the table is shown under the driver's own name and no claim is made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rocetop::model {

/// Whose file of the kernel says what the name means.
enum class CounterSource : std::uint8_t { kCore, kMlx5, kBnxtRe, kIrdma, kRxe, kMana, kEfa };
std::string_view driver_name(CounterSource source);  ///< "mlx5"
std::string_view kernel_file(CounterSource source);  ///< "drivers/infiniband/hw/mlx5/counters.c"

enum class AdapterMetric : std::uint8_t {
  kReceivedBytes,
  kTransmittedBytes,
  kReceivedPackets,
  kTransmittedPackets,
  kCnpSent,
  kCnpHandled,
  kEcnMarked,
  kOutOfSequence,
  kSequenceNaksReceived,
  kTimeouts,
  kRnrNaksReceived,
  kRnrNaksSent,
  kRetransmitted,
  kBadIcrc,
  kTransmitWait,
  kError,  ///< an error of its own, by the driver's name
  kOther,  ///< a counter of its own, by the driver's name
  kLevel,  ///< no counter: may fall
  kNone,   ///< not of the traffic at all
};
inline constexpr std::size_t kStandardMetrics = static_cast<std::size_t>(AdapterMetric::kError);

/// What of the wire a counter should have to do with.
enum class OnWire : std::uint8_t { kNothing, kCe, kCnp, kMissing, kNak, kRnr, kResent, kBadIcrc };

/// How a counter ends: 64 bits never do.
enum class CounterEnd : std::uint8_t {
  kNever,
  kWraps32,  ///< starts again from 0 after 4,294,967,295
  kStops,    ///< stays at its largest value until somebody resets it
};

struct AdapterCounterMeaning {
  std::string_view name;
  CounterSource source;
  AdapterMetric metric;
  /// Of several names that are the same metric, those of the lowest rank that a port has count, added up.
  std::uint8_t rank = 1;
  std::uint8_t factor = 1;  ///< of the metric's unit
  CounterEnd end = CounterEnd::kNever;
  OnWire on_wire = OnWire::kNothing;
  std::string_view note = {};  ///< what the name does not say
};

std::span<const AdapterCounterMeaning> adapter_counters();
/// Nothing for a name that is not in the table. Names that several drivers use mean the same in all of them.
const AdapterCounterMeaning* adapter_counter(std::string_view name);

enum class InterfaceMetric : std::uint8_t { kPauseFrames, kPauseSeconds, kDiscards };
inline constexpr std::size_t kInterfaceMetrics = 3;

struct InterfaceCounterMeaning {
  std::string_view name;  ///< '#' stands for the priority, 0 to 7; without one it is the link's
  std::string_view driver;
  InterfaceMetric metric;
  bool sent = false;      ///< by this machine
  std::uint8_t rank = 1;  ///< as for adapters; the kernel's standard pause statistics have rank 1
  double factor = 1;      ///< of the metric's unit
  std::string_view note = {};
};
inline constexpr std::uint8_t kStandardPauseRank = 1;
inline constexpr std::uint8_t kLink = 8;  ///< instead of a priority

std::span<const InterfaceCounterMeaning> interface_counters();

struct InterfaceCounter {
  const InterfaceCounterMeaning* meaning = nullptr;
  std::uint8_t priority = kLink;
};
std::optional<InterfaceCounter> interface_counter(std::string_view name);
/// The kernel's file that names an interface driver's statistics.
std::string_view ethtool_file(std::string_view driver);

}  // namespace rocetop::model
