// graphc.h: a run step by step.
#include "graphc.h"
#include "runtime/api/Session.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <cstring>

struct graphc_session {
  absl::StatusOr<graphc::plan::LoadedPlan> plan;
  graphc::RunOptions options;
  graphc::session::Session::Hooks hooks;
  absl::Status status; ///< the first error
  std::atomic<bool> hasFailed{false}; ///< there is one, for other threads
  std::string error; ///< its text
  std::atomic<graphc::session::Session *> running{nullptr}; ///< `session`, for other threads
  std::atomic<bool> stopAsked{false}; ///< also before it runs
  graphc::SessionStart start;
  /// of the step that comes, by the program or the hook that is called
  std::vector<std::string> wanted;
  std::map<std::string, graphc::session::FetchedTensor> fetched; ///< of the last one
  std::string why; ///< of the hook that is called
  std::optional<absl::StatusOr<graphc::RunResult>> result;
  /// the last: its hooks look at the others when it goes
  std::unique_ptr<graphc::session::Session> session;

  int keep(const absl::Status &now) {
    if (now.ok())
      return 0;
    if (status.ok()) {
      status = now;
      error = graphc::base::describe(now);
      hasFailed = true;
    }
    return 1;
  }
};

namespace graphc::session {
namespace {

/// What the program itself wants of a step, and gets; before all hooks.
class OfProgram final : public Hook {
public:
  explicit OfProgram(graphc_session &c) : c_(c) {}
  std::string name() const override { return "graphc_session_want"; }
  absl::Status afterCreateSession(Session &session, const SessionStart &start) override {
    c_.running = &session;
    if (c_.stopAsked)
      session.requestStop();
    c_.start = start;
    return absl::OkStatus();
  }
  absl::StatusOr<RunArgs> beforeRun(const RunContext &) override {
    c_.fetched.clear();
    for (std::string &name : std::exchange(c_.wanted, {}))
      wanted_.push_back(std::move(name));
    return RunArgs{wanted_};
  }
  absl::Status afterRun(const RunContext &, const RunValues &values) override {
    wanted_.clear();
    c_.fetched = values.fetched;
    return absl::OkStatus();
  }

private:
  graphc_session &c_;
  /// until a step was made with it, which may be another one than was begun
  std::vector<std::string> wanted_;
};

class OfC final : public Hook {
public:
  OfC(graphc_session &c, const graphc_hook &hook)
      : c_(c), hook_(hook), name_(hook.name ? hook.name : "") {}
  std::string name() const override { return name_; }
  absl::Status begin() override { return call(hook_.begin); }
  absl::Status afterCreateSession(Session &, const SessionStart &) override {
    return call(hook_.after_create_session);
  }
  absl::StatusOr<RunArgs> beforeRun(const RunContext &) override {
    GRAPHC_RETURN_IF_ERROR(call(hook_.before_run));
    return RunArgs{std::exchange(c_.wanted, {})};
  }
  absl::Status afterRun(const RunContext &, const RunValues &) override {
    return call(hook_.after_run);
  }
  absl::Status end(Session &) override { return call(hook_.end); }

private:
  absl::Status call(int (*callback)(graphc_session *, void *)) {
    c_.why.clear();
    const int code = callback ? callback(&c_, hook_.data) : 0;
    if (code == 0)
      return absl::OkStatus();
    return absl::UnknownError(c_.why.empty() ? absl::StrCat("it returned ", code) : c_.why);
  }
  graphc_session &c_;
  const graphc_hook hook_;
  const std::string name_;
};

absl::Status notA(const std::string &what, const std::string &value) {
  return absl::InvalidArgumentError(
      absl::StrCat(value.empty() ? "nothing" : value, " is no ", what));
}

template <class T> absl::Status readCount(const std::string &value, T *to) {
  uint64_t number = 0;
  if (!absl::SimpleAtoi(value, &number) || number > std::numeric_limits<T>::max())
    return notA("whole number of 0 or more that fits", value);
  *to = static_cast<T>(number);
  return absl::OkStatus();
}
absl::Status readCount(const std::string &value, std::optional<uint64_t> *to) {
  return readCount(value, &to->emplace());
}
absl::Status readNumber(const std::string &value, std::optional<double> *to) {
  double number = 0;
  if (!absl::SimpleAtod(value, &number) || !(number >= 0 && number < 1e15))
    return notA("number of 0 or more", value);
  *to = number;
  return absl::OkStatus();
}
absl::Status readText(const std::string &value, std::string *to) {
  *to = value;
  return absl::OkStatus();
}
absl::Status readSeconds(const std::string &value, absl::Duration *to) {
  std::optional<double> seconds;
  GRAPHC_RETURN_IF_ERROR(readNumber(value, &seconds));
  if (*seconds <= 0)
    return notA("number of seconds", value);
  *to = absl::Seconds(*seconds);
  return absl::OkStatus();
}
absl::Status readOneOf(const std::string &value, const char *yes, const char *no, bool *to) {
  if (value != yes && value != no)
    return absl::InvalidArgumentError(absl::StrCat(value, " is neither ", yes, " nor ", no));
  *to = value == yes;
  return absl::OkStatus();
}

absl::Status setOption(RunOptions &o, const std::string &key, const std::string &value) {
  constexpr std::string_view kHosts = "_hosts";
  const std::map<std::string, std::function<absl::Status()>> keys = {
      {"entry", [&] { return readText(value, &o.entry); }},
      {"epochs", [&] { return readNumber(value, &o.epochs); }},
      {"steps", [&] { return readCount(value, &o.steps); }},
      {"eval_every_epochs", [&] { return readNumber(value, &o.evalEveryEpochs); }},
      {"no_eval", [&] { return readOneOf(value, "false", "true", &o.evaluates); }},
      {"checkpoint_dir", [&] { return readText(value, &o.checkpointDirectory); }},
      {"init_from", [&] { return readText(value, &o.initFrom); }},
      {"save_checkpoint_steps", [&] { return readCount(value, &o.saveEverySteps); }},
      {"save_checkpoint_secs", [&] { return readNumber(value, &o.saveEverySeconds); }},
      {"keep_checkpoint_max", [&] { return readCount(value, &o.keepCheckpoints); }},
      {"max_restarts", [&] { return readCount(value, &o.maxRestarts); }},
      {"nan", [&] { return readOneOf(value, "stop", "raise", &o.nanStops); }},
      {"early_stop", [&] { return readText(value, &o.earlyStop); }},
      {"log_step_count_steps", [&] { return readCount(value, &o.logEverySteps); }},
      {"new_algorithms", [&] { return readOneOf(value, "true", "false", &o.newAlgorithms); }},
      {"dump_variables", [&] { return readText(value, &o.dumpDirectory); }},
      {"data_dir", [&] { return readText(value, &o.data.dataDir); }},
      {"intra_op_threads", [&] { return readCount(value, &o.intraOpThreads); }},
      {"deadline", [&] { return readSeconds(value, &o.deadline); }},
      {"graphrun", [&] { return readText(value, &o.cluster.graphrun); }},
      {"master", [&] { return readText(value, &o.cluster.master); }},
      {"job_name", [&] { return readText(value, &o.cluster.jobName); }},
      {"task_index", [&] { return readCount(value, &o.cluster.taskIndex); }},
      {"rank_order",
       [&] {
         o.cluster.rankOrder = absl::StrSplit(value, ',');
         return absl::OkStatus();
       }},
      {"job_dir", [&] { return readText(value, &o.cluster.jobDirectory); }},
      {"tls_cert", [&] { return readText(value, &o.cluster.tls.certificate); }},
      {"tls_key", [&] { return readText(value, &o.cluster.tls.key); }},
      {"tls_ca", [&] { return readText(value, &o.cluster.tls.authority); }},
      {"transport", [&] { return readText(value, &o.cluster.transport); }},
      {"join_deadline", [&] { return readSeconds(value, &o.cluster.joinDeadline); }},
  };
  if (auto found = keys.find(key); found != keys.end())
    return base::annotate(found->second(), key);
  if (key.ends_with(kHosts) && key.size() > kHosts.size()) {
    o.cluster.hosts[key.substr(0, key.size() - kHosts.size())] = absl::StrSplit(value, ',');
    return absl::OkStatus();
  }
  std::vector<std::string> known;
  for (const auto &[name, read] : keys)
    known.push_back(name);
  return absl::InvalidArgumentError(
      absl::StrCat(key, ": a session has no such option", base::didYouMean(key, known)));
}

graphc_session *make(absl::StatusOr<plan::LoadedPlan> plan) {
  auto *made = new graphc_session;
  made->plan = std::move(plan);
  made->keep(made->plan.status());
  made->hooks.push_back(std::make_shared<OfProgram>(*made));
  return made;
}

/// No exception crosses into C: a thread that the system refuses, memory that is not there.
template <typename Work> int guarded(graphc_session &session, const Work &work) {
  try {
    return session.keep(work());
  } catch (const std::exception &error) {
    if (!session.session)
      session.running = nullptr;
    return session.keep(absl::InternalError(error.what()));
  }
}

absl::Status beforeTheStart(const graphc_session &session) {
  return session.session ? absl::FailedPreconditionError(
                               "the session was started; options, feeds and hooks come before")
                         : absl::OkStatus();
}
} // namespace
} // namespace graphc::session

