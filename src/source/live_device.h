// SPDX-License-Identifier: BSD-3-Clause
// LiveDevice: one network interface captured by libpcap, as Linux does it: a TPACKET_V3 ring, an in-kernel filter,
// nanosecond stamps. It never waits, and does not decide when to read or to open again: live_source.h does.
//
// Never libpcap's immediate mode: it falls back to TPACKET_V2, at ten times the CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "source/frame_chunk.h"
#include "source/frame_source.h"

namespace rocetop::source {

struct DeviceSettings {
  std::string name;    ///< of an interface, or "any"
  std::string filter;  ///< to be joined to the one for RoCE; empty for none
  std::vector<std::uint16_t> roce_ports;
  std::uint32_t snap_length = 256;        ///< bytes
  std::uint32_t buffer_bytes = 64 << 20;  ///< of the kernel's ring
  std::uint32_t block_timeout_ms = 100;   ///< after which the kernel hands over a block that is not full
};

enum class OpenFailure : std::uint8_t { kNone, kPermission, kNoDevice, kNotUp, kOther };

/// As the kernel counts for this ring.
struct DeviceCounts {
  std::uint64_t received = 0;              ///< that passed the filter, dropped ones included
  std::uint64_t dropped = 0;               ///< no room in the ring
  std::uint64_t dropped_by_interface = 0;  ///< by the adapter or its driver, whatever they held
};

class LiveDevice {
 public:
  explicit LiveDevice(DeviceSettings settings);
  LiveDevice(LiveDevice&&) noexcept;
  LiveDevice& operator=(LiveDevice&&) noexcept;
  ~LiveDevice();

  /// Opens the interface; `error` says what went wrong.
  OpenFailure open(Error& error);
  void close();
  bool is_open() const;
  /// To poll for reading; -1 where there is none.
  int descriptor() const;

  /// Adds up to `most` frames that are there to `chunk`. Frames are those of `interface`, not numbered. False: the
  /// interface is gone, or went wrong as error() says.
  bool read(std::uint32_t interface, std::size_t most, FrameChunk& chunk);
  const std::string& error() const { return error_; }

  /// Asks the kernel. Sums over all times that the device was open.
  const DeviceCounts& counts();

  const DeviceSettings& settings() const { return settings_; }
  LinkType link_type() const { return link_type_; }
  bool has_nanoseconds() const { return nanoseconds_; }
  /// The kernel's index of the interface when it was opened; 0 for "any" and for RDMA devices.
  unsigned index() const { return index_; }

 private:
  struct Handle;
  OpenFailure activate(Error& error);
  bool set_filter(Error& error);
  void take_counts();

  DeviceSettings settings_;
  std::unique_ptr<Handle> handle_;
  std::string error_;
  DeviceCounts counts_;
  DeviceCounts last_;  // as the kernel said last, 32 bits each
  LinkType link_type_ = LinkType::kEthernet;
  bool nanoseconds_ = false;
  unsigned index_ = 0;
};

/// Names of the interfaces that could be captured, for a hint; empty if that cannot be told.
std::string capturable_interfaces();

}  // namespace rocetop::source
