//===- Accounts.h - what a process asked of the simulated driver ---------------------------------------------------*- C++ -*-===//
//
// How much memory of each GPU is taken, and in the file that GRAPHC_FAKE_ACCOUNTS names (with the process's number behind it) what tests
// compare with graphc's promises: the most that was taken of all GPUs and registered of the host while kernels ran, what was copied, and how
// often each function was called (but those that end something).
//
//===--------------------------------------------------------------------------------------------------------------------===//
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
    if (!name || !launches)
      return;
    if (FILE *file = std::fopen((std::string(name) + "." + std::to_string(::getpid())).c_str(), "w")) {
      std::fprintf(file,
                   "{\"memory\": %llu, \"pinned\": %llu, \"shared\": %llu, \"to_device\": %llu, \"from_device\": %llu, "
                   "\"pageable_to_device\": %llu, \"pageable_from_device\": %llu, \"calls\": {",
                   most, mostPinned, mostShared, toDevice, fromDevice, pageableToDevice, pageableFromDevice);
      const char *between = "";
      for (const auto &[function, count] : calls)
        std::fprintf(file, "%s\"%s\": %llu", std::exchange(between, ", "), function.c_str(), count);
      std::fprintf(file, "}}\n");
      std::fclose(file);
    }
  }

  void called(const char *function) {
    base::MutexLock lock(mutex);
    ++calls[function];
  }
  /// By this and by other processes.
  unsigned long long taken(int gpu) const { return ofGpu.of(gpu); }
  void allocated(int gpu, unsigned long long address, unsigned long long bytes) {
    base::MutexLock lock(mutex);
    ofGpu.add(gpu, bytes);
    memory += bytes;
    allocations[address] = {gpu, bytes};
  }
  void freed(unsigned long long address) {
    base::MutexLock lock(mutex);
    if (auto found = allocations.find(address); found != allocations.end()) {
      ofGpu.remove(found->second.first, found->second.second);
      memory -= found->second.second;
      allocations.erase(found);
    }
  }
  /// `shared`: with other processes, which messages go through.
  void pinned(const void *start, unsigned long long bytes, bool shared) {
    base::MutexLock lock(mutex);
    registered[start] = {bytes, shared};
    (shared ? sharedMemory : hostMemory) += bytes;
  }
  void unpinned(const void *start) {
    base::MutexLock lock(mutex);
    const auto [bytes, shared] = registered[start];
    (shared ? sharedMemory : hostMemory) -= bytes;
    registered.erase(start);
  }
  void copied(bool isToDevice, unsigned long long bytes) {
    base::MutexLock lock(mutex);
    (isToDevice ? toDevice : fromDevice) += bytes;
  }
  /// One that copied() counts as well, of host memory that nobody has registered.
  void copiedPageable(bool isToDevice, unsigned long long bytes) {
    base::MutexLock lock(mutex);
    (isToDevice ? pageableToDevice : pageableFromDevice) += bytes;
  }
  void launched() {
    base::MutexLock lock(mutex);
    ++launches;
    most = std::max(most, memory);
    mostPinned = std::max(mostPinned, hostMemory);
    mostShared = std::max(mostShared, sharedMemory);
  }

private:
  base::Mutex mutex;
  TakenMemory ofGpu;
  std::map<unsigned long long, std::pair<int, unsigned long long>> allocations ABSL_GUARDED_BY(mutex);
  std::map<const void *, std::pair<unsigned long long, bool>> registered ABSL_GUARDED_BY(mutex);
  std::map<std::string, unsigned long long> calls ABSL_GUARDED_BY(mutex); // by function
  unsigned long long memory = 0, hostMemory = 0, sharedMemory = 0, launches = 0, most = 0, mostPinned = 0,
                     mostShared = 0, toDevice = 0, fromDevice = 0, pageableToDevice = 0, pageableFromDevice = 0;
};

} // namespace graphc
#endif
