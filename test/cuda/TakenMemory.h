//===- TakenMemory.h - what is taken of each simulated GPU's memory, by all processes ---------===//
//
// Processes that are told the same file by GRAPHC_FAKE_MEMORY share their GPUs' memory, as tasks on
// one GPU do. What a process had taken is free again when it is gone, however it ended. Without a
// file each process has all of it.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TEST_CUDA_TAKENMEMORY_H
#define GRAPHC_TEST_CUDA_TAKENMEMORY_H

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace graphc {

/// From any thread.
class TakenMemory {
public:
  static constexpr int kGpus = 16;

  TakenMemory() {
    const char *name = std::getenv("GRAPHC_FAKE_MEMORY");
    const int file = name ? ::open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644) : -1;
    if (file >= 0 && ::ftruncate(file, sizeof(Table)) == 0)
      if (void *memory =
              ::mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
          memory != MAP_FAILED)
        table_ = static_cast<Table *>(memory);
    if (file >= 0)
      ::close(file);
    for (Process &each : *table_) {
      int owner = each.id;
      if ((owner == 0 || isGone(owner)) && each.id.compare_exchange_strong(owner, ::getpid())) {
        own_ = &each;
        break;
      }
    }
    if (!own_)
      std::abort(); // more processes than there is room for
    for (std::atomic<uint64_t> &bytes : own_->bytes)
      bytes = 0;
  }

  void add(int gpu, uint64_t bytes) { own_->bytes.at(size_t(gpu)) += bytes; }
  void remove(int gpu, uint64_t bytes) { own_->bytes.at(size_t(gpu)) -= bytes; }
  uint64_t of(int gpu) const {
    uint64_t sum = 0;
    for (const Process &each : *table_)
      if (const int id = each.id; id && !isGone(id))
        sum += each.bytes.at(size_t(gpu));
    return sum;
  }

private:
  struct Process {
    std::atomic<int> id; ///< 0: nobody's
    std::array<std::atomic<uint64_t>, kGpus> bytes;
  };
  using Table = std::array<Process, 64>;
  static bool isGone(int process) { return ::kill(process, 0) != 0 && errno == ESRCH; }

  Table alone_{};
  Table *table_ = &alone_;
  Process *own_ = nullptr;
};

} // namespace graphc
#endif
