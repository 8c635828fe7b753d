// SPDX-License-Identifier: BSD-3-Clause
// WakeUp: lets one thread end the waiting of another. Once called, every wait returns at once.
#pragma once

#include <atomic>
#include <chrono>
#include <vector>

namespace rocetop::source {

class WakeUp {
 public:
  WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;
  ~WakeUp();

  /// From any thread.
  void call();
  bool called() const { return called_; }
  /// Has something to read once called.
  int descriptor() const { return event_; }

  /// Waits until one of `descriptors` (-1 for none) has something to read or went wrong, the time is over, or call().
  /// True for the first.
  bool wait(const std::vector<int>& descriptors, std::chrono::nanoseconds most);

 private:
  int event_ = -1;
  std::atomic<bool> called_ = false;
};

}  // namespace rocetop::source
