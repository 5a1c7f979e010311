//===- ProcessInfo.h - what the kernel knows of this process and machine ------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_OBSERVE_PROCESSINFO_H
#define GRAPHC_RUNTIME_OBSERVE_PROCESSINFO_H

#include "absl/time/time.h"

#include <cstdint>
#include <string>

namespace graphc::observe {

/// Seconds since this process was started (exec), by the kernel's clock; the start is known to 10
/// ms.
double secondsSinceProcessStart();
/// Resident memory now, and its peak; bytes.
uint64_t residentBytes();
uint64_t peakResidentBytes();
std::string hostName();
/// Equal for two processes that can share memory and abstract sockets: boot, mount of /proc, IPC
/// and network namespaces.
std::string hostId();
/// Whether the kernel has stopped a process of this host: SIGSTOP, Ctrl-Z, a debugger.
bool isStopped(int64_t pid);

} // namespace graphc::observe
#endif
