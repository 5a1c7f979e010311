//===- FileLock.h - one process at a time -------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_FILELOCK_H
#define GRAPHC_RUNTIME_COMMON_BASE_FILELOCK_H

#include "absl/time/time.h"

#include <functional>

namespace graphc::base {

/// Locks an open file or folder (flock) until its descriptor is closed. False: somebody else has
/// held the lock for all of `wait`. A process that is killed still has its locks for a moment,
/// while the kernel takes it apart. A file system without locks: true.
/// `givesUp`: asked all the while; it ends the wait as the time does. May be empty.
bool lockWithin(int fd, absl::Duration wait, const std::function<bool()> &givesUp = {});

} // namespace graphc::base
#endif
