// SPDX-License-Identifier: BSD-3-Clause
// Durations that a person types, and durations printed so that they can be typed back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/nanos.h"

namespace rocetop {

/// Digits with at most one point, not negative; no sign, no exponent.
std::optional<double> parse_decimal(std::string_view text);

/// "1.5s", "200ms", "18 µs": a number and its unit (ns, us or µs, ms, s, m, h). Nothing without a unit.
std::optional<Nanos> parse_duration(std::string_view text);

/// "12ms", "1.5s", "67108864ns": the largest unit in which it is exact with few digits. parse_duration() reads it.
std::string exact_duration(Nanos duration);

/// "1.23ms", "245.1s": at most one part in a thousand below `duration`, or above it. parse_duration() reads it: a
/// window from the one below to the one above holds what happened between.
std::string duration_below(Nanos duration);
std::string duration_above(Nanos duration);

}  // namespace rocetop
