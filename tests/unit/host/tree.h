// SPDX-License-Identifier: BSD-3-Clause
// A folder that looks like sysfs, made for one test, and an ethtool that says what the test wants. The trees of the
// drivers are in trees/: "path=value", "path -> target of a link", "@interface statistic=value".
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/host_reading.h"

namespace rocetop::host::testing {

class FakeEthtool : public Ethtool {
 public:
  EthtoolAnswer<std::vector<model::AdapterCounter>> statistics(const std::string& interface) override {
    return {counters[interface], broken};
  }
  EthtoolAnswer<PauseStatistics> pause(const std::string& interface) override {
    const auto it = pauses.find(interface);
    return {it != pauses.end() ? it->second : PauseStatistics{}, broken};
  }

  std::map<std::string, std::vector<model::AdapterCounter>> counters;
  std::map<std::string, PauseStatistics> pauses;
  bool broken = false;
};

class Tree {
 public:
  Tree() {
    std::string name = (std::filesystem::temp_directory_path() / "rocetop_tree_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    root_ = name;
    std::filesystem::create_directories(root_ / "net");
  }
  ~Tree() {
    std::error_code error;
    std::filesystem::remove_all(root_, error);
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  std::filesystem::path path(const std::string& below) const { return root_ / below; }
  std::string adapters() const { return (root_ / "ib").string(); }

  void write(const std::string& below, const std::string& text) const {
    std::filesystem::create_directories(path(below).parent_path());
    std::ofstream(path(below)) << text;
  }
  void link(const std::string& below, const std::string& target) const {
    std::filesystem::create_directories(path(below).parent_path());
    std::filesystem::create_symlink(target, path(below));
  }

  /// One of trees/, as the folder ib/.
  void unpack(const std::string& name) {
    std::ifstream in(std::string(ROCETOP_TREES) + "/" + name + ".txt");
    ASSERT_TRUE(in) << name;
    for (std::string line; std::getline(in, line);) {
      const std::size_t arrow = line.find(" -> ");
      const std::size_t equals = line.find('=');
      if (line.empty() || line[0] == '#') continue;
      if (line[0] == '@') {
        const std::size_t blank = line.find(' ');
        ethtool->counters[line.substr(1, blank - 1)].push_back(
            {line.substr(blank + 1, equals - blank - 1), std::stoull(line.substr(equals + 1))});
      } else if (arrow != std::string::npos) {
        link("ib/" + line.substr(0, arrow), line.substr(arrow + 4));
      } else {
        write("ib/" + line.substr(0, equals), line.substr(equals + 1) + "\n");
      }
    }
  }

  model::HostReading read() const {
    HostRoots roots;
    roots.adapters = adapters();
    roots.interfaces = path("net").string();
    roots.ethtool = ethtool;
    return read_host(roots);
  }

  std::shared_ptr<FakeEthtool> ethtool = std::make_shared<FakeEthtool>();

 private:
  std::filesystem::path root_;
};

inline std::uint64_t errors(const model::HostReading& reading, model::HostReadError error) {
  return reading.errors.of[static_cast<std::size_t>(error)];
}

inline std::uint64_t errors(const model::HostReading& reading) {
  std::uint64_t all = 0;
  for (const std::uint64_t n : reading.errors.of) all += n;
  return all;
}

}  // namespace rocetop::host::testing
