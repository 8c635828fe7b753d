// SPDX-License-Identifier: BSD-3-Clause
// Asking for memory before it is needed. A hint: nothing but time depends on it.
#pragma once

#include <cstddef>

namespace rocetop {

inline constexpr std::size_t kCacheLine = 64;  // bytes, on every machine this runs on

/// The cache lines that `bytes` bytes from `start` on lie in.
inline void fetch_lines(const void* start, std::size_t bytes) {
  const char* at = static_cast<const char*>(start);
  for (std::size_t i = 0; i < bytes; i += kCacheLine) __builtin_prefetch(at + i, 1);
}

}  // namespace rocetop
