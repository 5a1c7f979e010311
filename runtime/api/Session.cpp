#include "runtime/api/Session.h"

#include "runtime/api/TaskRun.h"
#include "runtime/common/base/StartThread.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/launch/LaunchContext.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <exception>

namespace graphc::session {
namespace {
/// a wait for results looks so often whether the run is over
constexpr absl::Duration kLook = absl::Milliseconds(20);

absl::StatusOr<plan::LoadedPlan> load(const plan::Plan &plan) {
  GRAPHC_ASSIGN_OR_RETURN(std::string bytes, plan::encodePlan(plan));
  return plan::decodePlan(bytes, plan.model());
}
} // namespace

void RunContext::requestStop() const { session.requestStop(); }

absl::StatusOr<double> RunValues::scalar(const std::string &name) const {
  auto found = fetched.find(name);
  if (found == fetched.end())
    return absl::NotFoundError(
        absl::StrCat(name, " was not fetched; beforeRun names what a hook wants"));
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
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is ", plan::typeText(value.type),
                   ", no single number of f32, f64, i32 or i64; read its bytes"));
}

Session::Attempt::~Attempt() {
  if (!thread_.joinable())
    return;
  stepping.gate.abort(absl::CancelledError("the session was taken apart"));
  thread_.join();
}

void Session::Attempt::start() {
  absl::StatusOr<std::thread> started = base::startThread("the session's", [this] {
    result_ = run->run();
    stepping.gate.close();
  });
  if (started.ok()) {
    thread_ = *std::move(started);
  } else {
    result_ = started.status();
    stepping.gate.close();
  }
}

absl::StatusOr<RunResult> Session::Attempt::join() {
  if (thread_.joinable()) // else it was never started
    thread_.join();
  return std::move(result_);
}

Session::Session(plan::LoadedPlan plan, RunOptions options, Hooks hooks)
    : Session(absl::StatusOr<plan::LoadedPlan>(std::move(plan)), std::move(options),
              std::move(hooks)) {}

Session::Session(const plan::Plan &plan, RunOptions options, Hooks hooks)
    : Session(load(plan), std::move(options), std::move(hooks)) {}

Session::Session(absl::StatusOr<plan::LoadedPlan> plan, RunOptions options, Hooks hooks)
    : options_(std::move(options)), hooks_(std::move(hooks)), restarts_(options_),
      exceptions_(std::uncaught_exceptions()), loaded_(std::move(plan)) {
  if (absl::Status status = start(); !status.ok())
    fail(status);
}

Session::~Session() {
  if (std::uncaught_exceptions() == exceptions_)
    (void)close(); // whoever wants to know has closed it
}

absl::Status Session::start() {
  GRAPHC_RETURN_IF_ERROR(loaded_.status());
  GRAPHC_RETURN_IF_ERROR(hooks_.begin());
  options_.stop = [this, stop = std::move(options_.stop)] {
    const bool asked = stop && stop();
    if (asked)
      requestStop();
    return asked || (isAgain_ && stop_); // nobody steps yet who would heed it
  };
  return beginRun();
}

/// Another thread sets up, initialises or restores, until the lanes stand before the first step;
/// afterCreateSession. The same where a task is lost meanwhile, as often as it may.
absl::Status Session::beginRun() {
  std::optional<SessionStart> started;
  const bool isAgain = again_;
  do {
    again_ = false;
    attempt_.reset(); // with the tasks that it has started
    {
      base::MutexLock lock(mutex_);
      started_.reset();
    }
    try {
      attempt_ = std::make_unique<Attempt>();
      GRAPHC_RETURN_IF_ERROR(makeAttempt());
    } catch (...) { // as where the system refuses a thread
      fail(absl::InternalError("the run could not begin"));
      throw;
    }
    isAgain_ = isAgain;
    settle();
    isAgain_ = false;
    base::MutexLock lock(mutex_);
    started = started_;
  } while (again_);
  if (failed_ || !started)
    // stopped while it waited for the others
    return isAgain && !failed_ ? absl::OkStatus() : status_;
  step_ = attempt_->stepping.gate.permitted();
  return hooks_.afterCreateSession(*this, *started);
}

absl::Status Session::makeAttempt() {
  StepwiseRun &stepping = attempt_->stepping;
  stepping.wants = [this](const std::string &fetch) { return wanted_.contains(fetch); };
  stepping.fetched = [this](const FetchedTensor &value) {
    base::MutexLock lock(mutex_);
    fetched_[value.name] = value;
    ++came_;
    fetchedMore_.notifyAll();
  };
  stepping.initialized = [this, &stepping](uint64_t step, const std::string &restoredFrom) {
    if (stepping.role == plan::TRAIN && !stepping.own) // also where no step is left to make
      stepping.gate.begin(step, 0);
    base::MutexLock lock(mutex_);
    started_ = SessionStart{step, restoredFrom};
  };
  stepping.endAsked = [this] { return endAsked_.load(); };
  GRAPHC_ASSIGN_OR_RETURN(attempt_->run, TaskRun::create(*loaded_, options_, &stepping));
  results_ = attempt_->run->steppedResults();
  attempt_->start();
  return absl::OkStatus();
}

void Session::run() {
  if (shouldStop())
    return;
  if (absl::Status status = step(); !status.ok())
    fail(status);
}

