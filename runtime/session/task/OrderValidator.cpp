#include "runtime/session/task/OrderValidator.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyPlan.h"
#include "runtime/data/ConsumedRanges.h"
#include "runtime/executor/ControlMessage.h"
#include "runtime/service/PeerCheck.h"
#include "runtime/session/recovery/MemoryRecovery.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::session {
namespace {
using service::CheckOrder;
using service::Order;

/// A run's --fetch flags, some of which may be equal.
constexpr int kMostFetches = 10000;
constexpr double kMostSeconds = 60; ///< of one link's measurement
constexpr double kMostReportSeconds = 1e9; ///< between two reports

std::string kindName(const google::protobuf::Message &order) {
  const auto *field =
      order.GetReflection()->GetOneofFieldDescriptor(order, order.GetDescriptor()->oneof_decl(0));
  return field ? std::string(field->name()) : "of another version";
}

absl::Status wrong(const std::string &what) { return absl::InvalidArgumentError(what); }

absl::Status checkPaths(const google::protobuf::RepeatedPtrField<std::string> &paths) {
  // one that is missing, or of a task that the plan has not, is used by nobody
  for (const std::string &path : paths)
    GRAPHC_RETURN_IF_ERROR(service::checkSocketPath(path));
  return absl::OkStatus();
}
} // namespace

std::string orderName(const Order &order) { return kindName(order); }

OrderValidator::OrderValidator(const plan::Plan &plan, uint32_t task, uint64_t incarnation)
    : plan_(plan), task_(task), incarnation_(incarnation) {}

/// Checks the order, then goes to the state in which it leaves the task.
absl::Status OrderValidator::take(const Order &order) {
  GRAPHC_RETURN_IF_ERROR(base::annotate(
      check(order), absl::StrCat("the chief's order ", order.id(), ", ", kindName(order))));
  id_ = order.id();
  switch (order.kind_case()) {
  case Order::kPrepare:
    state_ = State::Prepared;
    break;
  case Order::kConnect:
    state_ = State::Connected;
    phases_.insert(order.connect().phases().begin(), order.connect().phases().end());
    break;
  case Order::kInitialize:
  case Order::kRun:
    state_ = State::Ready;
    break;
  case Order::kBegin:
    state_ = State::Begun;
    generation_ = order.begin().generation();
    break;
  case Order::kCheck:
    (order.check().nonce().empty() ? checked_ : shared_).insert(order.check().directory());
    break;
  case Order::kEnd:
    state_ = State::Ended;
    break;
  default:
    break;
  }
  return absl::OkStatus();
}

/// Whether the order may come in this state: prepare, connect, initialize; then begin and run in
/// turns, save, dump; end.
absl::Status OrderValidator::check(const Order &order) const {
  struct Now {
    const char *may;
    std::vector<Order::KindCase> kinds;
  };
  auto now = [&]() -> Now {
    switch (state_) {
    case State::Joined:
      return {"only prepare may come now", {Order::kPrepare}};
    case State::Prepared:
      return {"only connect may come now", {Order::kConnect}};
    case State::Connected:
      return {"only check, copy and initialize may come now",
              {Order::kCheck, Order::kCopy, Order::kInitialize}};
    case State::Ready:
      return {"only begin, save, dump and end may come now",
              {Order::kBegin, Order::kSave, Order::kDump, Order::kEnd, Order::kPart, Order::kRelink,
               Order::kReconnect, Order::kRejoin}}; // the last four while the phase runs
    case State::Begun:
      return {"only run may come now", {Order::kRun}};
    case State::Ended:
      break;
    }
    return {"nothing may come behind the end", {}};
  }();
  if (order.kind_case() == Order::KIND_NOT_SET)
    return wrong("start every task with the same graphrun");
  if (order.id() <= id_)
    return wrong(absl::StrCat("it comes behind order ", id_));
  if (std::find(now.kinds.begin(), now.kinds.end(), order.kind_case()) == now.kinds.end())
    return wrong(now.may);
  return checkContent(order);
}

