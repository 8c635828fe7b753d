// SPDX-License-Identifier: BSD-3-Clause
// HeldBack: what would be settled about frames, kept while it is open whether it is so.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "track/observation.h"

namespace rocetop::track {

class HeldBack final : public ResolutionSink {
 public:
  void on_resolution(const Resolution& resolution) override { told_.emplace_back(resolution); }
  void on_gap_fate(const GapFate& fate) override { told_.emplace_back(fate); }
  void on_path_loss(const PathLoss& loss) override { told_.emplace_back(loss); }

  /// It is so. Empty afterwards.
  void tell(ResolutionSink& sink) {
    for (const auto& told : std::exchange(told_, {})) {
      if (const auto* resolution = std::get_if<Resolution>(&told)) {
        sink.on_resolution(*resolution);
      } else if (const auto* loss = std::get_if<PathLoss>(&told)) {
        sink.on_path_loss(*loss);
      } else {
        sink.on_gap_fate(std::get<GapFate>(told));
      }
    }
  }

 private:
  std::vector<std::variant<Resolution, GapFate, PathLoss>> told_;
};

}  // namespace rocetop::track
