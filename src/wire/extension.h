// SPDX-License-Identifier: BSD-3-Clause
// The extension headers between BTH and payload. Internal to wire/.
#pragma once

#include <cstdint>

#include "wire/packet.h"

namespace rocetop::wire {

/// Bytes that the headers named by Header bits take.
constexpr std::uint8_t extension_bytes(std::uint32_t headers) {
  constexpr struct {
    Header header;
    std::uint8_t bytes;
  } kSizes[] = {{kReth, 16},  {kAeth, 4},  {kAtomicEth, 28}, {kAtomicAckEth, 8}, {kImmDt, 4},
                {kIeth, 4},   {kDeth, 8},  {kRdeth, 4},      {kXrceth, 4},       {kFeth, 4},
                {kMsneth, 4}, {kPoeth, 4}, {kRqeth, 4},      {kSacketh, 20},     {kRtteth, 20}};
  std::uint8_t bytes = 0;
  for (const auto& size : kSizes) bytes = static_cast<std::uint8_t>(bytes + (headers & size.header ? size.bytes : 0));
  return bytes;
}

// One header each, from where `reader` stands.
void read(ByteReader& reader, Reth& out);
void read(ByteReader& reader, AtomicEth& out);
void read(ByteReader& reader, Aeth& out);

/// Reads the headers named in `packet.expected_headers` from the captured bytes behind the BTH. Those that the capture
/// holds in full end up in `packet.headers`; from the first that it cuts, all are absent.
void parse_extensions(Bytes after_bth, Packet& packet);

}  // namespace rocetop::wire
