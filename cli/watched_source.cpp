// SPDX-License-Identifier: BSD-3-Clause
#include "watched_source.h"

#include <utility>

namespace rocetop::cli {

std::optional<Nanos> WatchedSource::first_time() {
  if (!kept_) {
    kept_.emplace();
    kept_more_ = inner().next_batch(*kept_);
    while (kept_more_ && kept_->empty()) kept_more_ = inner().next_batch(*kept_);
  }
  if (kept_->empty()) return std::nullopt;
  return kept_->front().time;
}

bool WatchedSource::next_batch(std::vector<source::Frame>& batch) {
  batch.clear();
  heap_.look();
  if (stopped_ || (before_batch_ && !before_batch_())) {
    stopped_ = true;
    return false;
  }
  if (kept_) {
    batch = std::move(*kept_);  // the frames' bytes stay valid until the inner source reads on
    kept_.reset();
    return kept_more_;
  }
  if (inner().next_batch(batch)) return true;
  // A pipe was waited for when somebody ended that.
  const auto total = bytes_total();
  if (!(total && bytes_read() >= *total) && before_batch_ && !before_batch_()) stopped_ = true;
  return false;
}

}  // namespace rocetop::cli
