// SPDX-License-Identifier: BSD-3-Clause
// WrappedSource: a source that changes when or which frames of another one come, and nothing else about it.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "source/frame_source.h"

namespace rocetop::source {

class WrappedSource : public FrameSource {
 public:
  explicit WrappedSource(std::unique_ptr<FrameSource> inner) : inner_(std::move(inner)) {}

  const std::vector<InterfaceFacts>& interfaces() const final { return inner_->interfaces(); }
  const std::vector<Problem>& problems() const final { return inner_->problems(); }
  std::uint64_t bytes_read() const final { return inner_->bytes_read(); }
  std::optional<std::uint64_t> bytes_total() const final { return inner_->bytes_total(); }

 protected:
  FrameSource& inner() { return *inner_; }

 private:
  std::unique_ptr<FrameSource> inner_;
};

}  // namespace rocetop::source
