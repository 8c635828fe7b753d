// SPDX-License-Identifier: BSD-3-Clause
#include "host/ethtool.h"

#include <gtest/gtest.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "host/interfaces.h"
#include "tree.h"

namespace rocetop::host {
namespace {

using model::HostReadError;
using testing::errors;
using testing::Tree;

/// A kernel that answers the three calls as told.
struct Driver {
  std::vector<std::string> names;
  std::vector<std::uint64_t> values;
  std::uint32_t says = 0;  ///< how many there are, when asked for that
  int refuse = 0;          ///< errno of `refused`
  std::uint32_t refused = 0;
  bool no_set = false;

  int operator()(const std::string&, void* data) const {
    std::uint32_t command = 0;
    std::memcpy(&command, data, sizeof command);
    if (command == refused) return refuse;
    if (command == ETHTOOL_GSSET_INFO) {
      auto* info = static_cast<ethtool_sset_info*>(data);
      info->sset_mask = no_set ? 0 : info->sset_mask;
      std::memcpy(info + 1, &says, sizeof says);
    } else if (command == ETHTOOL_GSTRINGS) {
      auto* strings = static_cast<ethtool_gstrings*>(data);
      strings->len = static_cast<std::uint32_t>(names.size());
      char* to = reinterpret_cast<char*>(strings + 1);
      for (std::size_t i = 0; i < names.size(); ++i) {
        std::memcpy(to + i * ETH_GSTRING_LEN, names[i].data(), std::min<std::size_t>(names[i].size(), ETH_GSTRING_LEN));
      }
    } else if (command == ETHTOOL_GSTATS) {
      auto* stats = static_cast<ethtool_stats*>(data);
      stats->n_stats = static_cast<std::uint32_t>(values.size());
      std::memcpy(stats + 1, values.data(), values.size() * sizeof values[0]);
    }
    return 0;
  }
};

TEST(Ethtool, PutsNamesAndValuesTogether) {
  Driver driver{{"rx_prio0_pause", std::string(32, 'x'), ""}, {7, 1ULL << 63, 9}, 3, 0, 0, false};
  const auto answer = driver_statistics("eth0", driver);
  EXPECT_FALSE(answer.failed);
  ASSERT_EQ(answer.value.size(), 3U);
  EXPECT_EQ(answer.value[0].name, "rx_prio0_pause");
  EXPECT_EQ(answer.value[0].value, 7U);
  EXPECT_EQ(answer.value[1].name, std::string(32, 'x')) << "a name without an end";
  EXPECT_EQ(answer.value[1].value, 1ULL << 63);
  EXPECT_EQ(answer.value[2].name, "");
}

TEST(Ethtool, CountsThatDoNotFitFail) {
  const Driver good{{"a", "b"}, {1, 2}, 2, 0, 0, false};
  EXPECT_FALSE(driver_statistics("eth0", good).failed);
  Driver more = good;
  more.names.emplace_back("c");
  EXPECT_TRUE(driver_statistics("eth0", more).failed) << "queues were added between";
  Driver fewer = good;
  fewer.values.pop_back();
  EXPECT_TRUE(driver_statistics("eth0", fewer).failed);
  Driver absurd = good;
  absurd.says = 0xffffffff;
  EXPECT_TRUE(driver_statistics("eth0", absurd).failed);
  EXPECT_TRUE(driver_statistics("eth0", absurd).value.empty());
}

TEST(Ethtool, HasRoomForWhatAppearsBetweenTheCalls) {
  Driver driver{{}, {}, 1, 0, 0, false};
  for (int i = 0; i < 2000; ++i) {
    driver.names.push_back("n" + std::to_string(i));
    driver.values.push_back(1);
  }
  EXPECT_TRUE(driver_statistics("eth0", driver).failed);  // ASan looks at the rest
}

TEST(Ethtool, WhatIsNotSupportedIsNoFailure) {
  for (const std::uint32_t call : {ETHTOOL_GSSET_INFO, ETHTOOL_GSTRINGS, ETHTOOL_GSTATS}) {
    Driver driver{{"a"}, {1}, 1, EOPNOTSUPP, call, false};
    EXPECT_FALSE(driver_statistics("eth0", driver).failed);
    EXPECT_TRUE(driver_statistics("eth0", driver).value.empty());
    driver.refuse = EIO;
    EXPECT_TRUE(driver_statistics("eth0", driver).failed);
  }
  const Driver none{{}, {}, 5, 0, 0, true};
  EXPECT_FALSE(driver_statistics("eth0", none).failed);
  EXPECT_TRUE(driver_statistics("eth0", none).value.empty());
}

/// Bytes of a netlink message, each attribute padded.
struct Bytes {
  std::vector<std::byte> data;

