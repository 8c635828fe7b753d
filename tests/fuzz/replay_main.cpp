// SPDX-License-Identifier: BSD-3-Clause
// Runs a fuzz harness without libFuzzer, in every preset: on each file of the folders named, on each of its prefixes,
// and with each of its bytes changed. What the harness finds, it aborts on. Folders that do not exist are empty.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// Mutations are quadratic in the size; larger files are only run as they are.
constexpr std::size_t kMutatedBytes = 1024;

void run(const std::vector<std::uint8_t>& input) {
  // An exact copy, so that AddressSanitizer sees a read past the end.
  const std::vector<std::uint8_t> exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

void run_mutations(std::vector<std::uint8_t> input) {
  for (std::size_t length = 0; length < input.size(); ++length) {
    run({input.begin(), input.begin() + static_cast<std::ptrdiff_t>(length)});
  }
  for (std::uint8_t& byte : input) {
    const std::uint8_t original = byte;
    for (const int changed : {0x00, 0xFF, original ^ 0x01, original ^ 0x80}) {
      byte = static_cast<std::uint8_t>(changed);
      if (byte != original) run(input);
    }
    byte = original;
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argument_count; ++i) {
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(arguments[i], missing)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  run({});
  for (const auto& path : files) {
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);  // the last line printed is the one that failed
    std::ifstream file(path, std::ios::binary);
    const std::vector<std::uint8_t> input{std::istreambuf_iterator<char>(file), {}};
    run(input);
    if (input.size() <= kMutatedBytes) run_mutations(input);
  }
  std::printf("%zu files\n", files.size());
  return 0;
}
