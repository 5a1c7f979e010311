//===- StepStats.h - times of the last steps of a lane -----------------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_STEPSTATS_H
#define GRAPHC_RUNTIME_EXECUTOR_STEPSTATS_H

#include <array>
#include <atomic>
#include <cstdint>

namespace graphc::executor {

/// A ring of the last step times, written by the lane, read by anyone (each cell and the count are atomic; a reader that
/// races with the writer may see one newer cell, which a statistic does not mind).
class StepStats {
public:
  static constexpr uint64_t ringSize = 8192;

  void add(int64_t nanoseconds) {
    uint64_t n = count.load(std::memory_order_relaxed);
    ring[n % ringSize].store(uint32_t(nanoseconds < UINT32_MAX ? nanoseconds : UINT32_MAX), std::memory_order_relaxed);
    count.store(n + 1, std::memory_order_release);
  }
  uint64_t steps() const { return count.load(std::memory_order_acquire); }

  struct Summary {
    uint64_t steps = 0; ///< all, not only those in the ring
    double medianMs = 0, p99Ms = 0, minMs = 0; ///< of the last ringSize steps
    double meanMs = 0;
  };
  Summary summary() const;

private:
  std::array<std::atomic<uint32_t>, ringSize> ring{};
  std::atomic<uint64_t> count{0};
};

} // namespace graphc::executor
#endif
