//===- MonotonicClock.h - the clock of steps and waits ------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_MONOTONICCLOCK_H
#define GRAPHC_RUNTIME_COMMON_BASE_MONOTONICCLOCK_H

#include <cstdint>
#include <ctime>

namespace graphc::base {

/// Nanoseconds of CLOCK_MONOTONIC, which nobody sets.
inline int64_t nowNanoseconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

/// A counter that costs little to read, of roughly two (a half to five) a nanosecond: for what need
/// not be exact.
inline int64_t ticks() {
#if defined(__x86_64__)
  return int64_t(__builtin_ia32_rdtsc());
#else
  return 2 * nowNanoseconds();
#endif
}

} // namespace graphc::base
#endif
