// SPDX-License-Identifier: BSD-3-Clause
#include "model/host_counters.h"

namespace rocetop::model {

std::string_view word(HostReadError error) {
  static constexpr std::array<std::string_view, kHostReadErrors> kWords = {
      "adapter_file", "adapter_value", "limit", "time", "interface_statistics", "interface_pause"};
  const auto i = static_cast<std::size_t>(error);
  return i < kWords.size() ? kWords[i] : "?";
}

}  // namespace rocetop::model
