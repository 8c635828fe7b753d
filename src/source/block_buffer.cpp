// SPDX-License-Identifier: BSD-3-Clause
#include "source/block_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace rocetop::source {

BlockBuffer::BlockBuffer(std::unique_ptr<ByteStream> stream)
    : stream_(std::move(stream)), bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(kBytes)) {}

bool BlockBuffer::fill() {
  if (begin_ != 0) {
    std::memmove(bytes_.get(), bytes_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  ROCETOP_CHECK(end_ < kBytes);
  const std::size_t wanted = std::min(kBytes - end_, std::max(kReadBytes, end_));
  const std::size_t got = stream_->read({bytes_.get() + end_, wanted});
  end_ += got;
  return got != 0;
}

}  // namespace rocetop::source
