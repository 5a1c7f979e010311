#include "runtime/session/master/AnswerValidator.h"

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/common/base/Json.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyPlan.h"
#include "runtime/data/PhaseBatches.h"
#include "runtime/executor/ControlMessage.h"
#include "runtime/executor/PhaseSetup.h"
#include "runtime/service/PeerCheck.h"
#include "runtime/session/recovery/MemoryRecovery.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>

namespace graphc::session {
namespace {
using service::CheckOrder;
using service::Done;
using service::Order;

/// Of one data set; of what is counted in a phase, so that all tasks' sums fit.
constexpr uint64_t kMostSamples = plan::PlanLimits::bytes;
constexpr int64_t kMostCounted = int64_t{1} << 46;
constexpr size_t kMostStats = 1 << 20; ///< bytes of JSON
constexpr uint32_t kReports = UINT32_MAX; ///< in place of a fetch
constexpr size_t kMostNotFinite = 1 << 16; ///< bytes of the message; a name of the model's is in it

absl::Status unfit(const std::string &what) { return absl::InvalidArgumentError(what); }

/// Nothing but what belongs to an answer of this kind.
absl::Status checkKind(const Order &order, Done done) {
  done.clear_id();
  switch (order.kind_case()) {
  case Order::kPrepare:
    done.clear_path();
    done.clear_algorithms();
    done.clear_held();
    break;
  case Order::kCopy:
    done.clear_piece();
    done.clear_mirrors_crc();
    break;
  case Order::kConnect:
    done.clear_datasets();
    break;
  case Order::kInitialize:
    done.clear_global_step();
    done.clear_mirrors_crc();
    break;
  case Order::kRun:
    done.clear_steps();
    done.clear_stopped();
    done.clear_losses();
    done.clear_metrics();
    done.clear_not_finite();
    done.clear_not_finite_step();
    done.clear_tickets();
    break;
  case Order::kSave:
    done.clear_shard();
    done.clear_not_finite();
    done.clear_mirrors_crc();
    break;
  case Order::kEnd:
    done.clear_stats();
    break;
  case Order::kPart:
    done.clear_stopped_at();
    done.clear_stopped_late();
    break;
  case Order::kRelink:
    done.clear_path();
    done.clear_stopped_late();
    break;
  case Order::kReconnect:
  case Order::kRejoin:
    done.clear_stopped_late();
    break;
  default:
    break;
  }
  return done.ByteSizeLong() == 0 ? absl::OkStatus() : unfit("it says what was not asked");
}

/// The names and types of what a task saves, as its shard lists them.
using Tensors = std::map<std::string, std::string>;
std::string tensorText(const plan::TensorType &type, const plan::Part *part) {
  return part ? absl::StrCat(plan::typeText(type), " of ", part->of(), " : ",
                             plan::typeText(part->type()), " at ", plan::partOffset(type, *part))
              : plan::typeText(type);
}
} // namespace

/// What each task has, by the plan: variables, data, lanes and metrics of each phase. Answers are
/// held against it.
AnswerValidator::AnswerValidator(const plan::Plan &plan, std::function<void(const Order &)> told)
    : plan_(plan), told_(std::move(told)) {
  for (const plan::Task &task : plan::allTasks(plan)) {
    OfTask &one = tasks_.emplace_back();
    one.task = task;
    for (int i = 0; i < plan.variables_size(); ++i) {
      const plan::Variable &variable = plan.variables(i);
      if (!plan::stores(plan, variable, task))
        continue;
      one.mirrors |= variable.mirrored();
      one.globalStep |= variable.global_step();
      if (plan::sameTask(variable.owner(), task))
        one.owned.push_back(static_cast<uint32_t>(i));
    }
    for (int phase = 0; phase < plan.phases_size(); ++phase) {
      PhaseOfTask &here = one.phases.emplace_back();
      if (data::readsData(plan, static_cast<uint32_t>(phase), task))
        for (const data::SampleStream &stream : data::streamsOf(plan, static_cast<uint32_t>(phase)))
          here.datasets.insert(stream.dataset);
      for (uint32_t index : plan.phases(phase).programs()) {
        const plan::Program &program = plan.programs(static_cast<int>(index));
        const auto lanes = int(plan::lanesOn(plan, program, task));
        for (const plan::Metric &metric : program.metrics())
          if (lanes)
            here.metrics.insert(metric.name());
        here.lanes += lanes;
        for (const plan::Instruction &instruction : program.instructions())
          if (lanes && instruction.has_ticket())
            here.tickets = lanes;
      }
    }
  }
}

/// From now on answers are to this order.
void AnswerValidator::ordered(const Order &order) {
  if (told_)
    told_(order);
  order_ = order;
  answered_.assign(tasks_.size(), false);
  if (order.has_prepare())
    wanted_.insert(order.prepare().fetches().begin(), order.prepare().fetches().end());
  nanStops_ |= order.has_prepare() && order.prepare().nan_stops();
  if (order.has_begin()) {
    begin_ = order.begin();
    next_.clear();
    rejoined_.clear();
    traced_.assign(tasks_.size(), 0);
    emptyTraces_.clear();
  }
}

/// One answer a task, of the order's kind, with what the plan says that it has, and nothing else.
absl::Status AnswerValidator::check(uint32_t task, const Done &done) {
  answered_[task] = true;
  return checkAnswer(task, order_, done);
}

/// No numbers that no training comes to, and no more lanes than the task ever has at once: they are
/// added, and looked at one by one.
absl::Status AnswerValidator::check(uint32_t task, const service::Progress &progress) {
  const auto notOf = [](uint64_t number, const char *what) {
    return unfit(absl::StrCat("its progress cannot be: ", number, " ", what));
  };
  if (const uint64_t steps = std::max(progress.steps(), progress.tickets());
      steps > executor::kMostSteps)
    return notOf(steps, "steps");
  if (progress.loss_epoch() > executor::kMostSteps)
    return notOf(progress.loss_epoch(), "epochs");
  if (progress.loss_count() > static_cast<uint64_t>(kMostCounted))
    return notOf(progress.loss_count(), "losses");
  int lanes = 0;
  for (const PhaseOfTask &phase : tasks_[task].phases)
    lanes = std::max(lanes, phase.lanes);
  return progress.lanes_size() <= lanes
             ? absl::OkStatus()
             : notOf(static_cast<uint64_t>(progress.lanes_size()), "lanes");
}

absl::Status AnswerValidator::checkOwn(uint32_t task, const Order &order, const Done &done) {
  return checkAnswer(task, order, done);
}

/// Of a lane whose task makes steps again: it comes before the one that is expected.
bool AnswerValidator::isRepeated(uint32_t task, const service::Fetched &value) const {
  if (!rejoined_.contains(task))
    return false;
  auto found = next_.find(
      {value.program(), value.has_report() ? kReports : value.fetch(), value.instance()});
  return found != next_.end() && value.step() < found->second;
}

absl::Status AnswerValidator::checkAnswer(uint32_t task, const Order &order,
                                          const Done &done) const {
  const OfTask &one = tasks_[task];
  GRAPHC_RETURN_IF_ERROR(checkKind(order, done));
  const bool initializes = order.has_initialize();
  if ((initializes || order.has_save()) && done.has_mirrors_crc() != one.mirrors)
    return unfit(one.mirrors ? "it has no checksum of its mirrors"
                             : "it has a checksum of mirrors that it does not have");
  if (initializes)
    GRAPHC_RETURN_IF_ERROR(checkGlobalStep(one, done));
  switch (order.kind_case()) {
  case Order::kCopy:
    if (done.piece().size() != (task == order.copy().from() ? order.copy().ask() : 0))
      return unfit(absl::StrCat(done.piece().size(), " bytes of variables of ", order.copy().ask(),
                                ", asked of task ", order.copy().from()));
    return done.has_mirrors_crc() == (one.mirrors && order.copy().ask() == 0)
               ? absl::OkStatus()
               : unfit("it has a checksum of its mirrors before the last piece, or none behind it");
  case Order::kPart:
    for (const service::LaneStop &stop : done.stopped_at())
      if (stop.step() > executor::kMostSteps)
        return unfit("a lane has stopped beyond every step");
    return absl::OkStatus();
  case Order::kRelink:
    return service::checkSocketPath(done.path());
  case Order::kPrepare:
    if (done.has_held())
      GRAPHC_RETURN_IF_ERROR(checkHeld(plan_, done.held()));
    GRAPHC_RETURN_IF_ERROR(service::checkAlgorithms(done.algorithms()));
    return service::checkSocketPath(done.path());
  case Order::kConnect:
    return checkDatasets(one, order.connect(), done);
  case Order::kRun:
    return checkRun(one, done);
  case Order::kSave:
    return checkShard(one, done);
  case Order::kEnd: {
    auto stats = base::parseJson(done.stats(), "statistics", {.bytes = kMostStats});
    GRAPHC_RETURN_IF_ERROR(stats.status());
    return stats->is(base::JsonValue::Kind::Object) ? absl::OkStatus()
                                                    : unfit("its statistics are no object");
  }
  default:
    return absl::OkStatus();
  }
}

/// The size of each data set that it reads in the phases that the run makes, once.
absl::Status AnswerValidator::checkDatasets(const OfTask &task, const Order::Connect &order,
                                            const Done &done) const {
  std::set<uint32_t> reads;
  for (uint32_t phase : order.phases())
    reads.insert(task.phases[phase].datasets.begin(), task.phases[phase].datasets.end());
  std::map<uint32_t, uint64_t> told;
  for (const service::DatasetSize &size : done.datasets()) {
    if (!reads.contains(size.dataset()))
      return unfit(absl::StrCat("it tells the size of data set ", size.dataset(),
                                ", which it does not read"));
    if (size.samples() == 0 || size.samples() > kMostSamples ||
        told.try_emplace(size.dataset(), size.samples()).first->second != size.samples())
      return unfit(absl::StrCat("data set ",
                                plan_.datasets(static_cast<int>(size.dataset())).name(), " of ",
                                size.samples(), " samples, or twice"));
  }
  return told.size() == reads.size() ? absl::OkStatus()
                                     : unfit("it does not tell the sizes of its data sets");
}

/// The step counter where it stores that, within bounds.
absl::Status AnswerValidator::checkGlobalStep(const OfTask &task, const Done &done) const {
  if (done.has_global_step() != task.globalStep)
    return unfit(task.globalStep ? "it does not tell the global step"
                                 : "it tells a global step that it does not have");
  if (!task.globalStep)
    return absl::OkStatus();
  const int64_t least = 0, most = static_cast<int64_t>(executor::kMostSteps);
  return done.global_step() >= least && done.global_step() <= most
             ? absl::OkStatus()
             : unfit(absl::StrCat("global step ", done.global_step(), ", expected ", least, " to ",
                                  most));
}

/// No more steps than ordered, sums of losses from its lanes, metrics that they compute.
absl::Status AnswerValidator::checkRun(const OfTask &task, const Done &done) const {
  const PhaseOfTask &here = task.phases[begin_.phase()];
  if (done.steps() > begin_.steps())
    return unfit(absl::StrCat(done.steps(), " steps of ", begin_.steps()));
  bool fits = done.tickets_size() == here.tickets;
  uint64_t left = done.steps();
  for (uint64_t taken : done.tickets()) {
    fits &= taken <= left;
    left -= std::min(left, taken);
  }
  if (!fits || (here.tickets && left))
    return unfit(absl::StrCat("update tickets of ", done.tickets_size(), " lanes of ", here.tickets,
                              ", or not as many as steps, ", done.steps()));
  if (done.not_finite().empty() != (done.not_finite_step() == 0) ||
      (!done.not_finite().empty() && (!nanStops_ || done.not_finite().size() > kMostNotFinite)))
    return unfit(
        "it tells of a loss that is no number, which nobody has asked for, or too much of it");
  if (done.losses_size() > here.lanes)
    return unfit(absl::StrCat(done.losses_size(), " sums of losses from ", here.lanes, " lanes"));
  for (const service::EpochSum &loss : done.losses())
    if (loss.epoch() > executor::kMostSteps || loss.count() > static_cast<uint64_t>(kMostCounted))
      return unfit(absl::StrCat("a sum of ", loss.count(), " losses of epoch ", loss.epoch()));
  std::set<std::pair<std::string, uint64_t>> seen;
  for (const service::MetricSum &metric : done.metrics()) {
    if (!here.metrics.contains(metric.name()) ||
        !seen.insert({metric.name(), metric.epoch()}).second ||
        seen.size() > here.metrics.size() * static_cast<size_t>(here.lanes))
      return unfit("a metric that it does not compute, or one twice");
    if (metric.count() < 0 || metric.count() > kMostCounted)
      return unfit(absl::StrCat(metric.name(), " of ", metric.count(), " samples"));
  }
  return absl::OkStatus();
}

/// Its own file with its own variables, as the plan has them.
absl::Status AnswerValidator::checkShard(const OfTask &task, const Done &done) const {
  if (!done.not_finite().empty()) // then it has none
    return !task.owned.empty() && done.shard().empty() && done.not_finite().size() <= kMostNotFinite
               ? absl::OkStatus()
               : unfit(
                     "it tells of a variable that is no number and has none, or has written a shard, or tells too "
                     "much of it");
  if (done.shard().empty() != task.owned.empty())
    return unfit(task.owned.empty() ? "it has written a shard and has no variables"
                                    : "it has written no shard");
  if (task.owned.empty())
    return absl::OkStatus();
  GRAPHC_ASSIGN_OR_RETURN(checkpoint::ShardInfo shard, checkpoint::decodeShard(done.shard()));
  if (shard.file != checkpoint::shardFile(plan_.jobs(static_cast<int>(task.task.job())).name(),
                                          task.task.index()))
    return unfit("the file of its shard is another's");
  Tensors own, told;
  for (uint32_t index : task.owned) {
    const plan::Variable &variable = plan_.variables(static_cast<int>(index));
    own[variable.name()] =
        tensorText(variable.type(), variable.has_part_of() ? &variable.part_of() : nullptr);
  }
  for (const checkpoint::VariableInfo &variable : shard.variables)
    told[variable.name] = tensorText(variable.type, variable.part ? &*variable.part : nullptr);
  return own == told && shard.variables.size() == own.size()
             ? absl::OkStatus()
             : unfit("its shard has other variables than it saves");
}

/// A result of the phase that runs, of a lane of that task, that was asked for; steps in order.
absl::Status AnswerValidator::check(uint32_t task, const service::Fetched &value) {
  if (!order_.has_run() || answered_[task])
    return unfit("a result comes while none is computed");
  if (value.program() >= static_cast<uint32_t>(plan_.programs_size()))
    return unfit(absl::StrCat("a result of program ", value.program(), ", the plan has ",
                              plan_.programs_size()));
  const plan::Program &program = plan_.programs(static_cast<int>(value.program()));
  if (program.phase() != begin_.phase() || value.instance() >= program.instances() ||
      !plan::sameTask(plan::instanceTask(plan_, program, value.instance()), tasks_[task].task))
    return unfit(absl::StrCat("a result of ", program.name(), "[", value.instance(),
                              "], which does not run there"));
  if (value.has_report())
    return checkReport(program, value);
  if (value.fetch() >= static_cast<uint32_t>(program.fetches_size()) ||
      !wanted_.contains(program.fetches(static_cast<int>(value.fetch())).name()))
    return unfit(absl::StrCat("result ", value.fetch(), " of ", program.name(),
                              ", for which nobody has asked"));
  const plan::Port &port = program.fetches(static_cast<int>(value.fetch()));
  const plan::Buffer &buffer = program.buffers(static_cast<int>(port.buffer()));
  if (value.value().size() != buffer.bytes())
    return unfit(absl::StrCat(port.name(), " of ", value.value().size(), " bytes, expected ",
                              buffer.bytes()));
  return checkStep(port.name(), value.fetch(), value);
}

/// All results and metrics of the program, each of its size.
absl::Status AnswerValidator::checkReport(const plan::Program &program,
                                          const service::Fetched &value) {
  const service::Report &report = value.report();
  if (!begin_.has_reports() || !value.value().empty() || value.fetch() != 0)
    return unfit("a report, for which nobody has asked");
  if (report.values_size() != program.fetches_size() ||
      report.metrics_size() != program.metrics_size())
    return unfit(absl::StrCat("a report of ", report.values_size(), " results and ",
                              report.metrics_size(), " metrics, the program has ",
                              program.fetches_size(), " and ", program.metrics_size()));
  for (int i = 0; i < program.fetches_size(); ++i)
    if (const uint64_t bytes =
            program.buffers(static_cast<int>(program.fetches(i).buffer())).bytes();
        report.values(i).size() != bytes)
      return unfit(absl::StrCat("a report has ", program.fetches(i).name(), " of ",
                                report.values(i).size(), " bytes, expected ", bytes));
  for (const service::Report::Counted &metric : report.metrics())
    if (metric.count() < 0 || metric.count() > kMostCounted)
      return unfit(absl::StrCat("a report has a metric of ", metric.count(), " samples"));
  return checkStep("a report", kReports, value);
}

/// Each later than the one before, and of the phase's steps.
absl::Status AnswerValidator::checkStep(const std::string &what, uint32_t fetch,
                                        const service::Fetched &value) {
  const uint64_t first = begin_.first_step() / executor::lanesPerUpdate(plan_, begin_.phase());
  uint64_t &next =
      next_.try_emplace({value.program(), fetch, value.instance()}, first).first->second;
  if (value.step() < next || value.step() - first >= begin_.steps())
    return unfit(absl::StrCat(what, " of step ", value.step() + 1, ", expected step ", next + 1,
                              " or a later one of ", begin_.steps(), " from ", first + 1, " on"));
  next = value.step() + 1;
  return absl::OkStatus();
}

/// Of a lane of that task, in the phase that runs, where a trace was asked for; no more than a task
/// keeps, and in order.
absl::Status AnswerValidator::check(uint32_t task, const service::Traced &trace) {
  if (!order_.has_run() || answered_[task] || !begin_.has_trace())
    return unfit("a trace comes while none is made");
  if (trace.program() >= static_cast<uint32_t>(plan_.programs_size()))
    return unfit(absl::StrCat("a trace of program ", trace.program(), ", the plan has ",
                              plan_.programs_size()));
  const plan::Program &program = plan_.programs(static_cast<int>(trace.program()));
  if (program.phase() != begin_.phase() || trace.instance() >= program.instances() ||
      !plan::sameTask(plan::instanceTask(plan_, program, trace.instance()), tasks_[task].task))
    return unfit(absl::StrCat("a trace of ", program.name(), "[", trace.instance(),
                              "], which does not run there"));
  if (trace.records().empty() && !emptyTraces_.emplace(trace.program(), trace.instance()).second)
    return unfit(
        absl::StrCat("an empty trace of ", program.name(), "[", trace.instance(), "] comes twice"));
  if (traced_[task] += trace.records().size(); traced_[task] > executor::LaneTrace::kMostBytes)
    return unfit("its trace is longer than a task's may be");
  return executor::decodeRecords(trace.records(), program).status();
}

/// Of graphrun check: links and data sets that it was asked about, each once.
absl::Status checkAnswer(const plan::Plan &plan, uint32_t task, const CheckOrder &order,
                         const service::CheckReport &report) {
  const plan::Task self = plan::allTasks(plan)[task];
  std::set<uint32_t> peers, linked, read, told;
  for (const service::Peer &peer : order.reach().peers())
    peers.insert(peer.task());
  if (order.has_measure())
    peers.insert(order.measure().peer());
  for (int phase = 0; order.has_look() && phase < plan.phases_size(); ++phase)
    if (data::readsData(plan, static_cast<uint32_t>(phase), self))
      for (const data::SampleStream &stream : data::streamsOf(plan, static_cast<uint32_t>(phase)))
        read.insert(stream.dataset);
  for (const service::CheckedLink &link : report.links()) {
    if (!peers.contains(link.peer()) || !linked.insert(link.peer()).second)
      return unfit(absl::StrCat("it tells of a link with task ", link.peer(),
                                ", which was not asked, or twice"));
    for (double figure : {link.latency_us(), link.there_gbps(), link.back_gbps()})
      if (!std::isfinite(figure) || figure < 0)
        return unfit("it has measured a link and found what cannot be");
  }
  if (absl::Status path = service::checkSocketPath(report.path()); !path.ok())
    return path;
  for (const service::CheckedData &data : report.data())
    if (!read.contains(data.dataset()) || !told.insert(data.dataset()).second ||
        data.samples() > kMostSamples)
      return unfit(
          absl::StrCat("it tells of data set ", data.dataset(), ", which was not asked, or twice"));
  return absl::OkStatus();
}

} // namespace graphc::session
