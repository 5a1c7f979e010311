#include "runtime/device/Memory.h"

#include "runtime/base/Status.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

namespace graphc::device {

absl::StatusOr<Memory> Memory::allocate(uint64_t bytes, Guard guard, const char *what) {
  Memory memory;
  static const uint64_t page = uint64_t(::sysconf(_SC_PAGESIZE));
  constexpr uint64_t most = uint64_t(1) << 47;
  if (bytes > most)
    return absl::ResourceExhaustedError(absl::StrCat(what, ": ", bytes, " bytes do not fit an address space"));
  if (bytes == 0 && guard == Guard::None)
    return memory;
  uint64_t aligned = (bytes + alignment - 1) / alignment * alignment;
  uint64_t body = (aligned + page - 1) / page * page;
  uint64_t total = body + (guard == Guard::Pages ? 2 * page : 0);
  void *base = ::mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return absl::ResourceExhaustedError(
        absl::StrCat(what, ": cannot allocate ", bytes, " bytes: ", base::describe(base::errnoStatus("mmap", errno))));
  memory.base = base;
  memory.mapped = total;
  memory.bytes = bytes;
  memory.start = static_cast<uint8_t *>(base);
  if (guard == Guard::Pages) {
    uint8_t *first = memory.start;
    if (::mprotect(first, page, PROT_NONE) != 0 || ::mprotect(first + page + body, page, PROT_NONE) != 0)
      return base::errnoStatus(absl::StrCat(what, ": mprotect"), errno);
    memory.start = first + page + body - aligned;
  }
  if (total >= (uint64_t(4) << 20))
    ::madvise(base, total, MADV_HUGEPAGE); // a hint: large tensors then take a fraction of the page faults
  return memory;
}

Memory::~Memory() {
  if (base)
    ::munmap(base, mapped);
}

} // namespace graphc::device
