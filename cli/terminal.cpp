// SPDX-License-Identifier: BSD-3-Clause
#include "terminal.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cstdlib>
#include <cstring>

namespace rocetop::cli {
namespace {

constexpr std::size_t kDefaultWidth = 80;
constexpr std::size_t kNarrowest = 20;
constexpr std::size_t kWidest = 1'000;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::size_t width_of(int fd) {
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool colour_wanted(std::string_view color) {
  if (color != "auto") return color == "always";
  return stdout_is_terminal() && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

}  // namespace

std::size_t terminal_width() {
  const std::string_view columns = environment("COLUMNS");
  std::size_t width = 0;
  std::from_chars(columns.data(), columns.data() + columns.size(), width);
  if (width == 0) width = width_of(STDOUT_FILENO);
  if (width == 0) width = width_of(STDERR_FILENO);  // `rocetop … | less` has one all the same
  return width == 0 ? kDefaultWidth : std::max(width, kNarrowest);
}

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }
bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

bool locale_is_utf8() {
  static const bool utf8 = [] {
    std::setlocale(LC_CTYPE, "");
    return std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  }();
  return utf8;
}

present::TextStyle text_style(std::string_view color, std::size_t width) {
  present::TextStyle style;
  style.width = std::min(std::max(width != 0 ? width : terminal_width(), kNarrowest), kWidest);
  style.colour = colour_wanted(color);
  style.unicode = locale_is_utf8();
  return style;
}

}  // namespace rocetop::cli
