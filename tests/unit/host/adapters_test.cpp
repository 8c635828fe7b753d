// SPDX-License-Identifier: BSD-3-Clause
#include "host/adapters.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "tree.h"

namespace rocetop::host {
namespace {

using model::HostReadError;
using testing::errors;
using testing::Tree;

TEST(Adapters, ReadsWhatAPortCounts) {
  const Tree tree;
  tree.link("ib/mlx5_0/device/driver", "../../../bus/pci/drivers/mlx5_core");
  tree.write("ib/mlx5_0/ports/1/state", "4: ACTIVE\n");
  tree.write("ib/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)\n");
  tree.write("ib/mlx5_0/ports/1/link_layer", "Ethernet\n");
  tree.write("ib/mlx5_0/ports/1/gid_attrs/ndevs/0", "eth0\n");
  tree.write("ib/mlx5_0/ports/1/counters/port_rcv_data", "18446744073709551615\n");
  tree.write("ib/mlx5_0/ports/1/hw_counters/out_of_sequence", "12\n");
  tree.write("ib/mlx5_0/ports/1/hw_counters/lifespan", "10\n");
  tree.write("ib/mlx5_0/ports/1/hw_counters/odd", "N/A (no PMA)\n");
  tree.write("ib/rxe0/ports/1/hw_counters/sent_pkts", "7");
  tree.write("ib/mlx5_0/ports/none/hw_counters/x", "7");
  tree.write("ib/mlx5_0/ports/256/hw_counters/x", "7");
  const auto ports = read_adapters(tree.adapters());
  ASSERT_EQ(ports.size(), 2U);
  EXPECT_EQ(ports[0].device, "mlx5_0");
  EXPECT_EQ(ports[0].driver, "mlx5_core");
  EXPECT_EQ(ports[0].port, 1U);
  EXPECT_EQ(ports[0].state, "4: ACTIVE");
  EXPECT_EQ(ports[0].rate, "100 Gb/sec (4X EDR)");
  EXPECT_EQ(ports[0].link_layer, "Ethernet");
  EXPECT_EQ(ports[0].interface, "eth0");
  ASSERT_EQ(ports[0].counters.size(), 2U) << "what is no number is left out";
  EXPECT_EQ(ports[0].counters[0].name, "out_of_sequence");
  EXPECT_EQ(ports[0].counters[0].value, 12U);
  EXPECT_EQ(ports[0].counters[1].value, 18446744073709551615U);
  EXPECT_EQ(ports[1].device, "rxe0");
  EXPECT_EQ(ports[1].driver, "");
  EXPECT_EQ(ports[1].interface, "");
  EXPECT_EQ(errors(tree.read()), 0U) << "what a driver does not have is no error";
}

TEST(Adapters, NothingThereIsNothing) {
  const Tree tree;
  EXPECT_TRUE(read_adapters(tree.adapters()).empty());
  EXPECT_TRUE(read_adapters(tree.path("").string()).empty());
  const auto reading = tree.read();
  EXPECT_TRUE(reading.ports.empty());
  EXPECT_TRUE(reading.interfaces.empty());
  EXPECT_EQ(errors(reading), 0U);
}

TEST(Adapters, FindsTheInterfaceWhereThereIsNoGid) {
  const Tree tree;
  tree.write("ib/a/ports/1/state", "4: ACTIVE");
  tree.write("ib/a/device/net/eth5/mtu", "1500");
  tree.write("ib/b/ports/1/state", "4: ACTIVE");
  tree.write("ib/b/device/net/eth6/mtu", "1500");
  tree.write("ib/b/device/net/eth7/mtu", "1500");
  tree.write("ib/c/ports/1/state", "4: ACTIVE");
  tree.write("ib/c/parent", "eth8\n");
  const auto ports = read_adapters(tree.adapters());
  ASSERT_EQ(ports.size(), 3U);
  EXPECT_EQ(ports[0].interface, "eth5");
  EXPECT_EQ(ports[1].interface, "") << "either could be meant";
  EXPECT_EQ(ports[2].interface, "eth8");
  EXPECT_EQ(ports[2].driver, "rdma_rxe");
}

TEST(Adapters, CountersOfADeviceAreThoseOfItsOnlyPort) {
  const Tree tree;
  tree.write("ib/one/ports/1/hw_counters/x", "1");
  tree.write("ib/one/hw_counters/x", "2");
  tree.write("ib/one/hw_counters/y", "3");
  tree.write("ib/two/ports/1/hw_counters/x", "1");
  tree.write("ib/two/ports/2/hw_counters/x", "1");
  tree.write("ib/two/hw_counters/y", "3");
  const auto ports = read_adapters(tree.adapters());
  ASSERT_EQ(ports.size(), 3U);
  ASSERT_EQ(ports[0].counters.size(), 2U);
  EXPECT_EQ(ports[0].counters[0].value, 1U) << "the port's own";
  EXPECT_EQ(ports[0].counters[1].name, "y");
  EXPECT_EQ(ports[1].counters.size(), 1U);
  EXPECT_EQ(ports[2].counters.size(), 1U);
}

TEST(Adapters, AreBoundedAndSaySo) {
  const Tree tree;
  for (int i = 0; i < 600; ++i) tree.write("ib/a/ports/1/counters/c" + std::to_string(i), "1");
  for (int i = 0; i < 100; ++i) tree.write("ib/d" + std::to_string(i) + "/ports/1/state", "4: ACTIVE");
  for (int i = 0; i < 300; ++i) tree.write("ib/d0/ports/" + std::to_string(i) + "/state", "4: ACTIVE");
  const auto reading = tree.read();
  ASSERT_FALSE(reading.ports.empty());
  EXPECT_EQ(reading.ports[0].counters.size(), 256U);
  EXPECT_LE(reading.ports.size(), 64U + 16U);
  EXPECT_EQ(errors(reading, HostReadError::kLimit), 3U);
  EXPECT_EQ(errors(reading), 3U);
}

TEST(Adapters, BothFoldersTogetherAreBounded) {
  const Tree tree;
  for (int i = 0; i < 200; ++i) {
    tree.write("ib/a/ports/1/counters/c" + std::to_string(i), "1");
    tree.write("ib/a/ports/1/hw_counters/h" + std::to_string(i), "1");
  }
  const auto reading = tree.read();
  EXPECT_EQ(reading.ports.at(0).counters.size(), 256U);
  EXPECT_EQ(errors(reading, HostReadError::kLimit), 1U);
}

TEST(Adapters, WhatIsNoNumberIsCountedAndLeftOut) {
  const Tree tree;
  const std::string counters = "ib/a/ports/1/counters/";
  tree.write(counters + "a_minus", "-1\n");
  tree.write(counters + "b_empty", "");
  tree.write(counters + "c_large", "18446744073709551616\n");
  tree.write(counters + "d_text", "12 packets\n");
  tree.write(counters + "e_huge", std::string(1'000'000, '9'));
  tree.write(counters + "f_zero", std::string("1\0002", 3));
  tree.write(counters + "g_plus", "+1\n");
  tree.write(counters + "h_good", "5\nand more");
  const auto reading = tree.read();
  ASSERT_EQ(reading.ports.size(), 1U);
  ASSERT_EQ(reading.ports[0].counters.size(), 2U);
  EXPECT_EQ(reading.ports[0].counters[0].name, "f_zero");
  EXPECT_EQ(reading.ports[0].counters[0].value, 1U);
  EXPECT_EQ(reading.ports[0].counters[1].name, "h_good");
  EXPECT_EQ(errors(reading, HostReadError::kValue), 6U);
  EXPECT_EQ(errors(reading), 6U);
}

TEST(Adapters, WhatIsNoFileIsCountedAndBlocksNobody) {
  const Tree tree;
  const std::string counters = "ib/a/ports/1/counters/";
  tree.write(counters + "good", "5");
  tree.write(counters + "folder/x", "5");
  tree.link(counters + "loop", "loop");
  tree.link(counters + "nowhere", "absent");
  tree.link(counters + "terminal", "/dev/tty");
  ASSERT_EQ(mkfifo(tree.path(counters + "fifo").c_str(), 0600), 0);
  tree.link("ib/b", "b");
  tree.link("ib/c/ports", "../c");
  tree.link("ib/d/ports/1", "1");
  tree.write("ib/e", "a file");
  const auto reading = tree.read();
  ASSERT_GE(reading.ports.size(), 1U);
  EXPECT_EQ(reading.ports[0].device, "a");
  ASSERT_EQ(reading.ports[0].counters.size(), 1U);
  EXPECT_EQ(reading.ports[0].counters[0].name, "good");
  EXPECT_GE(errors(reading, HostReadError::kFile), 5U) << "folder, loop, terminal, fifo, and b";
  EXPECT_EQ(errors(reading, HostReadError::kValue), 0U) << "a fifo that nobody writes is no empty file";
}

TEST(Adapters, FoldersThatAreClosedAreCounted) {
  if (geteuid() != 0) GTEST_SKIP() << "cannot become another user";
  const Tree tree;
  tree.write("ib/a/ports/1/counters/x", "5");
  tree.write("ib/a/ports/1/hw_counters/y", "5");
  ASSERT_EQ(chmod(tree.path("").c_str(), 0755), 0);
  ASSERT_EQ(chmod(tree.path("ib/a/ports/1/counters/x").c_str(), 0), 0);
  ASSERT_EQ(chmod(tree.path("ib/a/ports/1/hw_counters").c_str(), 0), 0);
  ASSERT_EQ(seteuid(65534), 0);
  const auto reading = tree.read();
  ASSERT_EQ(seteuid(0), 0);
  ASSERT_EQ(reading.ports.size(), 1U);
  EXPECT_TRUE(reading.ports[0].counters.empty());
  EXPECT_EQ(errors(reading, HostReadError::kFile), 2U);
}

TEST(Sysfs, GivesUpWhenItsTimeOrItsFilesAreSpent) {
  const Tree tree;
  tree.write("ib/a/ports/1/counters/x", "5");
  Sysfs late({.files = 100, .time = std::chrono::milliseconds(0)});
  EXPECT_TRUE(read_adapters(tree.adapters(), late).empty());
  EXPECT_EQ(late.errors().of[static_cast<std::size_t>(HostReadError::kTime)], 1U) << "once";
  Sysfs small({.files = 4, .time = std::chrono::hours(1)});
  EXPECT_EQ(read_adapters(tree.adapters(), small).size(), 1U);
  EXPECT_EQ(small.errors().of[static_cast<std::size_t>(HostReadError::kLimit)], 1U);
}

}  // namespace
}  // namespace rocetop::host
