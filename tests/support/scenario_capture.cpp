// SPDX-License-Identifier: BSD-3-Clause
// scenario_capture FILE SCENARIO: writes a scenario's frames as a pcap file, for tests that run the whole program.
#include <cstdio>

#include "generate/pcap_writer.h"
#include "generate/scenario.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("scenario_capture FILE SCENARIO (the language: src/generate/scenario.h)\n", stderr);
    return 2;
  }
  const auto frames = rocetop::generate::run_scenario(argv[2]);
  if (!frames) {
    std::fprintf(stderr, "%s\n", frames.error().message.c_str());
    return 1;
  }
  const auto written = rocetop::generate::write_pcap(argv[1], frames.value());
  if (!written) std::fprintf(stderr, "%s\n", written.error().message.c_str());
  return written ? 0 : 1;
}
