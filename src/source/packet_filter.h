// SPDX-License-Identifier: BSD-3-Clause
// PacketFilter: a BPF filter expression (pcap-filter(7)), compiled by libpcap and run on each frame.
// Not a kernel filter: frames come from files as well, and one capture may hold several link types.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/link_type.h"
#include "base/result.h"
#include "source/frame_source.h"

namespace rocetop::source {

class PacketFilter {
 public:
  /// Error: libpcap does not accept the expression for Ethernet. Compiling may look up host names.
  static Result<PacketFilter> compile(const std::string& expression);

  PacketFilter(PacketFilter&&) noexcept;
  PacketFilter& operator=(PacketFilter&&) noexcept;
  ~PacketFilter();

  /// Whether the expression holds for the frame. The program for another link type is compiled when it is first met.
  /// A frame of a link type the expression cannot be compiled for does not match, and is counted.
  bool matches(const Frame& frame);

  /// Frames that were not judged, and libpcap's words on the first link type it refused (empty: none).
  std::uint64_t frames_not_judged() const;
  const std::string& refusal() const;

 private:
  struct Programs;
  explicit PacketFilter(std::unique_ptr<Programs> programs);

  std::unique_ptr<Programs> programs_;
};

}  // namespace rocetop::source