using graphc::session::Session;

graphc_session *graphc_new_session(const void *plan, size_t bytes) {
  return graphc::session::make(
      graphc::plan::decodePlan({static_cast<const char *>(plan), bytes}, "the plan"));
}

graphc_session *graphc_new_session_file(const char *path) {
  graphc_session *made = graphc::session::make(graphc::plan::loadPlan(path));
  const std::string name = path;
  const size_t slash = name.rfind('/');
  // data may lie beside it
  made->options.data.planDir = slash == std::string::npos ? "." : name.substr(0, slash);
  return made;
}

int graphc_session_set(graphc_session *session, const char *key, const char *value) {
  if (session->keep(graphc::session::beforeTheStart(*session)))
    return 1;
  return session->keep(graphc::session::setOption(session->options, key, value ? value : ""));
}

int graphc_session_feed(graphc_session *session, const char *name, const void *data, size_t bytes) {
  if (session->keep(graphc::session::beforeTheStart(*session)))
    return 1;
  session->options.feeds[name].assign(static_cast<const char *>(data), bytes);
  return 0;
}

int graphc_session_add_hook(graphc_session *session, const graphc_hook *hook) {
  if (session->keep(graphc::session::beforeTheStart(*session)))
    return 1;
  graphc_hook own{};
  std::memcpy(&own, hook, std::min(hook->size, sizeof own)); // an older program's are shorter
  session->hooks.push_back(std::make_shared<graphc::session::OfC>(*session, own));
  return 0;
}

