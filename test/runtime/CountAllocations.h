//===- CountAllocations.h - every allocation of this process, counted ---------------*- C++ -*-===//
//
// Replaces operator new, so it is included by one file of a binary, and not under the sanitizers,
// which replace it too. Our code calls no malloc by itself.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TEST_RUNTIME_COUNTALLOCATIONS_H
#define GRAPHC_TEST_RUNTIME_COUNTALLOCATIONS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace graphc {

inline std::atomic<bool> countAllocations{false};
inline std::atomic<uint64_t> allocations{0};

inline void *countedAllocation(size_t bytes, size_t alignment) {
  if (countAllocations.load(std::memory_order_relaxed))
    allocations.fetch_add(1, std::memory_order_relaxed);
  bytes = bytes ? bytes : 1;
  return alignment <= alignof(std::max_align_t)
             ? std::malloc(bytes)
             : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

} // namespace graphc

void *operator new(size_t bytes) { return graphc::countedAllocation(bytes, 1); }
void *operator new[](size_t bytes) { return graphc::countedAllocation(bytes, 1); }
void *operator new(size_t bytes, std::align_val_t a) {
  return graphc::countedAllocation(bytes, size_t(a));
}
void *operator new[](size_t bytes, std::align_val_t a) {
  return graphc::countedAllocation(bytes, size_t(a));
}
void operator delete(void *p) noexcept { std::free(p); }
void operator delete[](void *p) noexcept { std::free(p); }
void operator delete(void *p, size_t) noexcept { std::free(p); }
void operator delete[](void *p, size_t) noexcept { std::free(p); }
void operator delete(void *p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void *p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void *p, size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void *p, size_t, std::align_val_t) noexcept { std::free(p); }

#endif
