// SPDX-License-Identifier: BSD-3-Clause
#include "host_name_cache.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>

#include <array>
#include <csignal>
#include <thread>
#include <utility>

namespace rocetop::cli {
namespace {

template <typename Address>
std::string name_of(const Address& address) {
  std::array<char, NI_MAXHOST> name{};
  const int error = getnameinfo(reinterpret_cast<const sockaddr*>(&address), sizeof address, name.data(), name.size(),
                                nullptr, 0, NI_NAMEREQD);
  return error == 0 ? std::string(name.data()) : std::string();
}

/// Empty if it has none.
std::string look_up(const IpAddress& ip) {
  const std::string text = ip.to_string();
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) return name_of(v4);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  return inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1 ? name_of(v6) : std::string();
}

/// Signals are for the thread that shows things.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

HostNameCache::~HostNameCache() {
  if (!shared_) return;
  const std::lock_guard lock(shared_->mutex);
  shared_->ended = true;
  shared_->changed.notify_all();
}

void HostNameCache::want(const model::LiveSnapshot& snapshot) {
  for (const auto& connection : snapshot.totals.connections) {
    ask(connection.a_ip);
    ask(connection.b_ip);
  }
}

void HostNameCache::ask(const IpAddress& ip) {
  if (known_.size() >= kMost || !known_.emplace(ip, "").second) return;
  if (!shared_) {
    shared_ = std::make_shared<Shared>();
    const SignalsBlocked blocked;
    // Nobody waits for it at the end: an answer may be a long time coming.
    std::thread([shared = shared_] { run(shared); }).detach();
  }
  const std::lock_guard lock(shared_->mutex);
  shared_->wanted.push_back(ip);
  shared_->changed.notify_all();
}

const std::map<IpAddress, std::string>& HostNameCache::known() {
  if (shared_) {
    const std::lock_guard lock(shared_->mutex);
    for (auto& [ip, name] : shared_->found) known_[ip] = std::move(name);
    shared_->found.clear();
  }
  return known_;
}

bool HostNameCache::busy() const {
  if (!shared_) return false;
  const std::lock_guard lock(shared_->mutex);
  return shared_->asking || !shared_->wanted.empty() || !shared_->found.empty();
}

void HostNameCache::run(const std::shared_ptr<Shared>& shared) {
  std::unique_lock lock(shared->mutex);
  while (true) {
    shared->changed.wait(lock, [&] { return shared->ended || !shared->wanted.empty(); });
    if (shared->ended) return;
    const IpAddress ip = shared->wanted.front();
    shared->wanted.pop_front();
    shared->asking = true;
    lock.unlock();
    std::string name = look_up(ip);
    lock.lock();
    shared->asking = false;
    shared->found[ip] = std::move(name);
  }
}

}  // namespace rocetop::cli
