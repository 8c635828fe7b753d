// SPDX-License-Identifier: BSD-3-Clause
#include "heap_pages.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace rocetop::cli {

#ifdef __GLIBC__
namespace {

constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;  // bytes; of larger ones this is a part
constexpr int kHeapStep = 64 << 20;                            // bytes; what is not touched takes no memory
constexpr int kOwnMapping = 32 << 20;                          // bytes; the C library's own upper bound

}  // namespace

HeapPages::HeapPages() {
  mallopt(M_TOP_PAD, kHeapStep);
  mallopt(M_TRIM_THRESHOLD, 2 * kHeapStep);
  mallopt(M_MMAP_THRESHOLD, kOwnMapping);
}

void HeapPages::look() {
  char* end = static_cast<char*>(sbrk(0));
  if (end == end_) return;
  char* begin = end_ != nullptr && end_ < end ? end_ : end - kHeapStep;
  end_ = end;
  begin += (kHugePage - reinterpret_cast<std::uintptr_t>(begin) % kHugePage) % kHugePage;
  end -= reinterpret_cast<std::uintptr_t>(end) % kHugePage;
  // A hint: where it is refused, or part of the range is no heap, nothing is lost.
  if (begin < end) madvise(begin, static_cast<std::size_t>(end - begin), MADV_HUGEPAGE);
}
#else
HeapPages::HeapPages() = default;
void HeapPages::look() {}
#endif

}  // namespace rocetop::cli