/// Whether what it says can be, by the plan and by what came before.
absl::Status OrderValidator::checkContent(const Order &order) const {
  switch (order.kind_case()) {
  case Order::kPrepare:
    return checkPrepare(order.prepare());
  case Order::kConnect:
    for (uint32_t phase : order.connect().phases())
      GRAPHC_RETURN_IF_ERROR(checkPhase(phase));
    return checkPaths(order.connect().paths());
  case Order::kInitialize:
    GRAPHC_RETURN_IF_ERROR(service::checkAlgorithms(order.initialize().algorithms()));
    if (order.initialize().has_held()) {
      GRAPHC_RETURN_IF_ERROR(checkHeld(plan_, order.initialize().held()));
      if (!order.initialize().restore_from().empty())
        return wrong("it goes on from memory and from a checkpoint");
    }
    if (!order.initialize().init_from().empty()) {
      if (order.initialize().has_held() || !order.initialize().restore_from().empty())
        return wrong("it goes on, and begins from another one's checkpoint");
      return service::checkPath(order.initialize().init_from(), "the checkpoint to begin from");
    }
    if (order.initialize().has_init_file())
      return wrong("it begins from a file without a name");
    return order.initialize().restore_from().empty()
               ? absl::OkStatus()
               : service::checkPath(order.initialize().restore_from(), "the checkpoint");
  case Order::kCopy:
    if (order.copy().data().size() > kPieceBytes || order.copy().ask() > kPieceBytes)
      return wrong(absl::StrCat("a piece of variables of more than ", kPieceBytes, " bytes"));
    return checkHeld(plan_, order.copy().held());
  case Order::kBegin:
    return checkBegin(order.begin());
  case Order::kSave:
    if (order.save().step() > executor::kMostSteps)
      return wrong(absl::StrCat("step ", order.save().step(), " is beyond every step"));
    return shared_.contains(order.save().directory())
               ? absl::OkStatus()
               : wrong("its folder is none that this task has checked");
  case Order::kPart:
    return checkOther(order.part().task());
  case Order::kRelink:
    GRAPHC_RETURN_IF_ERROR(checkOther(order.relink().peer().task()));
    return service::checkPeer(
        order.relink().peer(), order.relink().peer().task(),
        plan::taskText(plan_, plan::allTasks(plan_)[order.relink().peer().task()]));
  case Order::kReconnect:
    GRAPHC_RETURN_IF_ERROR(checkOther(order.reconnect().task()));
    return service::checkSocketPath(order.reconnect().path());
  case Order::kRejoin:
    GRAPHC_RETURN_IF_ERROR(checkOther(order.rejoin().task()));
    return order.rejoin().step() <= executor::kMostSteps ? absl::OkStatus()
                                                         : wrong("its step is beyond every step");
  case Order::kCheck:
    return service::checkPath(order.check().directory(), "the folder");
  case Order::kDump:
    return checked_.contains(order.dump().directory()) || shared_.contains(order.dump().directory())
               ? absl::OkStatus()
               : wrong("its folder is none that this task has checked");
  default:
    return absl::OkStatus();
  }
}

/// Another task of the plan.
absl::Status OrderValidator::checkOther(uint32_t task) const {
  return task < plan::allTasks(plan_).size() && task != task_
             ? absl::OkStatus()
             : wrong(absl::StrCat("task ", task, " is none of the plan's others"));
}

