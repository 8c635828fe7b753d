// SPDX-License-Identifier: BSD-3-Clause
// bench_allocations FOLDER: counts what the whole analysis allocates on made captures of two lengths, in FOLDER for as
// long as it runs. What the longer one allocates more is the price of its further packets, and has to be next to
// nothing; what both allocate is the price of their connections.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>

#include "capture_maker.h"
#include "engine/analysis.h"
#include "source/frame_source.h"

namespace {

std::atomic<std::uint64_t> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) std::abort();
  return memory;
}

constexpr std::size_t kDefaultAlignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

// The array and nothrow forms of the standard library end up in these.
void* operator new(std::size_t size) { return counted(size, kDefaultAlignment); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace rocetop {
namespace {

constexpr std::uint64_t kShort = 800'000;   // packets; the 1,024 connections and their distributions have long grown
constexpr std::uint64_t kLong = 1'600'000;  // packets
constexpr std::uint64_t kPacketsPerAllocation = 1'000;  // allowed: a table that doubles, a finding

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "bench_allocations: %s\n", why.c_str());
  std::exit(1);
}

/// Allocations from opening the capture to the end of the analysis.
std::uint64_t allocations_of(const std::string& path, std::uint64_t packets) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) fail("cannot write " + path);
  const bool made = bench::make_capture({.packets = packets}, file);
  if (std::fclose(file) != 0 || !made) fail("cannot write " + path);

  const std::uint64_t before = allocations.load();
  auto source = source::open_capture(path);
  if (!source) fail(source.error().message);
  auto analysis = engine::Analysis::create({});
  if (!analysis) fail(analysis.error().message);
  analysis.value()->run(*source.value(), {}, {}, nullptr);
  const auto snapshot = analysis.value()->finish();
  const std::uint64_t count = allocations.load() - before;
  // A run that read nothing would pass for free.
  if (snapshot.capture.frames != packets || snapshot.capture.roce_frames != packets) fail("not every frame was read");
  std::filesystem::remove(path);
  return count;
}

int run(const std::string& folder) {
  const std::string path = folder + "/allocations.pcap";
  const std::uint64_t few = allocations_of(path, kShort);
  const std::uint64_t many = allocations_of(path, kLong);
  const std::uint64_t more = many > few ? many - few : 0;
  const std::uint64_t allowed = (kLong - kShort) / kPacketsPerAllocation;
  std::printf("%llu allocations for %llu packets, %llu for %llu: %llu more, %llu are allowed\n",
              static_cast<unsigned long long>(few), static_cast<unsigned long long>(kShort),
              static_cast<unsigned long long>(many), static_cast<unsigned long long>(kLong),
              static_cast<unsigned long long>(more), static_cast<unsigned long long>(allowed));
  return more <= allowed ? 0 : 1;
}

}  // namespace
}  // namespace rocetop

int main(int argc, char** argv) {
  if (argc != 2) rocetop::fail("usage: bench_allocations FOLDER");
  return rocetop::run(argv[1]);
}
