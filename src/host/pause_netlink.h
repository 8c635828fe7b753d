// SPDX-License-Identifier: BSD-3-Clause
// The standard pause statistics of an interface over generic netlink: one small request, one answer.
#pragma once

#include <cstdint>
#include <string>

#include "host/ethtool.h"

namespace rocetop::host {

class PauseNetlink {
 public:
  PauseNetlink() = default;
  ~PauseNetlink();
  PauseNetlink(const PauseNetlink&) = delete;
  PauseNetlink& operator=(const PauseNetlink&) = delete;

  EthtoolAnswer<PauseStatistics> ask(const std::string& interface);

 private:
  enum class State : std::uint8_t { kNew, kReady, kUnsupported, kFailed };
  void begin();
  std::vector<std::byte> exchange(std::span<const std::byte> request);

  State state_ = State::kNew;
  int socket_ = -1;
  std::uint16_t family_ = 0;
  std::uint32_t sequence_ = 0;
};

}  // namespace rocetop::host
