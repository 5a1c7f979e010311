//===- Token.h - the secret that the tasks of one run share -----------------------------------------------*- C++ -*-===//
//
// Every call between tasks carries it, so that no other user of the machine can join a run or send a plan. The launcher draws
// one for each run. Tasks started by hand derive it from a key of their user ($XDG_STATE_HOME/graphc/key, mode 0600, made at
// first use). It does not depend on the plan, so that a task of another plan is told which plans met.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SERVICE_TOKEN_H
#define GRAPHC_RUNTIME_SERVICE_TOKEN_H

#include "absl/status/statusor.h"

#include <string>

namespace graphc::service {

/// `bytes` random bytes from the kernel, as hexadecimal digits.
std::string randomHex(size_t bytes);
/// Never 0.
uint64_t randomIncarnation();

absl::StatusOr<std::string> userToken();

} // namespace graphc::service
#endif
