// SPDX-License-Identifier: BSD-3-Clause
// decode(): from a captured frame to what it holds. Walks link type, tags, tunnels and IP down to RoCE; total for any
// bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/byte_reader.h"
#include "base/link_type.h"
#include "wire/packet.h"
#include "wire/pause.h"

namespace rocetop::wire {

struct DecodeOptions {
  std::vector<std::uint16_t> roce_ports;  ///< UDP destination ports that carry RoCEv2 besides 4791
  bool verify_icrc = true;
  VeroceLayout veroce_layout;  ///< by which veRoCE is read until the bytes of a connection tell
};

/// What a frame turned out to be.
enum class FrameKind : std::uint8_t {
  kOther,        ///< no RoCE in it
  kRoce,         ///< `packet` is filled
  kPause,        ///< PFC or 802.3x, `pause` is filled
  kUndecodable,  ///< RoCE by port or EtherType, but not decodable: `reason` says why
};

/// Why RoCE could not be decoded; each is counted. `reason_name` gives the word used in reports.
enum class Undecodable : std::uint8_t {
  kNone,
  kCutBeforeBth,    ///< the snap length ends before the BTH does
  kShortUdp,        ///< the UDP (or IP) length leaves no room for BTH, the opcode's headers, pad and ICRC
  kBadVersion,      ///< BTH TVer is not 0
  kBadGrh,          ///< RoCEv1 whose GRH is not one
  kLengthMismatch,  ///< the UDP length exceeds what the IP header says it carries, or the GRH's what the LRH says
};
inline constexpr std::size_t kUndecodableCount = 6;  ///< with kNone
std::string_view reason_name(Undecodable reason);    ///< e.g. "cut_before_bth"

struct Decoded {
  FrameKind kind = FrameKind::kOther;
  Undecodable reason = Undecodable::kNone;
  /// Some IP header on the way says fragment. Only a first fragment has ports: a later one is kOther, whatever it
  /// carries, because a decoder without memory cannot know that it is RoCE.
  bool ip_fragment = false;
  bool too_deep = false;  ///< kOther because the nesting limit was reached
  Packet packet;          ///< kUndecodable: what was read before the fault (addresses, ports, layers)
  Pause pause;
};

/// Decodes one frame into `out` (reused from call to call; never allocates).
/// `wire_length` is the frame's length on the wire, `bytes` what was captured of it. A trailing FCS is ignored: lengths
/// come from the IP and UDP headers.
void decode(LinkType link_type, Bytes bytes, std::uint32_t wire_length, const DecodeOptions& options, Decoded& out);

}  // namespace rocetop::wire
