// SPDX-License-Identifier: BSD-3-Clause
#include "source/live_interfaces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace rocetop::source {
namespace {

namespace fs = std::filesystem;

/// A folder that looks like /sys.
class LiveInterfaces : public testing::Test {
 protected:
  LiveInterfaces() {
    std::string pattern = testing::TempDir() + "sysfs-XXXXXX";
    root_ = mkdtemp(pattern.data());
  }
  ~LiveInterfaces() override { fs::remove_all(root_); }

  void put(const std::string& path, const std::string& text) const {
    const fs::path file = fs::path(root_) / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }
  void interface(const std::string& name, bool up, std::uint64_t bytes) {
    interfaces_.push_back({name, static_cast<unsigned>(interfaces_.size() + 1), up, name == "lo", bytes});
    put("class/net/" + name + "/ifindex", std::to_string(interfaces_.size()));
  }
  void rdma(const std::string& device, const std::string& interface) const {
    put("class/infiniband/" + device + "/device/net/" + interface + "/x", "");
  }
  void counter(const std::string& device, const std::string& name, std::uint64_t value) const {
    put("class/infiniband/" + device + "/ports/1/" + name, std::to_string(value));
  }

  std::string root_;
  std::vector<NetworkInterface> interfaces_;
};

TEST_F(LiveInterfaces, TheOneWithAnRdmaDeviceIsChosen) {
  interface("lo", true, 999999999);
  interface("eth0", true, 1000000);
  interface("eth1", true, 5);
  interface("eth2", false, 7000000);
  rdma("mlx5_0", "eth1");
  rdma("mlx5_1", "eth2");  // down
  const auto choice = choose_interface(interfaces_, root_);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice.value().name, "eth1");
  EXPECT_EQ(choice.value().reason, "it is up and has the RDMA device mlx5_0");
}

TEST_F(LiveInterfaces, OfSeveralTheBusiestIs) {
  interface("eth0", true, 10);
  interface("eth1", true, 20);
  rdma("mlx5_0", "eth0");
  rdma("mlx5_1", "eth1");
  EXPECT_EQ(choose_interface(interfaces_, root_)->name, "eth1");
}

TEST_F(LiveInterfaces, OthersThatHaveOneAreNamed) {
  interface("eth0", true, 10);
  interface("eth1", true, 20);
  interface("eth2", true, 30);
  rdma("mlx5_0", "eth0");
  rdma("mlx5_1", "eth1");
  EXPECT_EQ(choose_interface(interfaces_, root_)->passed_over, std::vector<std::string>{"eth0"});
}

TEST_F(LiveInterfaces, WhoWatchesForEverWatchesEveryAdapter) {
  interface("lo", true, 999999999);
  interface("eth2", false, 0);
  interface("eth0", true, 10);
  interface("eth1", true, 2000000);
  rdma("mlx5_0", "eth0");
  rdma("mlx5_1", "eth2");  // down: it is waited for
  auto choice = choose_interfaces(interfaces_, root_);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->names, (std::vector<std::string>{"eth0", "eth2"}));
  EXPECT_EQ(choice->reason, "they have the RDMA devices mlx5_0, mlx5_1");
}

TEST_F(LiveInterfaces, OfABondItsPartsAreNotWatchedBesides) {
  for (const char* name : {"bond0", "eth0", "eth1", "eth2"}) interface(name, true, 10);
  for (const char* name : {"bond0", "eth0", "eth1"}) rdma("mlx5_bond_0", name);
  rdma("mlx5_2", "eth2");
  for (const char* name : {"eth0", "eth1"}) {
    fs::create_directory_symlink("../bond0", fs::path(root_) / "class" / "net" / name / "master");
  }
  fs::create_directory_symlink("../br0", fs::path(root_) / "class" / "net" / "eth2" / "master");  // has no RDMA device
  EXPECT_EQ(choose_interfaces(interfaces_, root_)->names, (std::vector<std::string>{"bond0", "eth2"}));
}

TEST_F(LiveInterfaces, OfHundredsTheBusiestAreWatchedAndTheOthersNamed) {
  for (int i = 0; i < 130; ++i) {
    const std::string name = "vf" + std::to_string(100 + i);
    interface(name, true, static_cast<std::uint64_t>(i == 3 ? 1000 : 500 - i));
    rdma("mlx5_" + std::to_string(i), name);
  }
  auto choice = choose_interfaces(interfaces_, root_);
  ASSERT_TRUE(choice);
  ASSERT_EQ(choice->names.size(), kChoicesMost);
  EXPECT_EQ(choice->names.front(), "vf100");
  EXPECT_EQ(choice->names.back(), "vf115");
  EXPECT_NE(choice->reason.find("16 are watched unless -i names them, so not vf116, vf117"), std::string::npos);
}

