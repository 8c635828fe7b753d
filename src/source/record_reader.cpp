// SPDX-License-Identifier: BSD-3-Clause
#include "source/record_reader.h"

#include <algorithm>
#include <utility>

namespace rocetop::source {

Result<Done> RecordReader::begin() {
  std::vector<Frame> none;
  while (!ended_) {
    const std::size_t taken = take(buffer_.held(), none);
    buffer_.consume(taken);
    if (taken != 0) break;
    if (!ended_ && !buffer_.fill()) end_of_stream();
  }
  if (!problems_.empty() && problems_.back().fatal) return Error{problems_.back().message, problems_.back().hint};
  return Done{};
}

bool RecordReader::next_batch(std::vector<Frame>& batch) {
  batch.clear();
  while (!ended_) {
    if (!pass_over()) break;
    while (batch.size() < kBatchFrames && !ended_ && skip_bytes_ == 0) {
      const std::size_t taken = take(buffer_.held(), batch);
      if (taken == 0) break;
      record_begin_ = buffer_.offset();
      buffer_.consume(taken);
    }
    // Never fill() while frames point into the buffer; a pipe's reader gets at once what is complete.
    if (!batch.empty()) return true;
    if (skip_bytes_ == 0 && !ended_ && !buffer_.fill()) end_of_stream();
  }
  return false;
}

/// Passes over the rest of a long record. False at the end of the stream.
bool RecordReader::pass_over() {
  while (skip_bytes_ != 0) {
    const auto count = std::min<std::uint64_t>(skip_bytes_, buffer_.held().size());
    buffer_.consume(static_cast<std::size_t>(count));
    skip_bytes_ -= count;
    if (skip_bytes_ != 0 && !buffer_.fill()) {
      end_of_stream();
      return false;
    }
  }
  return true;
}

void RecordReader::end_of_stream() {
  ended_ = true;
  const StreamEnd& end = buffer_.stream().end();
  if (end.kind == StreamEnd::Kind::kInterrupted) return;  // whoever did it knows
  const std::uint64_t position = buffer_.offset() + buffer_.held().size();
  if (end.kind == StreamEnd::Kind::kFailed) {
    problems_.push_back({name_ + ": at " + byte_words(position) + ": " + end.reason, end.hint, true});
    return;
  }
  const std::uint64_t begin = skip_bytes_ != 0 ? record_begin_ : buffer_.offset();
  if (begin == position && end.kind == StreamEnd::Kind::kClean) return;
  std::string message = name_ + ": cut off ";
  if (begin == position) {
    message += "after " + byte_words(begin);
  } else {
    message += std::string("in the last ") + record_word_ + " at " + byte_words(begin) + ", after " +
               std::to_string(position - begin) + " bytes of it";
  }
  if (end.kind == StreamEnd::Kind::kCutOff) message += "; " + end.reason;
  problems_.push_back(
      {std::move(message), "Everything before it was read. Was the writer stopped, or the copy incomplete?", false});
}

void RecordReader::fail(std::size_t into_held, const std::string& reason, std::string hint) {
  ended_ = true;
  problems_.push_back(
      {name_ + ": at " + byte_words(buffer_.offset() + into_held) + ": " + reason, std::move(hint), true});
}

void RecordReader::stop_at_limit(std::size_t into_held, const std::string& reason, std::string hint) {
  fail(into_held, reason, std::move(hint));
  problems_.back().limit = true;
}

void RecordReader::remark(std::size_t into_held, const std::string& reason, std::string hint) {
  problems_.push_back(
      {name_ + ": at " + byte_words(buffer_.offset() + into_held) + ": " + reason, std::move(hint), false});
}

std::string RecordReader::byte_words(std::uint64_t offset) const {
  return "byte " + std::to_string(offset) + (buffer_.stream().decompresses() ? " of the decompressed data" : "");
}

}  // namespace rocetop::source
