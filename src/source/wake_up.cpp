// SPDX-License-Identifier: BSD-3-Clause
#include "source/wake_up.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace rocetop::source {

WakeUp::WakeUp() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

WakeUp::~WakeUp() {
  if (event_ >= 0) ::close(event_);
}

void WakeUp::call() {
  called_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(event_, &one, sizeof one);
}

bool WakeUp::wait(const std::vector<int>& descriptors, std::chrono::nanoseconds most) {
  if (called_) return false;
  std::vector<pollfd> waiting{{event_, POLLIN, 0}};  // poll() skips a descriptor of -1
  for (const int descriptor : descriptors) waiting.push_back({descriptor, POLLIN, 0});
  const auto left = std::max<std::int64_t>(most.count(), 0);
  const timespec time{left / 1'000'000'000, left % 1'000'000'000};
  if (::ppoll(waiting.data(), waiting.size(), &time, nullptr) <= 0) return false;
  return std::any_of(waiting.begin() + 1, waiting.end(), [](const pollfd& p) { return p.revents != 0; });
}

}  // namespace rocetop::source
