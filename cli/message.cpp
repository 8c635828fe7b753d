// SPDX-License-Identifier: BSD-3-Clause
#include "message.h"

#include <cstdio>
#include <string>

#include "present/text.h"
#include "terminal.h"

namespace rocetop::cli {

void complain(std::string_view message, std::string_view hint) {
  const bool unicode = locale_is_utf8();
  std::string text = "rocetop: " + present::clean(message, unicode) + "\n";
  if (!hint.empty()) text += "  hint: " + present::clean(hint, unicode) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void complain(const Error& error) { complain(error.message, error.hint); }

}  // namespace rocetop::cli
