// SPDX-License-Identifier: BSD-3-Clause
#include "host/adapters.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace rocetop::host {
namespace {

namespace fs = std::filesystem;

class Adapters : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "rocetop_adapters_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  fs::path root_;
};

TEST_F(Adapters, ReadsWhatAPortCounts) {
  write("mlx5_0/ports/1/state", "4: ACTIVE\n");
  write("mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)\n");
  write("mlx5_0/ports/1/link_layer", "Ethernet\n");
  write("mlx5_0/ports/1/gid_attrs/ndevs/0", "eth0\n");
  write("mlx5_0/ports/1/counters/port_rcv_data", "18446744073709551615\n");
  write("mlx5_0/ports/1/hw_counters/out_of_sequence", "12\n");
  write("mlx5_0/ports/1/hw_counters/lifespan", "10\n");
  write("mlx5_0/ports/1/hw_counters/odd", "N/A (no PMA)\n");
  write("mlx5_0/ports/1/hw_counters/empty", "");
  write("rxe0/ports/1/hw_counters/sent_pkts", "7");
  write("mlx5_0/ports/none/hw_counters/x", "7");
  const auto ports = read_adapters(root_.string());
  ASSERT_EQ(ports.size(), 2U);
  EXPECT_EQ(ports[0].device, "mlx5_0");
  EXPECT_EQ(ports[0].port, 1U);
  EXPECT_EQ(ports[0].state, "4: ACTIVE");
  EXPECT_EQ(ports[0].rate, "100 Gb/sec (4X EDR)");
  EXPECT_EQ(ports[0].interface, "eth0");
  ASSERT_EQ(ports[0].counters.size(), 2U) << "what is no number is left out";
  EXPECT_EQ(ports[0].counters[0].name, "out_of_sequence");
  EXPECT_EQ(ports[0].counters[0].value, 12U);
  EXPECT_EQ(ports[0].counters[1].value, 18446744073709551615U);
  EXPECT_EQ(ports[1].device, "rxe0");
  EXPECT_EQ(ports[1].interface, "");
}

TEST_F(Adapters, NothingThereIsNothing) {
  EXPECT_TRUE(read_adapters((root_ / "absent").string()).empty());
  EXPECT_TRUE(read_adapters(root_.string()).empty());
}

TEST_F(Adapters, IsBounded) {
  for (int i = 0; i < 600; ++i) write("a/ports/1/counters/c" + std::to_string(i), "1");
  ASSERT_EQ(read_adapters(root_.string()).size(), 1U);
  EXPECT_LE(read_adapters(root_.string())[0].counters.size(), 256U);
}

}  // namespace
}  // namespace rocetop::host
