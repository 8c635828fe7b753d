// SPDX-License-Identifier: BSD-3-Clause
// Times and durations as text: RFC 3339 with nanoseconds, and durations a person reads at a glance.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "base/nanos.h"

namespace rocetop {

/// Whose clock times are told by: this machine's zone (TZ), or none.
enum class Zone : std::uint8_t { kLocal, kUtc };

/// "2026-11-29T17:31:17.000000001Z", or with the offset of the local zone, "2026-11-29T18:31:17.000000001+01:00".
std::string rfc3339(Nanos since_epoch, Zone zone = Zone::kUtc);
/// The reverse: RFC 3339 (fraction and zone optional; `unstated` is meant where there is none), or seconds since the
/// epoch with a fraction.
std::optional<Nanos> parse_time(std::string_view text, Zone unstated = Zone::kUtc);
/// Calendar and clock -> seconds since the epoch, in either zone.
std::int64_t seconds_of(std::tm calendar, Zone zone);
/// The reverse.
std::tm calendar_of(std::int64_t seconds, Zone zone);
/// "850 ns", "3.21 µs", "67.1 ms", "12.3 s", "4 m 05 s", "3 h 20 m", "12 d 4 h": three significant digits or so.
std::string short_duration(Nanos duration);

}  // namespace rocetop
