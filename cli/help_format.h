// SPDX-License-Identifier: BSD-3-Clause
// How --help looks: usage first, descriptions wrapped to the terminal's width, examples at the end.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace rocetop::cli {

class HelpFormat final : public CLI::Formatter {
 public:
  HelpFormat(std::size_t width, bool unicode) : width_(width), unicode_(unicode) {}

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

 private:
  std::string options_of(const CLI::App& app, const std::string& group) const;
  std::string footer(std::string_view text) const;
  std::string row(const std::string& left, const std::string& text) const;

  std::size_t width_;
  bool unicode_;
};

}  // namespace rocetop::cli
