//===- StartThread.h - threads that the system may refuse ---------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_STARTTHREAD_H
#define GRAPHC_RUNTIME_COMMON_BASE_STARTTHREAD_H

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include <system_error>
#include <thread>

namespace graphc::base {

/// A thread that does `work`. ResourceExhausted where the system refuses it: too many processes, or
/// too little memory. `whose`: "the lane's".
template <class Work> absl::StatusOr<std::thread> startThread(absl::string_view whose, Work work) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error &error) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot start ", whose, " thread: ", error.what(),
                     "; too many processes or too little memory (see ulimit -u and -v)"));
  }
}

} // namespace graphc::base
#endif
