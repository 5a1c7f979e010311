//===- ProcessDeadline.h - a failed process ends, whatever its libraries do ---------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_PROCESSDEADLINE_H
#define GRAPHC_RUNTIME_COMMON_BASE_PROCESSDEADLINE_H

namespace graphc::base {

/// How long a process may take to end after it has reported why it failed.
inline constexpr unsigned kEndSeconds = 4;

/// The process ends with `status` within kEndSeconds, also if it hangs in a library until then.
/// Uses SIGALRM and no thread, since a missing thread may be the failure.
void endProcessSoon(int status);

} // namespace graphc::base
#endif