void graphc_session_set_log(graphc_session *session, void (*log)(void *context, const char *line),
                            void *context) {
  session->options.log = nullptr;
  if (log)
    session->options.log = [log, context](const std::string &line) { log(context, line.c_str()); };
}

int graphc_session_start(graphc_session *session) {
  if (!session->status.ok() || session->session)
    return !session->status.ok();
  return graphc::session::guarded(*session, [&] {
    session->session =
        std::make_unique<Session>(*std::move(session->plan), session->options, session->hooks);
    session->running = session->session.get();
    return session->session->status();
  });
}

int graphc_session_should_stop(const graphc_session *session) {
  const Session *running = session->running;
  return !running || session->hasFailed || running->shouldStop();
}

void graphc_session_request_stop(graphc_session *session) {
  session->stopAsked = true;
  if (Session *running = session->running)
    running->requestStop();
}

int graphc_session_run(graphc_session *session) {
  if (!session->session)
    return session->keep(absl::FailedPreconditionError("the session was not started"));
  return graphc::session::guarded(*session, [&] {
    session->session->run();
    return session->session->status();
  });
}

uint64_t graphc_session_global_step(const graphc_session *session) {
  const Session *running = session->running;
  return running ? running->globalStep() : 0;
}

const char *graphc_session_restored_from(const graphc_session *session) {
  return session->start.restoredFrom.c_str();
}

int graphc_session_want(graphc_session *session, const char *name) {
  session->wanted.emplace_back(name);
  return 0;
}

int graphc_session_fetched(const graphc_session *session, const char *name, void *buffer,
                           size_t bytes, graphc_fetched *value) {
  auto found = session->fetched.find(name);
  if (found == session->fetched.end())
    return 1;
  const graphc::session::FetchedTensor &tensor = found->second;
  if (value)
    *value = {tensor.name.c_str(),
              tensor.step,
              static_cast<uint32_t>(tensor.type.dtype()),
              static_cast<size_t>(tensor.type.shape_size()),
              tensor.type.shape().data(),
              tensor.data.data(),
              tensor.data.size()};
  if (!buffer)
    return 0;
  if (tensor.data.size() > bytes)
    return 1;
  std::memcpy(buffer, tensor.data.data(), tensor.data.size());
  return 0;
}

void graphc_session_fail(graphc_session *session, const char *why) { session->why = why; }

int graphc_session_close(graphc_session *session) {
  if (!session->session) {
    session->keep(absl::FailedPreconditionError("the session was not started"));
    return 1;
  }
  graphc::session::guarded(*session, [&] {
    if (!session->result)
      session->result = session->session->close();
    return session->result->status();
  });
  const int status = session->session->exitStatus();
  // what was called too late is an error as well
  return status || session->status.ok() ? status : 1;
}

const char *graphc_session_error(const graphc_session *session) {
  return session->status.ok() ? nullptr : session->error.c_str();
}

int graphc_session_loss(const graphc_session *session, double *value) {
  if (!session->result || !session->result->ok() || !(*session->result)->loss)
    return 0;
  *value = *(*session->result)->loss;
  return 1;
}

int graphc_session_metric(const graphc_session *session, const char *name, double *value) {
  if (!session->result || !session->result->ok())
    return 0;
  auto found = (*session->result)->metrics.find(name);
  if (found == (*session->result)->metrics.end())
    return 0;
  *value = found->second;
  return 1;
}

const char *graphc_session_ended_early(const graphc_session *session) {
  return session->result && session->result->ok() ? (*session->result)->endedEarly.c_str() : "";
}

void graphc_free_session(graphc_session *session) { delete session; }
