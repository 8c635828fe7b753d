// SPDX-License-Identifier: BSD-3-Clause
// WatchedSource: a source that asks before each batch whether to go on, and can tell the first frame's time in advance.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "heap_pages.h"
#include "source/wrapped_source.h"

namespace rocetop::cli {

class WatchedSource final : public source::WrappedSource {
 public:
  /// `before_batch` returns false to end the input there; may be empty.
  WatchedSource(std::unique_ptr<source::FrameSource> inner, std::function<bool()> before_batch)
      : WrappedSource(std::move(inner)), before_batch_(std::move(before_batch)) {}

  /// Reads the first batch and keeps it; nothing if there is no frame.
  std::optional<Nanos> first_time();
  /// True if `before_batch` ended the input.
  bool stopped() const { return stopped_; }

  bool next_batch(std::vector<source::Frame>& batch) override;

 private:
  std::function<bool()> before_batch_;
  std::optional<std::vector<source::Frame>> kept_;  // the first batch, read but not delivered
  bool kept_more_ = false;                          // what next_batch() returned for it
  bool stopped_ = false;
  HeapPages heap_;
};

}  // namespace rocetop::cli
