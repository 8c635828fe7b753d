// SPDX-License-Identifier: BSD-3-Clause
// ScriptText: JSON on its way into a <script> element. Hostile text in it can end neither the element nor a line of
// script: "<", ">" and "&" become \u003c and so on, U+2028 and U+2029 their escapes. (In JSON these occur in strings
// only.)
#pragma once

#include <string>
#include <string_view>

#include "present/json_writer.h"

namespace rocetop::present {

class ScriptText {
 public:
  explicit ScriptText(const TextSink& sink) : sink_(sink) {}

  /// Pieces may end anywhere, also inside a character.
  void write(std::string_view json);
  void finish();

 private:
  const TextSink& sink_;
  std::string pending_;  // the start of U+2028 or U+2029 at the end of a piece
};

}  // namespace rocetop::present
