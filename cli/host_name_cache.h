// SPDX-License-Identifier: BSD-3-Clause
// Names of hosts, looked up by a thread of its own when somebody wants them: an answer may take many seconds, or never
// come. Bounded.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/ip_address.h"
#include "model/live.h"

namespace rocetop::cli {

class HostNameCache {
 public:
  HostNameCache() = default;
  HostNameCache(const HostNameCache&) = delete;
  HostNameCache& operator=(const HostNameCache&) = delete;
  ~HostNameCache();

  /// Asks for the names of all its peers that were not asked for yet.
  void want(const model::LiveSnapshot& snapshot);
  /// The names found by now; empty for those that have none. Untrusted text.
  const std::map<IpAddress, std::string>& known();
  bool busy() const;

  static constexpr std::size_t kMost = 4'096;

 private:
  /// Outlives the cache while the thread waits for an answer.
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<IpAddress> wanted;
    std::map<IpAddress, std::string> found;
    bool ended = false;
    bool asking = false;
  };
  void ask(const IpAddress& ip);
  static void run(const std::shared_ptr<Shared>& shared);

  std::map<IpAddress, std::string> known_;  // asked for: an empty name until there is one
  std::shared_ptr<Shared> shared_;
};

}  // namespace rocetop::cli
