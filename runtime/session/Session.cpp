#include "runtime/session/Session.h"

#include "runtime/base/Status.h"
#include "runtime/base/Text.h"
#include "runtime/plan/Types.h"
#include "runtime/session/Arguments.h"
#include "runtime/session/LoneRun.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <exception>

namespace graphc::session {
namespace {
absl::StatusOr<plan::LoadedPlan> load(const plan::Plan &plan) {
  GRAPHC_ASSIGN_OR_RETURN(std::string bytes, plan::encodePlan(plan));
  return plan::decodePlan(bytes, plan.model());
}
} // namespace

void RunContext::requestStop() const { session.requestStop(); }

absl::StatusOr<double> RunValues::scalar(const std::string &name) const {
  auto found = fetched.find(name);
  if (found == fetched.end())
    return absl::NotFoundError(absl::StrCat(name, " was not fetched; beforeRun names what a hook wants"));
  const FetchedTensor &value = found->second;
  if (plan::elementCount(value.type) == 1u) {
    switch (value.type.dtype()) {
    case plan::F32:
      return loadElement<float>(value.data.data(), 0);
    case plan::F64:
      return loadElement<double>(value.data.data(), 0);
    case plan::I32:
      return loadElement<int32_t>(value.data.data(), 0);
    case plan::I64:
      return static_cast<double>(loadElement<int64_t>(value.data.data(), 0));
    default:
      break;
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(name, " is ", plan::typeText(value.type),
                                                 ", no single number of f32, f64, i32 or i64; read its bytes"));
}

Session::Background::~Background() {
  if (!thread_.joinable())
    return;
  gate_.abort(absl::CancelledError("the session was taken apart"));
  thread_.join();
}

void Session::Background::start(std::function<absl::StatusOr<RunResult>()> work) {
  thread_ = std::thread([this, work = std::move(work)] {
    result_ = work();
    gate_.close();
  });
}

absl::StatusOr<RunResult> Session::Background::join() {
  if (thread_.joinable()) // else it was never started
    thread_.join();
  return std::move(result_);
}

Session::Session(plan::LoadedPlan plan, RunOptions options, Hooks hooks)
    : Session(absl::StatusOr<plan::LoadedPlan>(std::move(plan)), std::move(options), std::move(hooks)) {}

Session::Session(const plan::Plan &plan, RunOptions options, Hooks hooks)
    : Session(load(plan), std::move(options), std::move(hooks)) {}

Session::Session(absl::StatusOr<plan::LoadedPlan> plan, RunOptions options, Hooks hooks)
    : options_(std::move(options)), hooks_(std::move(hooks)), exceptions_(std::uncaught_exceptions()),
      loaded_(std::move(plan)) {
  if (absl::Status status = start(); !status.ok())
    fail(status);
}

Session::~Session() {
  if (std::uncaught_exceptions() == exceptions_)
    (void)close(); // whoever wants to know has closed it
}

/// The hooks' begin; then another thread sets up, initialises or restores, until the lanes stand before the first step; afterCreateSession.
absl::Status Session::start() {
  GRAPHC_RETURN_IF_ERROR(loaded_.status());
  for (const plan::Phase &phase : loaded_->plan.phases())
    if (phase.role() == roleOf(options_.entry))
      results_ = resultsOf(loaded_->plan, phase);
  GRAPHC_RETURN_IF_ERROR(callHooks("begin", {}, [](Hook &hook) { return hook.begin(); }));
  stepping_.wants = [this](const std::string &fetch) {
    return wanted_.contains(fetch) ||
           std::find(options_.fetches.begin(), options_.fetches.end(), fetch) != options_.fetches.end();
  };
  stepping_.fetched = [this](const FetchedTensor &value) {
    base::MutexLock lock(mutex_);
    fetched_[value.name] = value;
  };
  stepping_.initialized = [this](uint64_t step, const std::string &restoredFrom) {
    if (stepping_.role == plan::TRAIN) // also where no step is left to make
      stepping_.gate.begin(step, 0);
    base::MutexLock lock(mutex_);
    started_ = SessionStart{step, restoredFrom};
  };
  stepping_.endAsked = [this] { return stepping_.gate.ended(); };
  RunOptions options = options_;
  if (options_.stop)
    options.stop = [this] {
      const bool asked = options_.stop();
      if (asked)
        requestStop();
      return asked;
    };
  background_.start([this, options] { return runLone(*loaded_, options, &stepping_); });
  settle();
  std::optional<SessionStart> started;
  {
    base::MutexLock lock(mutex_);
    started = started_;
  }
  if (failed_ || !started)
    return status_;
  return callHooks("afterCreateSession", {}, [&](Hook &hook) { return hook.afterCreateSession(*this, *started); });
}

void Session::run() {
  if (shouldStop())
    return;
  if (absl::Status status = step(); !status.ok())
    fail(status);
}

absl::Status Session::step() {
  const RunContext context{*this, globalStep()};
  wanted_.clear();
  GRAPHC_RETURN_IF_ERROR(callHooks("beforeRun", context.globalStep, [&](Hook &hook) {
    absl::StatusOr<RunArgs> args = hook.beforeRun(context);
    return args.ok() ? want(*args) : args.status();
  }));
  {
    base::MutexLock lock(mutex_);
    fetched_.clear();
  }
  stepping_.gate.open();
  settle();
  if (failed_)
    return status_;
  RunValues values{context.globalStep + 1, {}};
  {
    base::MutexLock lock(mutex_);
    values.fetched.swap(fetched_);
  }
  return callHooks("afterRun", context.globalStep, [&](Hook &hook) { return hook.afterRun(context, values); });
}

absl::StatusOr<RunResult> Session::close() {
  if (!failed_ && !std::exchange(ended_, true))
    if (absl::Status status = callHooks("end", {}, [this](Hook &hook) { return hook.end(*this); }); !status.ok())
      fail(status);
  stepping_.gate.end();
  if (!result_)
    takeResult();
  if (!status_.ok())
    return status_;
  return *result_;
}

void Session::settle() {
  if (!stepping_.gate.awaitLanes())
    takeResult();
}

void Session::takeResult() {
  result_ = background_.join();
  over_ = true;
  if (result_->ok() || failed_)
    return;
  status_ = result_->status();
  failed_ = !absl::IsCancelled(status_); // as RunOptions::stop asked
}

/// The lanes fail where they stand, so nothing is saved; what the run then says of it is not the cause.
void Session::fail(const absl::Status &why) {
  status_ = why;
  failed_ = over_ = true;
  stepping_.gate.abort(absl::CancelledError("the session failed"));
}

/// Names of results, which have to be the function's.
absl::Status Session::want(const RunArgs &args) {
  for (const std::string &name : args.fetches) {
    if (std::find(results_.begin(), results_.end(), name) == results_.end())
      return absl::InvalidArgumentError(
          absl::StrCat("fetch ", name, ": the function has no such result", base::didYouMean(name, results_),
                       results_.empty() ? "" : "; it has ", absl::StrJoin(results_, ", ")));
    wanted_.insert(name);
  }
  return absl::OkStatus();
}

template <typename Call>
absl::Status Session::callHooks(const char *callback, std::optional<uint64_t> step, const Call &call) {
  for (size_t i = 0; i < hooks_.size(); ++i) {
    const std::string name = hooks_[i]->name();
    GRAPHC_RETURN_IF_ERROR(
        base::annotate(call(*hooks_[i]), absl::StrCat("hook ", name.empty() ? absl::StrCat(i + 1) : name, ", ",
                                                      callback, step ? absl::StrCat(" at step ", *step) : "")));
  }
  return absl::OkStatus();
}

} // namespace graphc::session
