#include "runtime/api/HookRunner.h"

#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"

namespace graphc::session {

absl::Status HookRunner::begin() const {
  return call("begin", {}, [](Hook &hook) { return hook.begin(); });
}

absl::Status HookRunner::afterCreateSession(Session &session, const SessionStart &start) const {
  return call("afterCreateSession", {},
              [&](Hook &hook) { return hook.afterCreateSession(session, start); });
}

absl::Status HookRunner::beforeRun(const RunContext &context,
                                   const std::function<absl::Status(const RunArgs &)> &want) const {
  return call("beforeRun", context.globalStep, [&](Hook &hook) {
    absl::StatusOr<RunArgs> args = hook.beforeRun(context);
    return args.ok() ? want(*args) : args.status();
  });
}

absl::Status HookRunner::afterRun(const RunContext &context, const RunValues &values) const {
  return call("afterRun", context.globalStep,
              [&](Hook &hook) { return hook.afterRun(context, values); });
}

absl::Status HookRunner::end(Session &session) const {
  return call("end", {}, [&](Hook &hook) { return hook.end(session); });
}

absl::Status HookRunner::call(const char *callback, std::optional<uint64_t> step,
                              const std::function<absl::Status(Hook &)> &one) const {
  for (size_t i = 0; i < hooks_.size(); ++i) {
    const std::string name = hooks_[i]->name();
    GRAPHC_RETURN_IF_ERROR(base::annotate(
        one(*hooks_[i]), absl::StrCat("hook ", name.empty() ? absl::StrCat(i + 1) : name, ", ",
                                      callback, step ? absl::StrCat(" at step ", *step) : "")));
  }
  return absl::OkStatus();
}

} // namespace graphc::session
