// SPDX-License-Identifier: BSD-3-Clause
#include "host/ethtool.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "host/pause_netlink.h"

namespace rocetop::host {
namespace {

using Statistics = EthtoolAnswer<std::vector<model::AdapterCounter>>;

constexpr std::size_t kStatistics = 8192;
/// The kernel writes as many as the driver has then, whatever it said before: room for queues that were added between.
constexpr std::size_t kSpare = 2048;

bool unsupported(int error) { return error == EOPNOTSUPP || error == ENODEV || error == ENOTTY; }

Statistics refused(int error) { return {{}, !unsupported(error)}; }

/// A command structure of ethtool: a head that ends with a flexible array.
template <typename Head>
class Command {
 public:
  Command(std::uint32_t command, std::size_t extra) : bytes_(sizeof(Head) + extra) { head().cmd = command; }
  Head& head() { return *reinterpret_cast<Head*>(bytes_.data()); }
  const unsigned char* tail() const { return bytes_.data() + sizeof(Head); }
  void* data() { return bytes_.data(); }

 private:
  std::vector<unsigned char> bytes_;
};

/// How many statistics there are, or an errno.
std::pair<std::size_t, int> count_of(const std::string& interface, const EthtoolCall& call) {
  Command<ethtool_sset_info> info(ETHTOOL_GSSET_INFO, sizeof(std::uint32_t));
  info.head().sset_mask = 1ULL << ETH_SS_STATS;
  if (const int error = call(interface, info.data()); error != 0) return {0, error};
  if (info.head().sset_mask == 0) return {0, 0};
  std::uint32_t count = 0;
  std::memcpy(&count, info.tail(), sizeof count);
  return {count, 0};
}

class KernelEthtool final : public Ethtool {
 public:
  ~KernelEthtool() override {
    if (socket_ >= 0) close(socket_);
  }

  Statistics statistics(const std::string& interface) override {
    if (socket_ < 0) socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0) socket_ = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0) return {{}, true};
    return driver_statistics(interface, [this](const std::string& name, void* data) { return ask(name, data); });
  }

  EthtoolAnswer<PauseStatistics> pause(const std::string& interface) override { return pause_.ask(interface); }

 private:
  int ask(const std::string& interface, void* data) const {
    ifreq request{};
    if (interface.empty() || interface.size() >= sizeof request.ifr_name) return ENODEV;
    std::memcpy(request.ifr_name, interface.data(), interface.size());
    request.ifr_data = static_cast<char*>(data);
    return ioctl(socket_, SIOCETHTOOL, &request) == 0 ? 0 : errno;
  }

  int socket_ = -1;
  PauseNetlink pause_;
};

}  // namespace

Statistics driver_statistics(const std::string& interface, const EthtoolCall& call) {
  const auto [count, error] = count_of(interface, call);
  if (error != 0) return refused(error);
  if (count == 0) return {};
  if (count > kStatistics) return {{}, true};
  const std::size_t room = count + kSpare;

  Command<ethtool_gstrings> names(ETHTOOL_GSTRINGS, room * ETH_GSTRING_LEN);
  names.head().string_set = ETH_SS_STATS;
  names.head().len = static_cast<std::uint32_t>(count);
  if (const int refusal = call(interface, names.data()); refusal != 0) return refused(refusal);
  Command<ethtool_stats> values(ETHTOOL_GSTATS, room * sizeof(std::uint64_t));
  values.head().n_stats = static_cast<std::uint32_t>(count);
  if (const int refusal = call(interface, values.data()); refusal != 0) return refused(refusal);

  // Names and values that were read at different counts do not belong together.
  if (names.head().len != count || values.head().n_stats != count) return {{}, true};
  Statistics out;
  out.value.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto* name = reinterpret_cast<const char*>(names.tail() + i * ETH_GSTRING_LEN);
    std::uint64_t value = 0;
    std::memcpy(&value, values.tail() + i * sizeof value, sizeof value);
    out.value.push_back({std::string(name, strnlen(name, ETH_GSTRING_LEN)), value});
  }
  return out;
}

std::unique_ptr<Ethtool> kernel_ethtool() { return std::make_unique<KernelEthtool>(); }

}  // namespace rocetop::host