/// The peers are the plan's tasks, this one among them; the results asked for are the plan's.
absl::Status OrderValidator::checkPrepare(const Order::Prepare &prepare) const {
  const std::vector<plan::Task> tasks = plan::allTasks(plan_);
  if (static_cast<size_t>(prepare.peers_size()) != tasks.size())
    return wrong(
        absl::StrCat("it has ", prepare.peers_size(), " peers, the plan ", tasks.size(), " tasks"));
  for (uint32_t task = 0; task < tasks.size(); ++task)
    GRAPHC_RETURN_IF_ERROR(service::checkPeer(prepare.peers(static_cast<int>(task)), task,
                                              plan::taskText(plan_, tasks[task])));
  if (prepare.peers(static_cast<int>(task_)).incarnation() != incarnation_)
    return wrong("it is for another process that was this task");
  GRAPHC_RETURN_IF_ERROR(service::checkTransport(prepare.transport()));
  if (tasks.size() > 1 || !prepare.run().empty()) // a lone task's has no name
    GRAPHC_RETURN_IF_ERROR(service::checkRun(prepare.run()));
  std::set<std::string> known;
  for (const plan::Program &program : plan_.programs())
    for (const plan::Port &fetch : program.fetches())
      known.insert(fetch.name());
  if (prepare.fetches_size() > kMostFetches)
    return wrong(absl::StrCat("it asks for ", prepare.fetches_size(), " results"));
  for (const std::string &fetch : prepare.fetches())
    if (!known.contains(fetch))
      return wrong("it asks for a result that the plan does not have");
  if (prepare.has_stepped() && !plan::Role_IsValid(static_cast<int>(prepare.stepped())))
    return wrong(absl::StrCat("phases of role ", prepare.stepped(), " are to be stepped"));
  return absl::OkStatus();
}

absl::Status OrderValidator::checkPhase(uint32_t phase) const {
  return phase < static_cast<uint32_t>(plan_.phases_size())
             ? absl::OkStatus()
             : wrong(absl::StrCat("the plan has ", plan_.phases_size(), " phases and no phase ",
                                  phase));
}

/// A phase of the plan, a generation that is new, steps that can be counted, and data as this task
/// knows it.
absl::Status OrderValidator::checkBegin(const Order::Begin &begin) const {
  GRAPHC_RETURN_IF_ERROR(checkPhase(begin.phase()));
  if (!phases_.contains(begin.phase()))
    return wrong(absl::StrCat("phase ", begin.phase(), " is none that connect has named"));
  const Order::Begin::Reports &reports = begin.reports();
  if (begin.has_reports() &&
      (!(reports.every_seconds() >= 0 && reports.every_seconds() <= kMostReportSeconds) ||
       (reports.every_steps() > 0) == (reports.every_seconds() > 0)))
    return wrong(absl::StrCat("reports every ", reports.every_steps(), " steps or ",
                              reports.every_seconds(), " seconds"));
  if (begin.generation() <= generation_)
    return wrong(
        absl::StrCat("generation ", begin.generation(), " comes behind generation ", generation_));
  if (begin.steps() == 0 || begin.steps() > executor::kMostSteps ||
      begin.first_step() > executor::kMostSteps - begin.steps())
    return wrong(absl::StrCat(begin.steps(), " steps from step ", begin.first_step(),
                              " on, a run has 1 to ", executor::kMostSteps));
  if (begin.resume_step() > begin.steps())
    return wrong(absl::StrCat("it goes on with step ", begin.resume_step(), " of ", begin.steps()));
  if (size_t streams = data::streamsOf(plan_, begin.phase()).size();
      static_cast<size_t>(begin.other_positions_size()) > std::max<size_t>(1, streams) - 1)
    return wrong(absl::StrCat(begin.other_positions_size(), " more positions in the data for ",
                              streams, " streams of it"));
  if (begin.taken_size() > begin.other_positions_size() + 1)
    return wrong(
        absl::StrCat("samples that were taken ahead, of ", begin.taken_size(), " streams"));
  for (int i = 0; i < begin.taken_size(); ++i)
    if (absl::Status taken = data::ConsumedRanges::check(
            i == 0 ? begin.position() : begin.other_positions(i - 1),
            {begin.taken(i).ahead().data(), size_t(begin.taken(i).ahead_size())});
        !taken.ok())
      return taken;
  if (begin.has_trace() && (begin.trace().steps() == 0 || begin.trace().steps() > begin.steps() ||
                            begin.trace().first() > begin.steps() - begin.trace().steps()))
    return wrong(absl::StrCat("a trace of ", begin.trace().steps(), " steps from ",
                              begin.trace().first(), " on, of ", begin.steps()));
  const plan::Phase &phase = plan_.phases(static_cast<int>(begin.phase()));
  const uint64_t epoch = begin.epoch_samples();
  if ((epoch > 0) != (phase.samples_per_step() > 0) || epoch > plan::PlanLimits::bytes)
    return wrong(absl::StrCat("epochs of ", epoch, " samples in a phase that takes ",
                              phase.samples_per_step(), " a step"));
  if (auto own = samples_.find(phase.dataset());
      epoch && own != samples_.end() && own->second != epoch)
    return wrong(absl::StrCat("epochs of ", epoch, " samples of data set ",
                              plan_.datasets(static_cast<int>(phase.dataset())).name(),
                              ", which has ", own->second, " here"));
  return absl::OkStatus();
}

