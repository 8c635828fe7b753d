// SPDX-License-Identifier: BSD-3-Clause
#include "track/read_window.h"

#include <algorithm>

#include "track/limits.h"

namespace rocetop::track {
namespace {

constexpr std::size_t kFree = 4;    // READs that every space may remember
constexpr std::size_t kClaim = 16;  // … and those claimed at one time beyond

}  // namespace

/// A response from the middle of a READ answers all before it only if they came in order.
void PendingRead::on_response(Sequence s, Nanos response_time, bool may_be_taken) {
  if (s == answered + 1) answered = s;
  if (s != passed + 1 || !may_be_taken) return;
  passed = s;
  if (response_time - passed_time >= kDirectionSkew) paused = s;
  passed_time = response_time;
}

void PendingRead::ask_again(Sequence s, FrameId again_frame, Nanos again_time) {
  asked_again = true;
  asked_again_from = s;
  asked_again_time = again_time;
  asked_again_frame = again_frame;
  passed = s - 1;
  passed_time = again_time;
  paused = 0;
}

void ReadWindow::add(const PendingRead& read, SpaceCounts& counts, ListBudget& budget) {
  bool full = reads_.size() >= kMost;
  if (!full && reads_.size() >= kFree + claimed_) {
    if (budget.reads_left >= kClaim) {
      budget.reads_left -= kClaim;
      claimed_ += kClaim;
    } else {
      full = true;
      counts.inexact = "more READs remembered at one time than are kept: responses to the oldest are not judged";
    }
  }
  if (full) reads_.erase(reads_.begin(), reads_.begin() + static_cast<std::ptrdiff_t>(reads_.size() / 2));
  const auto at = std::upper_bound(reads_.begin(), reads_.end(), read.first,
                                   [](Sequence s, const PendingRead& r) { return s < r.first; });
  reads_.insert(at, read);
}

/// Responses come in the order of their requests (IBTA vol. 1, 9.7.5.1.7): those of a READ before that was asked for
/// again must pass first.
void ReadWindow::on_response(PendingRead& read, Sequence s, Nanos time) {
  const PendingRead* before = &read == reads_.data() ? nullptr : &read - 1;
  const bool waits = before && before->asked_again && before->passed < before->last;
  read.on_response(s, time, !waits);
}

std::size_t ReadWindow::lower(Sequence s) const {
  const auto after =
      std::upper_bound(reads_.begin(), reads_.end(), s, [](Sequence x, const PendingRead& r) { return x < r.first; });
  return after == reads_.begin() ? 0 : static_cast<std::size_t>(after - reads_.begin()) - 1;
}

PendingRead* ReadWindow::find(Sequence s) {
  if (reads_.empty()) return nullptr;
  PendingRead& read = reads_[lower(s)];
  return s >= read.first && s <= read.last ? &read : nullptr;
}

}  // namespace rocetop::track