  template <typename T>
  Bytes& put(const T& value) {
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    data.insert(data.end(), from, from + sizeof value);
    data.resize((data.size() + 3) / 4 * 4);
    return *this;
  }
  template <typename T>
  Bytes& attribute(std::uint16_t type, const T& value) {
    return put(nlattr{static_cast<std::uint16_t>(sizeof(nlattr) + sizeof value), type}).put(value);
  }
  Bytes& nest(std::uint16_t type, const Bytes& inner) {
    put(nlattr{static_cast<std::uint16_t>(sizeof(nlattr) + inner.data.size()),
               static_cast<std::uint16_t>(type | NLA_F_NESTED)});
    data.insert(data.end(), inner.data.begin(), inner.data.end());
    return *this;
  }
};

constexpr std::uint16_t kFamily = 20;
constexpr std::uint32_t kSequence = 99;

std::vector<std::byte> answer_of(const Bytes& attributes) {
  Bytes out;
  nlmsghdr head{};
  head.nlmsg_len = static_cast<std::uint32_t>(sizeof(nlmsghdr) + sizeof(genlmsghdr) + attributes.data.size());
  head.nlmsg_type = kFamily;
  head.nlmsg_seq = kSequence;
  out.put(head).put(genlmsghdr{ETHTOOL_MSG_PAUSE_GET_REPLY, 1, 0});
  out.data.insert(out.data.end(), attributes.data.begin(), attributes.data.end());
  return out.data;
}

std::vector<std::byte> good_answer() {
  Bytes header;
  header.attribute(ETHTOOL_A_HEADER_DEV_INDEX, std::uint32_t{3});
  Bytes statistics;
  statistics.attribute(ETHTOOL_A_PAUSE_STAT_TX_FRAMES, std::uint64_t{11});
  statistics.attribute(ETHTOOL_A_PAUSE_STAT_RX_FRAMES, std::uint64_t{22});
  Bytes all;
  all.nest(ETHTOOL_A_PAUSE_HEADER, header).attribute(ETHTOOL_A_PAUSE_AUTONEG, std::uint8_t{1});
  return answer_of(all.nest(ETHTOOL_A_PAUSE_STATS, statistics));
}

TEST(PauseAnswer, IsRead) {
  const auto answer = parse_pause_answer(good_answer(), kFamily, kSequence);
  EXPECT_FALSE(answer.failed);
  EXPECT_EQ(answer.value.sent, 11U);
  EXPECT_EQ(answer.value.received, 22U);
}

TEST(PauseAnswer, WithoutStatisticsIsNothing) {
  const auto answer = parse_pause_answer(answer_of({}), kFamily, kSequence);
  EXPECT_FALSE(answer.failed);
  EXPECT_EQ(answer.value.sent, std::nullopt);
  Bytes one;
  one.nest(ETHTOOL_A_PAUSE_STATS, Bytes{}.attribute(ETHTOOL_A_PAUSE_STAT_RX_FRAMES, std::uint64_t{5}));
  const auto half = parse_pause_answer(answer_of(one), kFamily, kSequence);
  EXPECT_EQ(half.value.sent, std::nullopt);
  EXPECT_EQ(half.value.received, 5U);
}

TEST(PauseAnswer, ErrorsAreErrorsUnlessNotSupported) {
  const auto error_answer = [](std::int32_t error) {
    Bytes out;
    nlmsghdr head{};
    head.nlmsg_len = sizeof(nlmsghdr) + sizeof(std::int32_t);
    head.nlmsg_type = NLMSG_ERROR;
    head.nlmsg_seq = kSequence;
    return out.put(head).put(error).data;
  };
  EXPECT_FALSE(parse_pause_answer(error_answer(-EOPNOTSUPP), kFamily, kSequence).failed);
  EXPECT_FALSE(parse_pause_answer(error_answer(-ENODEV), kFamily, kSequence).failed);
  EXPECT_TRUE(parse_pause_answer(error_answer(-EPERM), kFamily, kSequence).failed);
  EXPECT_TRUE(parse_pause_answer(error_answer(0), kFamily, kSequence).failed);
  EXPECT_TRUE(parse_pause_answer(error_answer(std::numeric_limits<std::int32_t>::min()), kFamily, kSequence).failed);
}

TEST(PauseAnswer, AnythingElseFailsAndHarmsNobody) {
  const std::vector<std::byte> good = good_answer();
  EXPECT_TRUE(parse_pause_answer(good, kFamily, kSequence + 1).failed);
  EXPECT_TRUE(parse_pause_answer(good, kFamily + 1, kSequence).failed);
  for (std::size_t length = 0; length < good.size(); ++length) {
    const std::vector<std::byte> cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_TRUE(parse_pause_answer(cut, kFamily, kSequence).failed) << length;
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int value : {0, 1, 3, 4, 127, 255}) {
      std::vector<std::byte> changed = good;
      changed[at] = static_cast<std::byte>(value);
      parse_pause_answer(changed, kFamily, kSequence);
    }
  }
}

TEST(PauseAnswer, AnAttributeThatIsLongerThanItsNestIsNone) {
  const auto answer_with = [](std::uint16_t length) {
    Bytes statistics;
    statistics.put(nlattr{length, ETHTOOL_A_PAUSE_STAT_RX_FRAMES}).put(std::uint64_t{5});
    return answer_of(Bytes{}.nest(ETHTOOL_A_PAUSE_STATS, statistics));
  };
  EXPECT_EQ(parse_pause_answer(answer_with(12), kFamily, kSequence).value.received, 5U);
  for (const int length : {0, 1, 3, 4, 11, 13, 64, 65535}) {
    const auto answer = parse_pause_answer(answer_with(static_cast<std::uint16_t>(length)), kFamily, kSequence);
    EXPECT_EQ(answer.value.received, std::nullopt) << length;
  }
}

TEST(Interfaces, ThoseWithHardwareOfPortsAndAskedFor) {
  const Tree tree;
  tree.write("net/eth0/device/x", "");
  tree.write("net/veth0/mtu", "1500");
  tree.write("net/eth1/mtu", "1500");
  tree.write("ib/rxe0/parent", "eth1");
  tree.write("ib/rxe0/ports/1/state", "4: ACTIVE");
  HostRoots roots;
  roots.adapters = tree.adapters();
  roots.interfaces = tree.path("net").string();
  roots.ethtool = tree.ethtool;
  roots.also = {"bond0", "eth0"};
  const auto reading = read_host(roots);
  ASSERT_EQ(reading.interfaces.size(), 3U);
  EXPECT_EQ(reading.interfaces[0].name, "bond0");
  EXPECT_EQ(reading.interfaces[1].name, "eth0");
  EXPECT_EQ(reading.interfaces[2].name, "eth1");
}

TEST(Interfaces, KeepWhatTheTableKnowsAndCountFailures) {
  const Tree tree;
  tree.link("net/eth0/device/driver", "../../drivers/mlx5_core");
  tree.ethtool->counters["eth0"] = {{"rx0_packets", 1}, {"rx_prio3_pause", 2}, {"rx_prio8_pause", 3}};
  tree.ethtool->pauses["eth0"] = {5, 6};
  const auto reading = tree.read();
  ASSERT_EQ(reading.interfaces.size(), 1U);
  EXPECT_EQ(reading.interfaces[0].driver, "mlx5_core");
  ASSERT_EQ(reading.interfaces[0].counters.size(), 1U);
  EXPECT_EQ(reading.interfaces[0].counters[0].name, "rx_prio3_pause");
  EXPECT_EQ(reading.interfaces[0].pause_frames_received, 5U);
  EXPECT_EQ(reading.interfaces[0].pause_frames_sent, 6U);
  tree.ethtool->broken = true;
  EXPECT_EQ(errors(tree.read(), HostReadError::kStatistics), 1U);
  EXPECT_EQ(errors(tree.read(), HostReadError::kPause), 1U);
}

TEST(Interfaces, AreBounded) {
  const Tree tree;
  for (int i = 0; i < 100; ++i) tree.write("net/eth" + std::to_string(i) + "/device/x", "");
  const auto reading = tree.read();
  EXPECT_EQ(reading.interfaces.size(), 64U);
  EXPECT_EQ(errors(reading, HostReadError::kLimit), 36U);
}

/// What the kernel says of a veth pair: 0, or what was wrong. In a child: the namespace is its own.
int ask_a_veth() {
  if (unshare(CLONE_NEWNET) != 0) return 77;
  if (std::system("ip link add rtv0 type veth peer name rtv1 2>/dev/null") != 0) return 77;  // NOLINT(cert-env33-c)
  const auto ethtool = kernel_ethtool();
  const auto statistics = ethtool->statistics("rtv0");
  const auto peer = std::find_if(statistics.value.begin(), statistics.value.end(),
                                 [](const auto& c) { return c.name == "peer_ifindex"; });
  if (statistics.failed || peer == statistics.value.end()) return 1;
  if (peer->value != if_nametoindex("rtv1")) return 2;
  const auto pause = ethtool->pause("rtv0");
  if (pause.failed || pause.value.sent || pause.value.received) return 3;
  if (ethtool->pause("absent0").failed || ethtool->statistics("absent0").failed) return 4;
  if (ethtool->pause(std::string(100, 'x')).failed || ethtool->statistics(std::string(100, 'x')).failed) return 5;
  HostRoots roots;
  roots.also = {"rtv0"};
  const auto reading = read_host(roots);
  for (const std::uint64_t n : reading.errors.of) {
    if (n != 0) return 6;
  }
  return 0;
}

TEST(Ethtool, OfTheKernelAnswersForAVeth) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(ask_a_veth());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no namespace or no veth to be had";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace rocetop::host