CheckOrderValidator::CheckOrderValidator(const plan::Plan &plan, uint32_t task)
    : plan_(plan), task_(task) {}

/// As OrderValidator::take, for graphrun check.
absl::Status CheckOrderValidator::take(const CheckOrder &order) {
  GRAPHC_RETURN_IF_ERROR(base::annotate(
      check(order), absl::StrCat("the chief's order ", order.id(), ", ", kindName(order))));
  id_ = order.id();
  stage_ = order.kind_case();
  if (order.has_prepare())
    for (const service::Peer &peer : order.prepare().peers())
      linked_.insert(peer.task());
  return absl::OkStatus();
}

/// Other tasks of the plan, each once.
absl::Status
CheckOrderValidator::checkPeers(const google::protobuf::RepeatedPtrField<service::Peer> &peers,
                                bool named) const {
  const std::vector<plan::Task> tasks = plan::allTasks(plan_);
  std::set<uint32_t> seen;
  for (service::Peer peer : peers) {
    if (peer.task() >= tasks.size() || peer.task() == task_ || !seen.insert(peer.task()).second)
      return wrong(
          absl::StrCat("task ", peer.task(), " is none of the plan's others, or is named twice"));
    const std::string name = plan::taskText(plan_, tasks[peer.task()]);
    if (!named) // an address is all that there is to say
      peer.set_name(name);
    GRAPHC_RETURN_IF_ERROR(service::checkPeer(peer, peer.task(), name));
  }
  return absl::OkStatus();
}

/// The stages come in order: look, reach, prepare, connect, measure (as often as wanted), end.
absl::Status CheckOrderValidator::check(const CheckOrder &order) const {
  if (order.kind_case() == CheckOrder::KIND_NOT_SET || order.has_wait())
    return wrong("start every task with the same graphrun");
  if (order.id() <= id_)
    return wrong(absl::StrCat("it comes behind order ", id_));
  if (order.kind_case() < stage_ || (order.kind_case() == stage_ && !order.has_measure()))
    // the numbers of the kinds are in the order in which they come
    return wrong("it comes too late");
  switch (order.kind_case()) {
  case CheckOrder::kReach:
    GRAPHC_RETURN_IF_ERROR(checkPeers(order.reach().peers(), /*named=*/false));
    if (order.reach().has_init_file())
      GRAPHC_RETURN_IF_ERROR(
          service::checkPath(order.reach().init_from(), "the file to begin from"));
    return order.reach().checkpoint_dir().empty()
               ? absl::OkStatus()
               : service::checkPath(order.reach().checkpoint_dir(), "the checkpoint folder");
  case CheckOrder::kPrepare:
    GRAPHC_RETURN_IF_ERROR(checkPeers(order.prepare().peers(), /*named=*/true));
    GRAPHC_RETURN_IF_ERROR(service::checkTransport(order.prepare().transport()));
    return service::checkRun(order.prepare().run());
  case CheckOrder::kConnect:
    return checkPaths(order.connect().paths());
  case CheckOrder::kMeasure:
    if (!linked_.contains(order.measure().peer()))
      return wrong(absl::StrCat("no link with task ", order.measure().peer(), " was prepared"));
    if (!(order.measure().seconds() >= 0 && order.measure().seconds() <= kMostSeconds))
      return wrong(absl::StrCat("a link is measured for ", kMostSeconds, " s at most"));
    return absl::OkStatus();
  default:
    return absl::OkStatus();
  }
}

} // namespace graphc::session