TEST_F(LiveInterfaces, WithoutRdmaOneIsWatchedForEver) {
  interface("eth0", true, 10);
  interface("eth1", true, 20);
  auto choice = choose_interfaces(interfaces_, root_);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->names, std::vector<std::string>{"eth1"});
  EXPECT_NE(choice->reason.find("moved most bytes"), std::string::npos);
  EXPECT_FALSE(choose_interfaces({}, root_));
}

TEST_F(LiveInterfaces, WithoutRdmaTheBusiestThatIsUpIs) {
  interface("lo", true, 999999999);
  interface("eth0", true, 10);
  interface("eth1", true, 20);
  interface("eth2", false, 30);
  const auto choice = choose_interface(interfaces_, root_);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice.value().name, "eth1");
  EXPECT_NE(choice.value().reason.find("moved most bytes"), std::string::npos);
}

TEST_F(LiveInterfaces, OfAnotherNamespacesSysNothingIsBelieved) {
  interface("eth0", true, 10);
  interface("eth1", true, 20);
  rdma("mlx5_0", "eth0");
  put("class/net/eth0/ifindex", "77");  // the host's, which has that name too
  put("class/net/eth9/ifindex", "78");
  rdma("mlx5_1", "eth9");
  const auto choice = choose_interface(interfaces_, root_);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice.value().name, "eth1");
  EXPECT_NE(choice.value().reason.find("no interface has an RDMA device"), std::string::npos);
}

TEST_F(LiveInterfaces, TheKernelTellsTheLoopbackOfThisNamespace) {
  const auto all = network_interfaces();
  const auto lo = std::find_if(all.begin(), all.end(), [](const auto& i) { return i.loopback; });
  if (lo == all.end()) GTEST_SKIP() << "no loopback here";
  EXPECT_EQ(lo->name, "lo");
  EXPECT_NE(lo->index, 0U);
}

TEST_F(LiveInterfaces, AnRdmaDeviceIsThereOrNot) {
  rdma("mlx5_0", "eth0");
  EXPECT_TRUE(is_rdma_device("mlx5_0", root_));
  EXPECT_FALSE(is_rdma_device("mlx5_1", root_));
  EXPECT_FALSE(is_rdma_device("", root_));
  EXPECT_FALSE(is_rdma_device("../infiniband/mlx5_0", root_));
}

TEST_F(LiveInterfaces, NothingUpIsAnError) {
  interface("lo", true, 1);
  interface("eth0", false, 1);
  EXPECT_FALSE(choose_interface(interfaces_, root_));
  EXPECT_FALSE(choose_interface({}, root_));
}

TEST_F(LiveInterfaces, SoftRoceNamesItsParent) {
  put("class/infiniband/rxe0/parent", "eth7");
  put("class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0", "bond0");
  rdma("mlx5_0", "eth0");
  EXPECT_EQ(rdma_devices_of("eth7", root_), std::vector<std::string>{"rxe0"});
  EXPECT_EQ(rdma_devices_of("bond0", root_), std::vector<std::string>{"mlx5_0"});
  EXPECT_EQ(rdma_devices_of("eth0", root_), std::vector<std::string>{"mlx5_0"});
  EXPECT_TRUE(rdma_devices_of("eth1", root_).empty());
}

TEST_F(LiveInterfaces, CountersThatMoveWhileNothingIsCapturedAreABypass) {
  rdma("mlx5_0", "eth0");
  counter("mlx5_0", "counters/port_rcv_packets", 1000);
  counter("mlx5_0", "counters/port_xmit_packets", 500);
  EXPECT_EQ(rdma_packets("mlx5_0", root_), 1500u);
  BypassWatch watch("eth0", root_);
  watch.look(0, seconds(10));
  counter("mlx5_0", "counters/port_rcv_packets", 2000);
  watch.look(0, seconds(11));
  EXPECT_FALSE(watch.suspected()) << "too early: the capture may be on its way";
  watch.look(0, seconds(12));
  EXPECT_TRUE(watch.suspected());
  watch.look(1, seconds(13));
  EXPECT_FALSE(watch.suspected()) << "a RoCE frame was captured";
}

TEST_F(LiveInterfaces, QuietCountersAreNone) {
  rdma("mlx5_0", "eth0");
  counter("mlx5_0", "counters/port_rcv_packets", 1000);
  BypassWatch watch("eth0", root_);
  watch.look(0, seconds(10));
  counter("mlx5_0", "counters/port_rcv_packets", 1010);
  watch.look(0, seconds(100));
  EXPECT_FALSE(watch.suspected());
  BypassWatch other("eth1", root_);
  other.look(0, seconds(10));
  other.look(0, seconds(100));
  EXPECT_FALSE(other.suspected());
}

}  // namespace
}  // namespace rocetop::source
