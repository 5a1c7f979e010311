//===- HostMemory.h - what the simulated driver knows of the host's memory ----------*- C++ -*-===//
//
// Which of it was registered (pinned), by NVIDIA's documentation of cuMemHostRegister. Where
// GRAPHC_FAKE_NO_READ_ONLY is set memory that is mapped read-only cannot be, as on some platforms.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TEST_CUDA_HOSTMEMORY_H
#define GRAPHC_TEST_CUDA_HOSTMEMORY_H

#include "runtime/common/base/Mutex.h"

#include <cstdint>
#include <map>

namespace graphc::fake {

class HostMemory {
public:
  static constexpr int kInvalidValue = 1, kAlreadyRegistered = 712, kNotRegistered = 713,
                       kNotSupported = 801;
  static constexpr unsigned kReadOnly = 8;

  /// Results of the driver's. What was unmapped before it was unregistered ends the process.
  int add(const void *start, uint64_t bytes, unsigned flags);
  int remove(const void *start);

  enum class Kind { Pageable, Pinned, PinnedReadOnly };
  /// Of all of these bytes.
  Kind find(const void *start, uint64_t bytes);

private:
  struct Range {
    uint64_t bytes;
    bool readOnly;
  };
  base::Mutex mutex_;
  std::map<uintptr_t, Range> ranges_ ABSL_GUARDED_BY(mutex_);
};

/// Whether other processes may have the same page.
bool isShared(const void *address);

} // namespace graphc::fake
#endif
