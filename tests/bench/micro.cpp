// SPDX-License-Identifier: BSD-3-Clause
// bench_micro: time per packet of single steps, on a made capture: reading, decoding, the whole analysis. For comparing
// two builds; `./dev bench` compares with other programs. Options are Google Benchmark's.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capture_maker.h"
#include "engine/analysis.h"
#include "source/frame_source.h"
#include "wire/decode.h"

namespace rocetop {
namespace {

constexpr std::uint64_t kPackets = 500'000;

/// The capture all benchmarks read, made once and removed at exit.
const std::string& capture_path() {
  struct File {
    std::string path = (std::filesystem::temp_directory_path() / "rocetop_bench_XXXXXX").string();
    File() {
      const int descriptor = mkstemp(path.data());
      std::FILE* file = descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
      if (file == nullptr || !bench::make_capture({.packets = kPackets}, file) || std::fclose(file) != 0) {
        std::perror(path.c_str());
        std::exit(1);
      }
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { std::remove(path.c_str()); }
  };
  static const File file;
  return file.path;
}

std::unique_ptr<source::FrameSource> open() {
  auto opened = source::open_capture(capture_path());
  if (!opened) {
    std::fprintf(stderr, "%s\n", opened.error().message.c_str());
    std::exit(1);
  }
  return std::move(opened.value());
}

void count_packets(benchmark::State& state, std::uint64_t packets) {
  state.SetItemsProcessed(static_cast<std::int64_t>(packets));
}

void read_frames(benchmark::State& state) {
  std::uint64_t packets = 0;
  std::vector<source::Frame> batch;
  for (auto _ : state) {
    const auto source = open();
    while (source->next_batch(batch)) packets += batch.size();
  }
  count_packets(state, packets);
}
BENCHMARK(read_frames)->Unit(benchmark::kMillisecond);

void read_and_decode(benchmark::State& state) {
  std::uint64_t packets = 0;
  std::vector<source::Frame> batch;
  const wire::DecodeOptions options;
  wire::Decoded decoded;
  for (auto _ : state) {
    const auto source = open();
    while (source->next_batch(batch)) {
      for (const auto& frame : batch) {
        wire::decode(frame.link_type, frame.bytes, frame.wire_length, options, decoded);
        benchmark::DoNotOptimize(decoded.packet.bth.psn.value);
      }
      packets += batch.size();
    }
  }
  count_packets(state, packets);
}
BENCHMARK(read_and_decode)->Unit(benchmark::kMillisecond);

void analyse(benchmark::State& state) {
  std::uint64_t packets = 0;
  for (auto _ : state) {
    const auto source = open();
    auto analysis = engine::Analysis::create({});
    if (!analysis) {
      state.SkipWithError(analysis.error().message.c_str());
      return;
    }
    analysis.value()->run(*source, {}, {}, nullptr);
    packets += analysis.value()->finish().capture.frames;
  }
  count_packets(state, packets);
}
BENCHMARK(analyse)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rocetop

BENCHMARK_MAIN();
