// SPDX-License-Identifier: BSD-3-Clause
// How --help looks: usage first, descriptions wrapped to the terminal's width, examples at the end.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace rocetop::cli {

class HelpFormat final : public CLI::Formatter {
 public:
  explicit HelpFormat(std::size_t width) : width_(width) {}

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

 private:
  std::string options_of(const CLI::App& app, const std::string& group) const;
  std::string row(const std::string& left, const std::string& text) const;

  std::size_t width_;
};

}  // namespace rocetop::cli
