#include "test/cuda/HostMemory.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace graphc::fake {
namespace {

struct Mapped {
  bool readable = false, writable = false, shared = false;
};

/// Of whole pages, as the kernel says: what all of them are.
Mapped lookUp(uintptr_t begin, uintptr_t end) {
  std::ifstream maps("/proc/self/maps");
  Mapped all{true, true, true};
  for (std::string line; std::getline(maps, line) && begin < end;) {
    unsigned long first = 0, last = 0;
    char permissions[5] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &first, &last, permissions) != 3 || last <= begin)
      continue;
    if (first > begin || permissions[0] != 'r')
      return {};
    all.writable &= permissions[1] == 'w';
    all.shared &= permissions[3] == 's';
    begin = last;
  }
  return begin < end ? Mapped() : all;
}

constexpr uintptr_t kPage = 4096;
uintptr_t pageOf(uintptr_t address) { return address / kPage * kPage; }
uintptr_t pagesEnd(uintptr_t address) { return (address + kPage - 1) / kPage * kPage; }

} // namespace

int HostMemory::add(const void *start, uint64_t bytes, unsigned flags) {
  const auto begin = reinterpret_cast<uintptr_t>(start);
  if (!begin || !bytes)
    return kInvalidValue;
  const bool readOnly = flags & kReadOnly;
  if (readOnly && std::getenv("GRAPHC_FAKE_NO_READ_ONLY"))
    return kNotSupported;
  const Mapped mapped = lookUp(pageOf(begin), pagesEnd(begin + bytes));
  if (!mapped.readable || (!mapped.writable && !readOnly))
    return kInvalidValue;
  base::MutexLock lock(mutex_);
  for (const auto &[other, range] : ranges_)
    if (pageOf(other) < pagesEnd(begin + bytes) && pageOf(begin) < pagesEnd(other + range.bytes))
      return kAlreadyRegistered;
  ranges_[begin] = {bytes, readOnly};
  return 0;
}

int HostMemory::remove(const void *start) {
  base::MutexLock lock(mutex_);
  auto found = ranges_.find(reinterpret_cast<uintptr_t>(start));
  if (found == ranges_.end())
    return kNotRegistered;
  if (!lookUp(pageOf(found->first), pagesEnd(found->first + found->second.bytes)).readable) {
    std::fprintf(stderr, "simulated GPU: memory was unmapped before it was unregistered\n");
    std::abort();
  }
  ranges_.erase(found);
  return 0;
}

HostMemory::Kind HostMemory::find(const void *start, uint64_t bytes) {
  base::MutexLock lock(mutex_);
  auto found = ranges_.upper_bound(reinterpret_cast<uintptr_t>(start));
  if (found == ranges_.begin())
    return Kind::Pageable;
  --found;
  if (reinterpret_cast<uintptr_t>(start) + bytes > found->first + found->second.bytes)
    return Kind::Pageable;
  return found->second.readOnly ? Kind::PinnedReadOnly : Kind::Pinned;
}

bool isShared(const void *address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  return lookUp(pageOf(at), pageOf(at) + kPage).shared;
}

} // namespace graphc::fake
