#include "runtime/device/MemoryRegion.h"

#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace graphc::device {
namespace {

constexpr uint64_t hugePage = uint64_t(2) << 20;

/// Zeroed pages, or MAP_FAILED. From 1.5 MiB on byte `even` of them begins a huge page, and the
/// kernel is asked for some: it may have none. Pages of 4 KiB that lie scattered may fall into few
/// sets of a cache, so that each process has a speed of its own; and each is a fault when it is
/// touched first.
void *mapPages(uint64_t bytes, uint64_t even) {
  const bool areHuge = bytes >= hugePage / 4 * 3;
  const uint64_t more = areHuge ? hugePage : 0;
  void *mapped =
      ::mmap(nullptr, bytes + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED || !areHuge)
    return mapped;
  auto *first = static_cast<uint8_t *>(mapped);
  const uint64_t before =
      (hugePage - (reinterpret_cast<uintptr_t>(first) + even) % hugePage) % hugePage;
  if (before)
    ::munmap(first, before);
  if (before < more)
    ::munmap(first + before + bytes, more - before);
  ::madvise(first + before, bytes, MADV_HUGEPAGE);
  return first + before;
}

} // namespace

absl::StatusOr<MemoryRegion> MemoryRegion::allocate(uint64_t bytes, Guard guard, const char *what) {
  MemoryRegion memory;
  static const uint64_t page = uint64_t(::sysconf(_SC_PAGESIZE));
  constexpr uint64_t most = uint64_t(1) << 47;
  if (bytes > most)
    return absl::ResourceExhaustedError(
        absl::StrCat(what, ": ", bytes, " bytes do not fit an address space"));
  if (bytes == 0 && guard == Guard::None)
    return memory;
  uint64_t aligned = (bytes + alignment - 1) / alignment * alignment;
  uint64_t body = (aligned + page - 1) / page * page;
  uint64_t total = body + (guard == Guard::Pages ? 2 * page : 0);
  // a last page that is mostly used
  if (guard == Guard::None && total % hugePage >= hugePage / 4 * 3)
    total = (total + hugePage - 1) / hugePage * hugePage;
  void *base = mapPages(total, guard == Guard::Pages ? total - page : 0);
  if (base == MAP_FAILED)
    return absl::ResourceExhaustedError(
        absl::StrCat(what, ": cannot allocate ", bytes,
                     " bytes: ", base::describe(base::errnoStatus("mmap", errno))));
  memory.base_ = base;
  memory.mapped_ = total;
  memory.bytes_ = bytes;
  memory.start_ = static_cast<uint8_t *>(base);
  if (guard == Guard::Pages) {
    uint8_t *first = memory.start_;
    if (::mprotect(first, page, PROT_NONE) != 0 ||
        ::mprotect(first + page + body, page, PROT_NONE) != 0)
      return base::errnoStatus(absl::StrCat(what, ": mprotect"), errno);
    memory.start_ = first + page + body - aligned;
  }
  return memory;
}

absl::StatusOr<MemoryRegion> MemoryRegion::share(uint64_t bytes, const char *what) {
  static const uint64_t page = uint64_t(::sysconf(_SC_PAGESIZE));
  constexpr uint64_t most = uint64_t(1) << 47;
  auto failed = [&](const char *call) {
    return absl::ResourceExhaustedError(
        absl::StrCat(what, ": cannot share ", bytes,
                     " bytes: ", base::describe(base::errnoStatus(call, errno))));
  };
  if (bytes > most)
    return absl::ResourceExhaustedError(
        absl::StrCat(what, ": ", bytes, " bytes do not fit an address space"));
  MemoryRegion memory;
  memory.memfd_ = ::memfd_create("graphc-zero-copy", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory.memfd_ < 0)
    return failed("memfd_create");
  uint64_t total = (bytes + page - 1) / page * page;
  if (::ftruncate(memory.memfd_, off_t(total)) != 0)
    return failed("ftruncate");
  void *base = ::mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_SHARED, memory.memfd_, 0);
  if (base == MAP_FAILED)
    return failed("mmap");
  memory.base_ = base;
  memory.mapped_ = total;
  memory.start_ = static_cast<uint8_t *>(base);
  memory.bytes_ = bytes;
  if (::fcntl(memory.memfd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
    return failed("sealing a memfd");
  // an older kernel knows only the other two
  (void)::fcntl(memory.memfd_, F_ADD_SEALS, F_SEAL_FUTURE_WRITE);
  return memory;
}

absl::StatusOr<MemoryRegion> MemoryRegion::join(std::span<const std::span<const uint8_t>> pieces,
                                                const char *what) {
  MemoryRegion memory;
  for (std::span<const uint8_t> piece : pieces)
    memory.bytes_ += piece.size();
  auto failed = [&](const char *call) {
    return absl::ResourceExhaustedError(
        absl::StrCat(what, ": cannot join ", memory.bytes_,
                     " bytes: ", base::describe(base::errnoStatus(call, errno))));
  };
  void *base =
      ::mmap(nullptr, memory.bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return failed("mmap");
  memory.base_ = base;
  memory.mapped_ = memory.bytes_;
  memory.start_ = static_cast<uint8_t *>(base);
  uint8_t *to = memory.start_;
  for (std::span<const uint8_t> piece : pieces) {
    // An old size of 0 leaves the old mapping and makes another of the same pages.
    if (::mremap(const_cast<uint8_t *>(piece.data()), 0, piece.size(),
                 MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED)
      return failed("mremap");
    to += piece.size();
  }
  if (::mprotect(base, memory.mapped_, PROT_READ) != 0)
    return failed("mprotect");
  return memory;
}

MemoryRegion::~MemoryRegion() {
  backing_.reset();
  if (base_)
    ::munmap(base_, mapped_);
  if (memfd_ >= 0)
    ::close(memfd_);
}

} // namespace graphc::device
