// SPDX-License-Identifier: BSD-3-Clause
// Times and durations as text: RFC 3339 with nanoseconds in UTC, and durations a person reads at a glance.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/nanos.h"

namespace rocetop {

/// "2026-11-29T17:31:17.000000001Z".
std::string rfc3339(Nanos since_epoch);
/// The reverse: RFC 3339 (fraction and zone optional; no zone means UTC) or seconds since the epoch with a fraction.
std::optional<Nanos> parse_time(std::string_view text);
/// "850 ns", "3.21 µs", "67.1 ms", "12.3 s", "4 m 05 s", "3 h 20 m", "12 d 4 h": three significant digits or so.
std::string short_duration(Nanos duration);

}  // namespace rocetop
