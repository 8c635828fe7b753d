// SPDX-License-Identifier: BSD-3-Clause
// PcapngWriter: frames as pcapng (draft-ietf-opsawg-pcapng), little-endian, nanosecond stamps: the bytes of a file,
// piece by piece. Where they go is somebody else's business.
//
//   section header | interface description, before the first frame of each interface | enhanced packet …
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "source/frame_source.h"

namespace rocetop::source {

class PcapngWriter {
 public:
  /// Adds the beginning of a file to `out`, with a comment that says what it is; interfaces are described anew.
  void begin(std::vector<std::uint8_t>& out, std::string_view comment = {});
  /// Adds a frame, and before it, where that is its interface's first, what the interface is.
  void add(const Frame& frame, const InterfaceFacts& interface, std::vector<std::uint8_t>& out);

  /// Bytes that add() adds for a frame whose interface is described.
  static std::size_t size_of(const Frame& frame);

 private:
  std::uint32_t interface_id(const Frame& frame, const InterfaceFacts& interface, std::vector<std::uint8_t>& out);

  // By interface and link type: an interface may come back as something else. Few.
  std::vector<std::pair<std::uint32_t, LinkType>> described_;
};

}  // namespace rocetop::source
