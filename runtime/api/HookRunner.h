//===- HookRunner.h - calls a program's hooks before and after each step ------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_API_HOOKRUNNER_H
#define GRAPHC_RUNTIME_API_HOOKRUNNER_H

#include "runtime/api/Hook.h"

#include "absl/status/status.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace graphc::session {

/// Calls every hook in turn, up to the first error, which is returned with the hook's name, the
/// callback and the step. On the caller's thread, which is the session's.
class HookRunner {
public:
  explicit HookRunner(std::vector<std::shared_ptr<Hook>> hooks) : hooks_(std::move(hooks)) {}

  absl::Status begin() const;
  absl::Status afterCreateSession(Session &session, const SessionStart &start) const;
  /// `want`: takes the results that one hook asks for.
  absl::Status beforeRun(const RunContext &context,
                         const std::function<absl::Status(const RunArgs &)> &want) const;
  absl::Status afterRun(const RunContext &context, const RunValues &values) const;
  absl::Status end(Session &session) const;

private:
  absl::Status call(const char *callback, std::optional<uint64_t> step,
                    const std::function<absl::Status(Hook &)> &one) const;

  const std::vector<std::shared_ptr<Hook>> hooks_;
};

} // namespace graphc::session
#endif