/// Made again where the run has begun again meanwhile, unless no step is left then.
absl::Status Session::step() {
  while (!shouldStop()) {
    const RunContext context{*this, globalStep()};
    StepwiseRun &stepping = attempt_->stepping;
    wanted_.clear();
    GRAPHC_RETURN_IF_ERROR(
        hooks_.beforeRun(context, [this](const RunArgs &args) { return want(args); }));
    if (!stepping.own) // else the chief gets them by itself
      GRAPHC_RETURN_IF_ERROR(want({options_.fetches}));
    {
      base::MutexLock lock(mutex_);
      fetched_.clear();
      came_ = 0;
    }
    stepping.gate.open();
    if (!stepping.own)
      attempt_->run->permit(context.globalStep + 1, wanted_, /*end=*/false);
    settle();
    RunValues values{context.globalStep + 1,
                     failed_ ? std::map<std::string, FetchedTensor>() : takeFetched()};
    if (again_) {
      bool isWhole = stepping.own;
      {
        base::MutexLock lock(mutex_);
        isWhole |= came_ == expected();
      }
      GRAPHC_RETURN_IF_ERROR(beginRun());
      if (!isWhole || globalStep() < values.globalStep)
        continue;
      return hooks_.afterRun(context, values); // it was made, and a checkpoint has it
    }
    if (failed_)
      return status_;
    if (over_ && stepping.gate.made() <= context.globalStep) // the run ended before this step
      return absl::OkStatus();
    step_ = values.globalStep;
    return hooks_.afterRun(context, values);
  }
  return absl::OkStatus();
}

/// Results of other tasks may still be on their way.
std::map<std::string, FetchedTensor> Session::takeFetched() {
  StepwiseRun &stepping = attempt_->stepping;
  if (stepping.own)
    return stepping.results.take();
  for (;;) {
    // none comes any more, but those that are there
    const bool none = over_ || again_ || stepping.gate.closed();
    {
      base::MutexLock lock(mutex_);
      if (came_ >= expected() || none)
        return std::exchange(fetched_, {});
      fetchedMore_.waitFor(mutex_, kLook, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return came_ >= expected();
      });
    }
    if (stepping.gate.closed() && !over_ && !again_)
      takeResult();
  }
}

size_t Session::expected() const {
  size_t all = 0;
  for (const std::string &name : wanted_)
    all += results_.at(name);
  return all;
}

absl::StatusOr<RunResult> Session::close() {
  if (!failed_ && !std::exchange(ended_, true))
    if (absl::Status status = hooks_.end(*this); !status.ok())
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

/// Where steps are left: the chief's session ends them here; another one's asks for it. Lanes that
/// go on until then wait for nobody.
void Session::endRun() {
  if (over_)
    return;
  endAsked_ = true;
  if (attempt_->stepping.own) {
    attempt_->run->askForEnd();
    attempt_->stepping.gate.free();
  } else {
    attempt_->stepping.gate.end();
    attempt_->run->permit(globalStep(), {}, /*end=*/true);
  }
}

int Session::exitStatus() const {
  if (status_.ok())
    return 0;
  return attempt_ && attempt_->run && attempt_->run->lost() ? launch::kPeerLost : 1;
}

void Session::settle() {
  if (!attempt_->stepping.gate.awaitLanes())
    takeResult();
}

/// The run has ended. One that has lost another task while steps were to be made may begin again.
void Session::takeResult() {
  if (!attempt_ || !attempt_->run) { // nothing ran
    result_ = status_;
    over_ = true;
    return;
  }
  result_ = attempt_->join();
  attempt_->run->moveFetches(kept_);
  const std::optional<LostRun> loss =
      failed_ || endAsked_ ? std::nullopt : attempt_->run->loss(result_->status());
  if (loss && restarts_.await(*loss, [this] { return options_.stop() || stop_.load(); })) {
    result_.reset();
    again_ = true;
    return;
  }
  over_ = true;
  if (result_->ok())
    (*result_)->fetches = std::move(kept_);
  if (result_->ok() || failed_)
    return;
  status_ = result_->status();
  failed_ = !absl::IsCancelled(status_); // as RunOptions::stop asked
}

/// The lanes fail where they stand, so nothing is saved. Whoever tells the others first, a lane or
/// the run, names the cause.
void Session::fail(const absl::Status &why) {
  status_ = why;
  failed_ = over_ = true;
  if (!attempt_)
    return;
  attempt_->stepping.gate.abort(absl::CancelledError(why.message()));
  if (attempt_->run)
    attempt_->run->fail(why);
}

/// Names of results, which have to be the function's.
absl::Status Session::want(const RunArgs &args) {
  for (const std::string &name : args.fetches) {
    if (!results_.contains(name)) {
      std::vector<std::string> known;
      for (const auto &[result, programs] : results_)
        known.push_back(result);
      return absl::InvalidArgumentError(absl::StrCat(
          "fetch ", name, ": the function has no such result",
          attempt_->stepping.own ? " that this task makes" : "", base::didYouMean(name, known),
          known.empty() ? "" : "; it has ", absl::StrJoin(known, ", ")));
    }
    wanted_.insert(name);
  }
  return absl::OkStatus();
}

} // namespace graphc::session
