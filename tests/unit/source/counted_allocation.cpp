// SPDX-License-Identifier: BSD-3-Clause
// In a file of its own: inlined into one caller, GCC takes a replaced delete for the wrong partner of new.
#include "counted_allocation.h"

#include <cstdlib>
#include <new>

namespace rocetop::source::test {

thread_local std::uint64_t allocations = 0;
thread_local std::uint64_t allocated_bytes = 0;

namespace {

void* count_and_allocate(std::size_t bytes) noexcept {
  ++allocations;
  allocated_bytes += bytes;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  std::abort();
}

}  // namespace
}  // namespace rocetop::source::test

using rocetop::source::test::count_and_allocate;

// All forms but the aligned ones, or AddressSanitizer finds its own new with this delete.
void* operator new(std::size_t bytes) { return count_and_allocate(bytes); }
void* operator new[](std::size_t bytes) { return count_and_allocate(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return count_and_allocate(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return count_and_allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
