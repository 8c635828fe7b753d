// SPDX-License-Identifier: BSD-3-Clause
// WatchedSource: a source that asks before each batch whether to go on, and can tell the first frame's time in advance.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "heap_pages.h"
#include "source/frame_source.h"

namespace rocetop::cli {

class WatchedSource final : public source::FrameSource {
 public:
  /// `before_batch` returns false to end the input there; may be empty.
  WatchedSource(std::unique_ptr<source::FrameSource> inner, std::function<bool()> before_batch)
      : inner_(std::move(inner)), before_batch_(std::move(before_batch)) {}

  /// Reads the first batch and keeps it; nothing if there is no frame.
  std::optional<Nanos> first_time();
  /// True if `before_batch` ended the input.
  bool stopped() const { return stopped_; }

  bool next_batch(std::vector<source::Frame>& batch) override;
  const std::vector<source::InterfaceFacts>& interfaces() const override { return inner_->interfaces(); }
  const std::vector<source::Problem>& problems() const override { return inner_->problems(); }
  std::uint64_t bytes_read() const override { return inner_->bytes_read(); }
  std::optional<std::uint64_t> bytes_total() const override { return inner_->bytes_total(); }

 private:
  std::unique_ptr<source::FrameSource> inner_;
  std::function<bool()> before_batch_;
  std::optional<std::vector<source::Frame>> kept_;  // the first batch, read but not delivered
  bool kept_more_ = false;                          // what next_batch() returned for it
  bool stopped_ = false;
  HeapPages heap_;
};

}  // namespace rocetop::cli
