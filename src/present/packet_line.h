// SPDX-License-Identifier: BSD-3-Clause
// One line per RoCE packet (and per pause frame), in tcpdump's spirit: when, who, what, and what the analysis made of
// it.
#pragma once

#include <string>

#include "present/packet_record.h"
#include "present/paint.h"

namespace rocetop::present {

enum class TimeFormat : std::uint8_t {
  kLocal,     ///< time of day here, "17:31:17.000123"
  kUtc,       ///< RFC 3339
  kEpoch,     ///< seconds since 1970
  kRelative,  ///< seconds since the first frame
};

struct PacketLineOptions {
  TextStyle style;
  TimeFormat time = TimeFormat::kLocal;
  Nanos time_zero;  ///< kRelative: the first frame's time
  bool several_files = false;
};

/// Without line feed; "" for a frame that is neither RoCE nor pause.
std::string packet_line(const PacketRecord& record, const PacketLineOptions& options);

/// "retransmission of #41 (NAK #40), acks #12": "" when there is nothing to say.
std::string analysis_marks(const PacketRecord& record, bool several_files);

}  // namespace rocetop::present
