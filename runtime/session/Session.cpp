#include "runtime/session/Session.h"

#include "runtime/base/Status.h"
#include "runtime/base/Text.h"
#include "runtime/plan/Types.h"
#include "runtime/service/LaunchContext.h"
#include "runtime/session/TaskRun.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <exception>

namespace graphc::session {
namespace {
constexpr absl::Duration kLook = absl::Milliseconds(20); ///< a wait for results looks so often whether the run is over

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
  GRAPHC_RETURN_IF_ERROR(callHooks("begin", {}, [](Hook &hook) { return hook.begin(); }));
  stepping_.wants = [this](const std::string &fetch) { return wanted_.contains(fetch); };
  stepping_.fetched = [this](const FetchedTensor &value) {
    base::MutexLock lock(mutex_);
    fetched_[value.name] = value;
    ++came_;
    fetchedMore_.notifyAll();
  };
  stepping_.initialized = [this](uint64_t step, const std::string &restoredFrom) {
    if (stepping_.role == plan::TRAIN && !stepping_.own) // also where no step is left to make
      stepping_.gate.begin(step, 0);
    base::MutexLock lock(mutex_);
    started_ = SessionStart{step, restoredFrom};
  };
  stepping_.endAsked = [this] { return endAsked_.load(); };
  if (options_.stop)
    options_.stop = [this, stop = std::move(options_.stop)] {
      const bool asked = stop();
      if (asked)
        requestStop();
      return asked;
    };
  GRAPHC_ASSIGN_OR_RETURN(run_, TaskRun::create(*loaded_, options_, &stepping_));
  results_ = run_->steppedResults();
  background_.start([this] { return run_->run(); });
  settle();
  step_ = stepping_.gate.permitted();
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
  if (!stepping_.own) // else the chief gets them by itself
    GRAPHC_RETURN_IF_ERROR(want({options_.fetches}));
  {
    base::MutexLock lock(mutex_);
    fetched_.clear();
    came_ = 0;
  }
  stepping_.gate.open();
  if (!stepping_.own)
    run_->permit(context.globalStep + 1, wanted_, /*end=*/false);
  settle();
  RunValues values{context.globalStep + 1, failed_ ? std::map<std::string, FetchedTensor>() : takeFetched()};
  if (failed_)
    return status_;
  if (over_ && stepping_.gate.made() <= context.globalStep) // the run ended before this step
    return absl::OkStatus();
  step_ = values.globalStep;
  return callHooks("afterRun", context.globalStep, [&](Hook &hook) { return hook.afterRun(context, values); });
}

/// Results of other tasks may still be on their way.
std::map<std::string, FetchedTensor> Session::takeFetched() {
  if (stepping_.own)
    return stepping_.results.take();
  size_t expected = 0;
  for (const std::string &name : wanted_)
    expected += results_.at(name);
  for (;;) {
    const bool none = over_ || stepping_.gate.closed(); // none comes any more, but those that are there
    {
      base::MutexLock lock(mutex_);
      if (came_ >= expected || none)
        return std::exchange(fetched_, {});
      fetchedMore_.waitFor(mutex_, kLook,
                           [this, expected]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return came_ >= expected; });
    }
    if (stepping_.gate.closed() && !over_)
      takeResult();
  }
}

absl::StatusOr<RunResult> Session::close() {
  if (!failed_ && !std::exchange(ended_, true))
    if (absl::Status status = callHooks("end", {}, [this](Hook &hook) { return hook.end(*this); }); !status.ok())
      fail(status);
  if (!result_) {
    if (!failed_)
      endRun();
    takeResult();
  }
  if (!status_.ok())
    return status_;
  return *result_;
}

/// Where steps are left: the chief's session ends them here; another one's asks for it. Lanes that go on until then wait for nobody.
void Session::endRun() {
  if (over_)
    return;
  endAsked_ = true;
  if (stepping_.own) {
    run_->askForEnd();
    stepping_.gate.free();
  } else {
    stepping_.gate.end();
    run_->permit(globalStep(), {}, /*end=*/true);
  }
}

int Session::exitStatus() const {
  if (status_.ok())
    return 0;
  return run_ && run_->lost() ? service::kPeerLost : 1;
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

/// The lanes fail where they stand, so nothing is saved. Whoever tells the others first, a lane or the run, names the cause.
void Session::fail(const absl::Status &why) {
  status_ = why;
  failed_ = over_ = true;
  stepping_.gate.abort(absl::CancelledError(why.message()));
  if (run_)
    run_->fail(why);
}

/// Names of results, which have to be the function's.
absl::Status Session::want(const RunArgs &args) {
  for (const std::string &name : args.fetches) {
    if (!results_.contains(name)) {
      std::vector<std::string> known;
      for (const auto &[result, programs] : results_)
        known.push_back(result);
      return absl::InvalidArgumentError(absl::StrCat(
          "fetch ", name, ": the function has no such result", stepping_.own ? " that this task makes" : "",
          base::didYouMean(name, known), known.empty() ? "" : "; it has ", absl::StrJoin(known, ", ")));
    }
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
