// SPDX-License-Identifier: BSD-3-Clause
// Frames as a classic pcap file with nanosecond stamps, little-endian, link type Ethernet: for tests and
// demonstrations.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "generate/encoder.h"

namespace rocetop::generate {

/// The whole file. Frames longer than `snap_length` bytes are cut, their wire length kept. Stamps must not be negative.
std::vector<std::uint8_t> pcap_bytes(std::span<const TimedFrame> frames, std::uint32_t snap_length = 262'144);

/// Writes pcap_bytes() to `path`, replacing it. Errors: the file cannot be written.
Result<Done> write_pcap(const std::string& path, std::span<const TimedFrame> frames,
                        std::uint32_t snap_length = 262'144);

}  // namespace rocetop::generate
