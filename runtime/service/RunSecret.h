//===- RunSecret.h - the secret that the tasks of one run share, and random names ---*- C++ -*-===//
//
// Where there is no TLS both ends of every connection prove that they know it (SecretProof.h); it
// never travels. The launcher draws one for each run. Tasks started by hand derive it from a key of
// their user ($XDG_STATE_HOME/graphc/key, mode 0600, made at first use). It does not depend on the
// plan, so that a task of another plan is told which plans met.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SERVICE_RUNSECRET_H
#define GRAPHC_RUNTIME_SERVICE_RUNSECRET_H

#include "absl/status/statusor.h"

#include <string>

namespace graphc::service {

/// `bytes` random bytes from the kernel.
std::string randomBytes(size_t bytes);
/// The same as hexadecimal digits.
std::string randomHex(size_t bytes);
/// Never 0.
uint64_t randomIncarnation();

/// What all tasks know that this user starts by hand.
absl::StatusOr<std::string> userSecret();
/// What all tasks of one start by a launcher know (cluster::LauncherRank::run), and no other start
/// of this user.
absl::StatusOr<std::string> startSecret(const std::string &run);
/// What is said where it cannot be had.
inline constexpr char kNoSecret[] =
    "the secret by which this user's tasks know each other cannot be had; give "
    "XDG_STATE_HOME a folder of yours, the same for all of them";

} // namespace graphc::service
#endif
