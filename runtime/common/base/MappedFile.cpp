// Mapped files, and the handler that keeps one cut short by somebody else from ending the process.
#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace graphc::base {
namespace {
/// One mapping. `begin` is stored last and cleared first, so that the handler never sees half of an
/// entry.
struct Guard {
  std::atomic<uintptr_t> begin{0}, end{0};
  std::atomic<bool> taken{false}, cut{false};
};
constexpr int kGuards = 256;
Guard guards[kGuards];
struct sigaction previous;
static_assert(std::atomic<uintptr_t>::is_always_lock_free); // a signal handler uses it

// Puts a page of zeros where the file has none, notes it, and lets the read go on. A fault
// elsewhere is whoever's was before.
void onBusError(int signal, siginfo_t *info, void *) {
  auto at = reinterpret_cast<uintptr_t>(info->si_addr);
  uintptr_t pageBytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  for (Guard &guard : guards) {
    uintptr_t begin = guard.begin.load(std::memory_order_acquire);
    if (!begin || at < begin || at >= guard.end.load(std::memory_order_relaxed))
      continue;
    guard.cut.store(true, std::memory_order_release);
    void *page = reinterpret_cast<void *>(at & ~(pageBytes - 1));
    if (mmap(page, pageBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
        MAP_FAILED)
      return;
  }
  sigaction(signal, &previous, nullptr); // the same fault comes again and meets it
}

int takeGuard(uintptr_t begin, size_t bytes) {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action{};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGBUS, &action, &previous);
  });
  for (int i = 0; i < kGuards; ++i)
    if (!guards[i].taken.exchange(true)) {
      guards[i].cut.store(false, std::memory_order_relaxed);
      guards[i].end.store(begin + bytes, std::memory_order_relaxed);
      guards[i].begin.store(begin, std::memory_order_release);
      return i;
    }
  return -1;
}
} // namespace

MappedFile::MappedFile(MappedFile &&other) noexcept
    : base_(std::exchange(other.base_, nullptr)), bytes_(std::exchange(other.bytes_, 0)),
      guard_(std::exchange(other.guard_, -1)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  std::swap(guard_, other.guard_);
  return *this;
}

MappedFile::~MappedFile() {
  if (guard_ >= 0)
    guards[guard_].begin.store(0, std::memory_order_release);
  if (base_)
    ::munmap(base_, bytes_);
  if (guard_ >= 0)
    guards[guard_].taken.store(false);
}

bool MappedFile::cut() const {
  return guard_ >= 0 && guards[guard_].cut.load(std::memory_order_acquire);
}

absl::StatusOr<MappedFile> MappedFile::open(const std::string &path, SymlinkPolicy links) {
  int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK; // a FIFO has no writer
  UniqueFd fd(::open(path.c_str(), links == SymlinkPolicy::Refuse ? flags | O_NOFOLLOW : flags));
  if (!fd && errno == ELOOP && links == SymlinkPolicy::Refuse)
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": it is a symbolic link; put the file itself there"));
  if (!fd)
    return errnoStatus(path, errno);
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0)
    return errnoStatus(path, errno);
  if (!S_ISREG(info.st_mode))
    return absl::InvalidArgumentError(absl::StrCat(path, ": not a regular file"));
  MappedFile file;
  if (info.st_size == 0)
    return file;
  void *base = ::mmap(nullptr, size_t(info.st_size), PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (base == MAP_FAILED)
    return errnoStatus(path, errno);
  file.base_ = static_cast<uint8_t *>(base);
  file.bytes_ = size_t(info.st_size);
  file.guard_ = takeGuard(reinterpret_cast<uintptr_t>(base), file.bytes_);
  if (file.guard_ < 0)
    return absl::ResourceExhaustedError(
        absl::StrCat(path, ": more than ", kGuards, " files are mapped"));
  return file;
}

} // namespace graphc::base
