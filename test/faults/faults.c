// See faults.h. Every function here takes the place of the C library's of its name, for the program and for the libraries that it loads.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char root[PATH_MAX], fired[PATH_MAX];
static long at;
static enum FaultAction action;
static int fast, full;
static atomic_int armed;
static atomic_long count;
static char trace[1 << 16];
static size_t traced;

void faultsArm(const char *where, long number, enum FaultAction what, int fastSyncs) {
  snprintf(root, sizeof root, "%s", where);
  at = number;
  action = what;
  fast = fastSyncs;
  full = 0;
  traced = 0;
  trace[0] = 0;
  atomic_store(&count, 0);
  atomic_store(&armed, 1);
}

long faultsDisarm(void) {
  atomic_store(&armed, 0);
  return atomic_load(&count);
}

const char *faultsTrace(void) { return trace; }

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;)
    pause();
}

// What comes of the operation: 0 it is made as ever, 1 half of it, 2 half of it and then death, -1 it has failed, with errno.
static int meet(const char *kind, const char *path, int needsSpace) {
  if (!atomic_load(&armed) || !path || !strstr(path, root))
    return 0;
  const int saved = errno;
  const long number = atomic_fetch_add(&count, 1) + 1;
  if (action == kNoFault && traced < sizeof trace)
    traced += (size_t)snprintf(trace + traced, sizeof trace - traced, "%s\t%s\n", kind, path);
  errno = saved;
  if (number != at) {
    if (full && needsSpace)
      return errno = ENOSPC, -1;
    return 0;
  }
  if (fired[0]) // the processes that come after this one are spared
    close((int)syscall(SYS_openat, AT_FDCWD, fired, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  errno = saved;
  switch (action) {
  case kKill:
    die();
  case kHalf:
    return 2;
  case kShort:
    return 1;
  case kIoError:
    return errno = EIO, -1;
  case kStop:
    kill(getpid(), SIGSTOP);
    errno = saved;
    return 0;
  case kNoSpace:
    full = 1;
    return needsSpace ? (errno = ENOSPC, -1) : 0;
  default:
    return 0;
  }
}

static const char *ofDescriptor(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const int saved = errno;
  ssize_t size = atomic_load(&armed) ? readlink(link, path, PATH_MAX - 1) : -1;
  errno = saved;
  return size < 0 ? NULL : (path[size] = 0, path);
}

static const char *ofEntry(int folder, const char *name, char *path) {
  if (folder == AT_FDCWD || name[0] == '/')
    return name;
  if (!ofDescriptor(folder, path))
    return NULL;
  size_t size = strlen(path);
  snprintf(path + size, PATH_MAX - size, "/%s", name);
  return path;
}

// An operation that is one piece.
#define WHOLE(kind, path, needsSpace, call)                                                                            \
  do {                                                                                                                 \
    int met = meet(kind, path, needsSpace);                                                                            \
    if (met < 0)                                                                                                       \
      return -1;                                                                                                       \
    int result = (int)(call);                                                                                          \
    if (met == 2)                                                                                                      \
      die();                                                                                                           \
    return result;                                                                                                     \
  } while (0)

#define WRITES(call, bytes)                                                                                            \
  do {                                                                                                                 \
    char path[PATH_MAX];                                                                                               \
    int met = meet("write", ofDescriptor(fd, path), 1);                                                                \
    if (met < 0)                                                                                                       \
      return -1;                                                                                                       \
    if (met && bytes > 1)                                                                                              \
      bytes /= 2;                                                                                                      \
    ssize_t result = call;                                                                                             \
    if (met == 2)                                                                                                      \
      die();                                                                                                           \
    return result;                                                                                                     \
  } while (0)

ssize_t write(int fd, const void *data, size_t bytes) { WRITES(syscall(SYS_write, fd, data, bytes), bytes); }
ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset) {
  WRITES(syscall(SYS_pwrite64, fd, data, bytes, offset), bytes);
}
ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t offset) { return pwrite(fd, data, bytes, offset); }

