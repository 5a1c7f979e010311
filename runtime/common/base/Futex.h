//===- Futex.h - Linux futex on a 32-bit word ---------------------------------------*- C++ -*-===//
//
// Not FUTEX_PRIVATE where the word is in memory shared with another process.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_FUTEX_H
#define GRAPHC_RUNTIME_COMMON_BASE_FUTEX_H

#include <atomic>
#include <cstdint>

namespace graphc::base {

enum class FutexScope { Process, Shared };

/// Sleeps while *word == expected, at most `nanoseconds` (negative: no limit). May wake spuriously.
void futexWait(const std::atomic<uint32_t> *word, uint32_t expected, int64_t nanoseconds,
               FutexScope scope);
/// Wakes up to `count` sleepers.
void futexWake(const std::atomic<uint32_t> *word, int count, FutexScope scope);

/// A hint to the CPU that this is a spinning loop.
inline void spinHint() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

} // namespace graphc::base
#endif
