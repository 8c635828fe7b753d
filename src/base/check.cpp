// SPDX-License-Identifier: BSD-3-Clause
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace rocetop {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "rocetop: bug: %s does not hold at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace rocetop
