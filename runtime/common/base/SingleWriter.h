//===- SingleWriter.h - a number that one thread writes and others may look at ------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_SINGLEWRITER_H
#define GRAPHC_RUNTIME_COMMON_BASE_SINGLEWRITER_H

#include <atomic>

namespace graphc::base {

/// Its owner reads and writes it like a plain one, at the cost of a plain one; any other thread may
/// read it, and sees some recent value. Says nothing of any other memory: several of them that are
/// read together need not be of one moment.
template <class T> class SingleWriter {
public:
  SingleWriter() = default;
  SingleWriter(T first) : value_(first) {}
  SingleWriter(const SingleWriter &) = delete;

  operator T() const { return value_.load(std::memory_order_relaxed); }
  T operator=(T next) {
    value_.store(next, std::memory_order_relaxed);
    return next;
  }
  // The owner alone adds: no read-modify-write is needed.
  T operator++() { return *this = T(*this) + 1; }
  T operator+=(T more) { return *this = T(*this) + more; }
  T operator-=(T less) { return *this = T(*this) - less; }

private:
  std::atomic<T> value_{};
};

} // namespace graphc::base
#endif
