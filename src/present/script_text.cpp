// SPDX-License-Identifier: BSD-3-Clause
#include "present/script_text.h"

namespace rocetop::present {
namespace {

constexpr std::string_view kSeparatorStart = "\xE2\x80";  // of U+2028 and U+2029, E2 80 A8 and E2 80 A9

}  // namespace

void ScriptText::write(std::string_view json) {
  std::string text;
  text.reserve(json.size() + json.size() / 16);
  for (const char c : json) {
    if (pending_.size() == 2) {
      if (c == '\xA8' || c == '\xA9') {
        text += c == '\xA8' ? "\\u2028" : "\\u2029";
        pending_.clear();
        continue;
      }
    } else if (c == kSeparatorStart[pending_.size()]) {
      pending_ += c;
      continue;
    }
    text += pending_;
    pending_.clear();
    switch (c) {
      case '<':
        text += "\\u003c";
        break;
      case '>':
        text += "\\u003e";
        break;
      case '&':
        text += "\\u0026";
        break;
      default:
        if (c == kSeparatorStart[0]) {
          pending_ += c;
        } else {
          text += c;
        }
    }
  }
  sink_(text);
}

void ScriptText::finish() {
  sink_(pending_);
  pending_.clear();
}

}  // namespace rocetop::present
