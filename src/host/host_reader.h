// SPDX-License-Identifier: BSD-3-Clause
// Reads this machine's counters again and again in a thread of its own and hands out the newest reading at once, so
// that an adapter whose sysfs hangs holds nobody. The age says how old a reading is: it grows while a read hangs.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "base/nanos.h"
#include "host/host_reading.h"

namespace rocetop::host {

struct HostReaderOptions {
  HostRoots roots;
  /// From the beginning of one read to that of the next, at least. A read that is slow is followed by a rest four times
  /// as long, so that reading never takes more than a fifth of a core.
  std::chrono::milliseconds interval{5000};
  std::function<model::HostReading()> read;  ///< for tests; none: read_host(roots)
};

class HostReader {
 public:
  explicit HostReader(HostReaderOptions options);
  /// Returns within a moment: a thread that hangs in a read is left behind, and ends by itself when the read returns.
  ~HostReader();
  HostReader(const HostReader&) = delete;
  HostReader& operator=(const HostReader&) = delete;

  struct Latest {
    std::shared_ptr<const model::HostReading> reading;  ///< none before the first read ended
    Nanos age;                                          ///< since that read began
  };
  Latest latest() const;

  /// Waits for the first reading, `most` at the longest, and says whether there is one.
  bool wait_for_first(std::chrono::milliseconds most) const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace rocetop::host
