// SPDX-License-Identifier: BSD-3-Clause
// bench_make_capture FILE [options]: capture_maker.h as a command.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "capture_maker.h"

int main(int argc, char** argv) {
  CLI::App app("Writes a made RoCEv2 capture for measuring speed");
  std::string path;
  rocetop::bench::CaptureShape shape;
  app.add_option("FILE", path, "pcap file to write")->required();
  app.add_option("--packets", shape.packets, "records in the file")->capture_default_str();
  app.add_option("--queue-pairs", shape.queue_pairs, "connections")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app.add_option("--loss", shape.loss, "share of data packets lost before the tap")->check(CLI::Range(0.0, 0.5));
  app.add_option("--seed", shape.seed, "another seed, other packets")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  std::FILE* out = std::fopen(path.c_str(), "wb");
  if (out == nullptr) {
    std::perror(path.c_str());
    return 1;
  }
  const bool written = rocetop::bench::make_capture(shape, out);
  if (std::fclose(out) != 0 || !written) {
    std::perror(path.c_str());
    return 1;
  }
  return 0;
}
