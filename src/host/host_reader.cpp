// SPDX-License-Identifier: BSD-3-Clause
#include "host/host_reader.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace rocetop::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRest = 4;  // times as long as the read took
constexpr std::chrono::milliseconds kPatience{200};

}  // namespace

/// The thread's as much as the reader's: the thread may outlive it.
struct HostReader::Shared {
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  bool stop = false;
  bool ended = false;
  std::shared_ptr<const model::HostReading> newest;
  Clock::time_point begun;  ///< of the newest

  void run(const HostReaderOptions& options) {
    const auto read = options.read ? options.read : [roots = options.roots] { return read_host(roots); };
    model::HostReadErrors errors;
    std::unique_lock lock(mutex);
    while (!stop) {
      lock.unlock();
      const Clock::time_point begin = Clock::now();
      auto reading = std::make_shared<model::HostReading>(read());
      errors.add(reading->errors);
      reading->errors = errors;
      const Clock::time_point end = Clock::now();
      const auto next = std::max(begin + options.interval, end + (end - begin) * kRest);
      lock.lock();
      newest = std::move(reading);
      begun = begin;
      changed.notify_all();
      changed.wait_until(lock, next, [&] { return stop; });
    }
    ended = true;
    changed.notify_all();
  }
};

HostReader::HostReader(HostReaderOptions options) : shared_(std::make_shared<Shared>()) {
  std::thread([shared = shared_, kept = std::move(options)] { shared->run(kept); }).detach();
}

HostReader::~HostReader() {
  std::unique_lock lock(shared_->mutex);
  shared_->stop = true;
  shared_->changed.notify_all();
  shared_->changed.wait_for(lock, kPatience, [&] { return shared_->ended; });
}

HostReader::Latest HostReader::latest() const {
  const std::lock_guard lock(shared_->mutex);
  if (!shared_->newest) return {};
  const auto age = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - shared_->begun);
  return {shared_->newest, Nanos{age.count()}};
}

bool HostReader::wait_for_first(std::chrono::milliseconds most) const {
  std::unique_lock lock(shared_->mutex);
  return shared_->changed.wait_for(lock, most, [&] { return shared_->newest != nullptr; });
}

}  // namespace rocetop::host
