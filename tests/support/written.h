// SPDX-License-Identifier: BSD-3-Clause
// What a function that writes piece by piece has written.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace rocetop::test {

/// `write` is called with a sink.
template <typename Write>
std::string written(Write&& write) {
  std::string text;
  std::forward<Write>(write)([&text](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace rocetop::test
