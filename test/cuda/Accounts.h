//===- Accounts.h - what a process asked of the simulated driver --------------------*- C++ -*-===//
//
// How much memory of each GPU is taken, and in the file that GRAPHC_FAKE_ACCOUNTS names (with the
// process's number behind it) what tests compare with graphc's promises: the most that was taken of
// all GPUs and registered of the host while kernels ran, what was copied, and how often each
// function was called (but those that end something).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TEST_CUDA_ACCOUNTS_H
#define GRAPHC_TEST_CUDA_ACCOUNTS_H

#include "runtime/common/base/Mutex.h"
#include "test/cuda/TakenMemory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <unistd.h>
#include <utility>

namespace graphc {

/// From any thread.
class Accounts {
public:
  ~Accounts() {
    const char *name = std::getenv("GRAPHC_FAKE_ACCOUNTS");
    if (!name || !launches_)
      return;
    if (FILE *file =
            std::fopen((std::string(name) + "." + std::to_string(::getpid())).c_str(), "w")) {
      std::fprintf(
          file,
          "{\"memory\": %llu, \"pinned\": %llu, \"shared\": %llu, \"to_device\": %llu, \"from_device\": %llu, "
          "\"pageable_to_device\": %llu, \"pageable_from_device\": %llu, \"calls\": {",
          most_, mostPinned_, mostShared_, toDevice_, fromDevice_, pageableToDevice_,
          pageableFromDevice_);
      const char *between = "";
      for (const auto &[function, count] : calls_)
        std::fprintf(file, "%s\"%s\": %llu", std::exchange(between, ", "), function.c_str(), count);
      std::fprintf(file, "}}\n");
      std::fclose(file);
    }
  }

  void called(const char *function) {
    base::MutexLock lock(mutex_);
    ++calls_[function];
  }
  /// By this and by other processes.
  unsigned long long taken(int gpu) const { return ofGpu_.of(gpu); }
  void allocated(int gpu, unsigned long long address, unsigned long long bytes) {
    base::MutexLock lock(mutex_);
    ofGpu_.add(gpu, bytes);
    memory_ += bytes;
    allocations_[address] = {gpu, bytes};
  }
  void freed(unsigned long long address) {
    base::MutexLock lock(mutex_);
    if (auto found = allocations_.find(address); found != allocations_.end()) {
      ofGpu_.remove(found->second.first, found->second.second);
      memory_ -= found->second.second;
      allocations_.erase(found);
    }
  }
  /// `shared`: with other processes, which messages go through.
  void pinned(const void *start, unsigned long long bytes, bool shared) {
    base::MutexLock lock(mutex_);
    registered_[start] = {bytes, shared};
    (shared ? sharedMemory_ : hostMemory_) += bytes;
  }
  void unpinned(const void *start) {
    base::MutexLock lock(mutex_);
    const auto [bytes, shared] = registered_[start];
    (shared ? sharedMemory_ : hostMemory_) -= bytes;
    registered_.erase(start);
  }
  void copied(bool isToDevice, unsigned long long bytes) {
    base::MutexLock lock(mutex_);
    (isToDevice ? toDevice_ : fromDevice_) += bytes;
  }
  /// One that copied() counts as well, of host memory that nobody has registered.
  void copiedPageable(bool isToDevice, unsigned long long bytes) {
    base::MutexLock lock(mutex_);
    (isToDevice ? pageableToDevice_ : pageableFromDevice_) += bytes;
  }
  void launched() {
    base::MutexLock lock(mutex_);
    ++launches_;
    most_ = std::max(most_, memory_);
    mostPinned_ = std::max(mostPinned_, hostMemory_);
    mostShared_ = std::max(mostShared_, sharedMemory_);
  }

private:
  base::Mutex mutex_;
  TakenMemory ofGpu_;
  std::map<unsigned long long, std::pair<int, unsigned long long>>
      allocations_ ABSL_GUARDED_BY(mutex_);
  std::map<const void *, std::pair<unsigned long long, bool>> registered_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, unsigned long long> calls_ ABSL_GUARDED_BY(mutex_); // by function
  unsigned long long memory_ = 0, hostMemory_ = 0, sharedMemory_ = 0, launches_ = 0, most_ = 0,
                     mostPinned_ = 0, mostShared_ = 0, toDevice_ = 0, fromDevice_ = 0,
                     pageableToDevice_ = 0, pageableFromDevice_ = 0;
};

} // namespace graphc
#endif
