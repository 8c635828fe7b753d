// SPDX-License-Identifier: BSD-3-Clause
#include "source/opening_source.h"

#include <utility>

namespace rocetop::source {

bool OpeningSource::next_batch(std::vector<Frame>& batch) {
  batch.clear();
  if (wake_.called()) return false;
  if (!inner_ && (!problems_.empty() || !open())) return false;
  const bool more = inner_->next_batch(batch);
  interfaces_ = inner_->interfaces();
  return more;
}

bool OpeningSource::open() {
  auto opened = open_(wake_.descriptor());
  if (!opened) {
    if (!wake_.called()) problems_.push_back({opened.error().message, opened.error().hint});
    return false;
  }
  const std::lock_guard lock(mutex_);
  inner_ = std::move(opened.value());
  if (wake_.called()) inner_->wake();
  return true;
}

void OpeningSource::wake() {
  const std::lock_guard lock(mutex_);
  wake_.call();
  if (inner_) inner_->wake();
}

}  // namespace rocetop::source
