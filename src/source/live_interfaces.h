// SPDX-License-Identifier: BSD-3-Clause
// What this machine's network interfaces and RDMA devices are, as far as live capture asks: which interface carries
// RoCE, and whether an adapter moves packets that the kernel never sees. Interfaces are those of this network
// namespace, as the kernel says; /sys tells of RDMA devices, and is believed where it is about the same interfaces, as
// in a namespace it may show those of the host. The root of /sys can be another folder, for tests. Names come from the
// kernel; they are not checked further.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/nanos.h"
#include "base/result.h"

namespace rocetop::source {

struct RdmaDevice {
  std::string name;                     ///< "mlx5_0"
  std::vector<std::string> interfaces;  ///< network interfaces of the same port
};

/// By name. None where the kernel has no RDMA, or shows none here.
std::vector<RdmaDevice> rdma_devices(const std::string& sysfs = "/sys");

/// Packets that the device itself counts, both directions, over all ports; nothing where it counts none.
std::optional<std::uint64_t> rdma_packets(const std::string& device, const std::string& sysfs = "/sys");

bool is_rdma_device(const std::string& name, const std::string& sysfs = "/sys");

/// A network interface of this namespace.
struct NetworkInterface {
  std::string name;
  unsigned index = 0;
  bool up = false;  ///< and running
  bool loopback = false;
  std::uint64_t bytes = 0;  ///< moved, both directions
};
std::vector<NetworkInterface> network_interfaces();

/// Names of the RDMA devices that belong to a network interface. None where /sys means another interface by that name:
/// its number there is not `index` (0: nothing to compare).
std::vector<std::string> rdma_devices_of(const std::string& interface, const std::string& sysfs = "/sys",
                                         unsigned index = 0);

struct InterfaceChoice {
  std::string name;
  std::string reason;                    ///< "it is up and has the RDMA device mlx5_0"
  std::vector<std::string> passed_over;  ///< others that are up and have one
};

/// The interface that carries RoCE: up, and with an RDMA device; else up, no loopback, and with traffic. Of several the
/// one that moved most bytes. Error: none is up.
Result<InterfaceChoice> choose_interface(const std::vector<NetworkInterface>& interfaces = network_interfaces(),
                                         const std::string& sysfs = "/sys");

struct InterfaceChoices {
  std::vector<std::string> names;
  std::string reason;  ///< "they have the RDMA devices mlx5_0, mlx5_1"
};

/// For who watches for ever: every interface with an RDMA device, also one that is down, but for the parts of a bond
/// that is one of them; at most kChoicesMost, those that moved most bytes. Where no interface has one, the choice of
/// choose_interface(). Error: as there.
Result<InterfaceChoices> choose_interfaces(const std::vector<NetworkInterface>& interfaces = network_interfaces(),
                                           const std::string& sysfs = "/sys");
/// Those with an RDMA device, but for the parts of a bond that is one of them, that are not among `watched`; by name.
std::vector<std::string> unwatched_interfaces(const std::vector<std::string>& watched,
                                              const std::vector<NetworkInterface>& interfaces = network_interfaces(),
                                              const std::string& sysfs = "/sys");
inline constexpr std::size_t kChoicesMost = 16;  // each takes a ring in the kernel; virtual functions may be hundreds

/// Notices that an RDMA device moves packets while none of them is captured: the adapter bypasses the kernel.
class BypassWatch {
 public:
  BypassWatch(const std::string& interface, std::string sysfs);

  const std::vector<std::string>& devices() const { return devices_; }
  /// Now and then: `roce_frames` captured so far.
  void look(std::uint64_t roce_frames, Nanos now);
  /// The device counted kPackets or more and kTime passed since a RoCE frame was captured, or the watch began.
  bool suspected() const { return suspected_; }

  static constexpr std::uint64_t kPackets = 64;  ///< more than management and keep-alives of a quiet second
  static constexpr Nanos kTime = seconds(2);     ///< capture delivers within a tenth of that

 private:
  std::optional<std::uint64_t> packets() const;

  std::string sysfs_;
  std::vector<std::string> devices_;
  bool begun_ = false;
  bool suspected_ = false;
  std::uint64_t frames_ = 0;
  std::optional<std::uint64_t> counted_;
  Nanos since_;
};

}  // namespace rocetop::source