static int opens(int folder, const char *name, int flags, mode_t mode) {
  char path[PATH_MAX];
  if (flags & (O_CREAT | O_TRUNC) || (flags & O_TMPFILE) == O_TMPFILE)
    WHOLE((flags & O_TMPFILE) == O_TMPFILE ? "unnamed" : "open", ofEntry(folder, name, path), 1,
          syscall(SYS_openat, folder, name, flags, mode));
  return (int)syscall(SYS_openat, folder, name, flags, mode);
}
static mode_t modeOf(int flags, va_list more) {
  return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0;
}
#define OPEN(name, first, ...)                                                                                         \
  int name(__VA_ARGS__, int flags, ...) {                                                                              \
    va_list more;                                                                                                      \
    va_start(more, flags);                                                                                             \
    mode_t mode = modeOf(flags, more);                                                                                 \
    va_end(more);                                                                                                      \
    return opens(first, file, flags, mode);                                                                            \
  }
OPEN(open, AT_FDCWD, const char *file)
OPEN(open64, AT_FDCWD, const char *file)
OPEN(openat, folder, int folder, const char *file)
OPEN(openat64, folder, int folder, const char *file)

int mkostemp(char *name, int flags) {
  int (*real)(char *, int) = (int (*)(char *, int))dlsym(RTLD_NEXT, "mkostemp");
  WHOLE("open", name, 1, real(name, flags));
}
int mkostemp64(char *name, int flags) { return mkostemp(name, flags); }

int fsync(int fd) {
  char path[PATH_MAX];
  const char *file = ofDescriptor(fd, path);
  WHOLE("fsync", file, 0, fast && file && strstr(file, root) ? 0 : syscall(SYS_fsync, fd));
}
int ftruncate(int fd, off_t size) {
  char path[PATH_MAX];
  WHOLE("truncate", ofDescriptor(fd, path), 1, syscall(SYS_ftruncate, fd, size));
}
int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }
int fchmod(int fd, mode_t mode) {
  char path[PATH_MAX];
  WHOLE("chmod", ofDescriptor(fd, path), 0, syscall(SYS_fchmod, fd, mode));
}
int renameat2(int folder, const char *from, int other, const char *to, unsigned flags) {
  char path[PATH_MAX];
  WHOLE("rename", ofEntry(folder, from, path), 1, syscall(SYS_renameat2, folder, from, other, to, flags));
}
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }
int unlinkat(int folder, const char *name, int flags) {
  char path[PATH_MAX];
  WHOLE("unlink", ofEntry(folder, name, path), 0, syscall(SYS_unlinkat, folder, name, flags));
}
int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }
int remove(const char *name) {
  struct stat info;
  return unlinkat(AT_FDCWD, name, lstat(name, &info) == 0 && S_ISDIR(info.st_mode) ? AT_REMOVEDIR : 0);
}
int mkdir(const char *name, mode_t mode) { WHOLE("mkdir", name, 1, syscall(SYS_mkdirat, AT_FDCWD, name, mode)); }

// Preloaded: FAULT_ROOT, FAULT_AT, FAULT (a name below), FAULT_TASK ("worker-0", "" for a process that is none), FAULT_FIRED (a file that is
// made where the fault is, and without which alone there is one). A process counts where it is the task.
__attribute__((constructor)) static void byEnvironment(void) {
  const char *names[] = {"count", "kill", "half", "short", "eio", "enospc", "stop"};
  const char *where = getenv("FAULT_ROOT"), *what = getenv("FAULT"), *task = getenv("FAULT_TASK");
  if (!where || !what || !task || !getenv("FAULT_AT"))
    return;
  char line[1 << 14] = {0}, job[64] = "", own[80] = "";
  int index = -1, file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t length = read(file, line, sizeof line - 1);
  close(file);
  for (const char *word = line; word < line + length; word += strlen(word) + 1) {
    sscanf(word, "--job_name=%63s", job);
    sscanf(word, "--task_index=%d", &index);
  }
  if (index >= 0)
    snprintf(own, sizeof own, "%s-%d", job, index);
  snprintf(fired, sizeof fired, "%s", getenv("FAULT_FIRED") ? getenv("FAULT_FIRED") : "");
  if (strcmp(own, task) != 0 || (fired[0] && access(fired, F_OK) == 0))
    return;
  for (int i = 0; i < 7; ++i)
    if (strcmp(what, names[i]) == 0)
      faultsArm(where, atol(getenv("FAULT_AT")), (enum FaultAction)i, 0);
}
