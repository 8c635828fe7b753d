// SPDX-License-Identifier: BSD-3-Clause
// --from and --to: a frame, a moment, or a distance from the first frame.
#pragma once

#include <optional>
#include <string_view>

#include "base/nanos.h"
#include "base/result.h"
#include "base/time_text.h"
#include "engine/analysis.h"

namespace rocetop::cli {

/// A bound as it was written; the ones that depend on the capture are settled once its first frame is known.
struct BoundText {
  engine::Bound fixed;
  std::optional<Nanos> after_first;  ///< "+1.5s"
  std::optional<Nanos> time_of_day;  ///< "17:31:17.5", on the day of the first frame
  Zone zone = Zone::kLocal;          ///< of time_of_day

  bool needs_first_frame() const { return after_first || time_of_day; }
};

/// "#120", "#2:120" (of the second file), RFC 3339, seconds since 1970, "+1.5s" (ns us ms s m h), "17:31:17.5".
/// `option` is named in errors; `zone` is meant where the text names none.
Result<BoundText> parse_bound(std::string_view option, std::string_view text, Zone zone);

/// `first`: the first frame's time; nothing when there is none.
engine::Bound settle(const BoundText& bound, std::optional<Nanos> first);

}  // namespace rocetop::cli
