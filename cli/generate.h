// SPDX-License-Identifier: BSD-3-Clause
// `rocetop generate`: captures of scenarios, with the truth about them.
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace rocetop::cli {

struct GenerateCommand {
  std::string scenario;  ///< a name, a file, or the text
  std::string write;
  std::string truth;
  std::string duration;
  std::string tap;
  std::string show;
  std::uint64_t seed = 1;
  std::uint64_t packets = 0;
  std::uint32_t snap_length = 262'144;
  bool overwrite = false;
  bool list = false;
  std::string color = "auto";
  std::size_t width = 0;
};

CLI::App* add_generate(CLI::App& app, GenerateCommand& command);
int run_generate(const GenerateCommand& command);

}  // namespace rocetop::cli
