#include "runtime/session/recovery/MemoryRecovery.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyCommit.h"
#include "runtime/data/SampleStreams.h"
#include "runtime/executor/ControlMessage.h"
#include "runtime/service/PeerCheck.h"
#include "runtime/session/peers/AnswerConsistency.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <cstring>

namespace graphc::session {

absl::StatusOr<std::unique_ptr<executor::LoadedKernels>> loadCode(const plan::Plan &plan,
                                                                  const plan::Task &task,
                                                                  KeptState *kept,
                                                                  kernels::ThreadPool *pool) {
  std::unique_ptr<executor::LoadedKernels> library = kept ? std::move(kept->library) : nullptr;
  if (library && std::all_of(library->algorithms().begin(), library->algorithms().end(),
                             [](const auto &one) { return executor::isOfCpu(one.second); }))
    return library;
  return executor::LoadedKernels::loadFor(plan, task, pool);
}

absl::Status checkHeld(const plan::Plan &plan, const service::Held &held) {
  if (!plan::recoversFromMemory(plan))
    return absl::InvalidArgumentError(
        "it speaks of variables in memory, in a plan without a commit point");
  GRAPHC_RETURN_IF_ERROR(service::checkRun(held.run()));
  const bool isBounded =
      held.step() <= executor::kMostSteps && held.first_step() <= held.step() &&
      std::all_of(held.positions().begin(), held.positions().end(),
                  [](uint64_t position) { return position <= uint64_t{1} << 62; });
  return isBounded
             ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat(
                   "it speaks of variables behind step ", held.step(), ", of a phase from step ",
                   held.first_step(), " on, or of positions in the data that cannot be"));
}

bool sameState(const service::Held &a, const service::Held &b) {
  return a.run() == b.run() && a.step() == b.step();
}

namespace {
bool storesSome(const plan::Plan &plan, const plan::Task &task) {
  return std::any_of(
      plan.variables().begin(), plan.variables().end(),
      [&](const plan::Variable &variable) { return plan::stores(plan, variable, task); });
}
} // namespace

std::optional<StateHolder> newestHeld(const plan::Plan &plan,
                                      const std::vector<service::Done> &prepared,
                                      std::optional<uint64_t> checkpoint) {
  std::optional<StateHolder> newest;
  for (uint32_t task = 0; task < prepared.size(); ++task)
    if (const service::Done &done = prepared[task];
        done.has_held() && (!newest || done.held().step() > newest->held.step()))
      newest = {task, done.held(), {}, false};
  if (!newest || newest->held.step() < checkpoint.value_or(0))
    return std::nullopt;
  const std::vector<plan::Task> tasks = plan::allTasks(plan);
  size_t have = 0;
  for (uint32_t task = 0; task < prepared.size(); ++task) {
    const bool has = prepared[task].has_held() && sameState(prepared[task].held(), newest->held);
    have += has;
    newest->lacks.push_back(!has && storesSome(plan, tasks[task]));
  }
  newest->several = have > 1;
  return newest;
}

absl::Status copyHeld(const plan::Plan &plan, const StateHolder &holder,
                      const GiveOrder &giveOrder) {
  uint64_t total = 0;
  for (const plan::Variable &variable : plan.variables())
    total += plan::tensorBytes(variable.type()).value_or(0);
  service::Order order;
  *order.mutable_copy()->mutable_held() = holder.held;
  order.mutable_copy()->mutable_held()->clear_unjudged();
  order.mutable_copy()->set_several(holder.several);
  order.mutable_copy()->set_from(holder.task);
  std::string piece;
  const auto own = [&](uint32_t task, service::Order *to) {
    if (holder.lacks[task])
      to->mutable_copy()->set_data(piece);
  };
  for (uint64_t at = holder.allHave() ? total : 0;;) {
    service::Order::Copy &copy = *order.mutable_copy();
    copy.set_ask_at(at);
    copy.set_ask(std::min(kPieceBytes, total - at));
    const uint64_t asked = copy.ask();
    GRAPHC_ASSIGN_OR_RETURN(std::vector<service::Done> answers, giveOrder(order, own));
    if (asked == 0) {
      absl::Status same = compareMirrors(plan, answers, "behind the copy");
      return same.ok() ? same : absl::DataLossError(base::describe(same));
    }
    copy.set_at(at);
    piece = std::move(*answers[holder.task].mutable_piece());
    at += asked;
  }
}

checkpoint::CheckpointManifest manifestOf(const plan::Plan &plan, uint32_t phase,
                                          const service::Held &held) {
  checkpoint::CheckpointManifest manifest;
  manifest.globalStep = held.first_step();
  const std::vector<data::SampleStream> streams = data::streamsOf(plan, phase);
  for (size_t i = 0; i < streams.size() && i < static_cast<size_t>(held.positions_size()); ++i)
    manifest.dataPositions[data::streamName(plan, phase, streams[i])] =
        held.positions(static_cast<int>(i));
  return manifest;
}

uint64_t bytesOf(const executor::VariableStore &variables) {
  uint64_t total = 0;
  for (uint32_t index : variables.stored())
    total += variables.data(index).size();
  return total;
}

void forPiece(executor::VariableStore &variables, uint64_t at, uint64_t bytes,
              const std::function<void(std::span<uint8_t>)> &part) {
  for (uint32_t index : variables.stored()) {
    const std::span<uint8_t> data = variables.data(index);
    if (at < data.size() && bytes > 0) {
      const uint64_t here = std::min<uint64_t>(bytes, data.size() - at);
      part(data.subspan(at, here));
      bytes -= here;
      at += here;
    }
    at -= std::min<uint64_t>(at, data.size());
  }
}

absl::Status StateCopy::take(const service::Order::Copy &order,
                             const std::optional<service::Held> &own, service::Done *done) {
  if (variables_.stored().empty()) { // a task that is no replica
    complete_ = order.held();
    return absl::OkStatus();
  }
  const uint64_t total = bytesOf(variables_);
  const bool has = own && sameState(*own, order.held());
  if (order.ask_at() > total || order.ask() > total - order.ask_at())
    return absl::InvalidArgumentError(absl::StrCat("the chief asks for ", order.ask(),
                                                   " bytes from ", order.ask_at(), " on, of ",
                                                   total, " bytes of variables"));
  if (!has && !order.data().empty()) {
    if (order.at() != taken_ || order.data().size() > total - taken_)
      return absl::InvalidArgumentError(absl::StrCat("a piece of ", order.data().size(),
                                                     " bytes of variables from ", order.at(),
                                                     " on came behind ", taken_, " of ", total));
    const char *from = order.data().data();
    forPiece(variables_, order.at(), order.data().size(), [&](std::span<uint8_t> to) {
      memcpy(to.data(), from, to.size());
      from += to.size();
    });
    taken_ += order.data().size();
  }
  if (order.ask() == 0) {
    if (!has && taken_ != total)
      return absl::InvalidArgumentError(
          absl::StrCat("the copy of the variables ends behind ", taken_, " of ", total, " bytes"));
    complete_ = order.held();
    if (std::optional<uint32_t> crc = variables_.mirrorsCrc())
      done->set_mirrors_crc(*crc);
    return absl::OkStatus();
  }
  if (order.from() != task_)
    return absl::OkStatus();
  if (!has)
    return absl::InvalidArgumentError(absl::StrCat("the chief asks for the variables behind step ",
                                                   order.held().step(), ", which are not here"));
  done->mutable_piece()->reserve(order.ask());
  forPiece(variables_, order.ask_at(), order.ask(), [&](std::span<uint8_t> part) {
    done->mutable_piece()->append(reinterpret_cast<const char *>(part.data()), part.size());
  });
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<executor::VariableStore>>
WholeState::resume(const plan::Plan &plan, const plan::Task &task, KeptState *kept,
                   const std::string &run, service::Done *done) {
  run_ = run;
  if (!kept || !kept->variables)
    return executor::VariableStore::create(plan, task);
  held_ = kept->held;
  *done->mutable_held() = *held_;
  return std::move(kept->variables);
}

absl::Status WholeState::copy(executor::VariableStore &variables, uint32_t task,
                              const service::Order::Copy &order, service::Done *done) {
  if (!copy_)
    copy_.emplace(variables, task);
  if (held_ && !sameState(*held_, order.held()))
    held_.reset(); // written over
  if (held_ && order.ask() == 0 && order.several())
    held_->set_unjudged(true); // until initialize() has the chief's verdict
  return copy_->take(order, held_, done);
}

absl::Status WholeState::initialize(const service::Order::Initialize &order) {
  held_.reset();
  if (!order.has_held())
    return absl::OkStatus();
  if (!copy_ || !copy_->has(order.held()))
    return absl::InvalidArgumentError(absl::StrCat("the chief goes on from variables behind step ",
                                                   order.held().step(), ", which are not here"));
  held_ = order.held();
  run_ = held_->run();
  return absl::OkStatus();
}

void WholeState::begin(uint64_t firstStep, std::span<const uint64_t> positions) {
  service::Held &held = held_.emplace();
  held.set_run(run_);
  held.set_step(firstStep);
  held.set_first_step(firstStep);
  held.mutable_positions()->Assign(positions.begin(), positions.end());
}

void WholeState::ended(std::optional<uint64_t> wholeSteps) {
  if (held_ && wholeSteps)
    held_->set_step(held_->first_step() + *wholeSteps);
  else
    held_.reset();
}

absl::StatusOr<std::optional<service::Held>>
goOnFromMemory(const plan::Plan &plan, const std::vector<service::Done> &prepared,
               std::optional<uint64_t> checkpoint, const GiveOrder &giveOrder,
               const std::function<void(const std::string &)> &log,
               const std::function<void(const std::string &)> &warn) {
  std::optional<StateHolder> holder = newestHeld(plan, prepared, checkpoint);
  if (!holder)
    return std::nullopt;
  const std::string whose =
      absl::StrCat("the memory of ", plan::taskText(plan, plan::allTasks(plan)[holder->task]));
  if (holder->held.unjudged() && !holder->several) {
    // others had it too, perhaps with another checksum
    warn(absl::StrCat("not going on from step ", holder->held.step(), " in ", whose,
                      ": a task was lost before it was said whether others had the same"));
    return std::nullopt;
  }
  holder->held.clear_unjudged();
  const absl::Time begin = absl::Now();
  absl::Status copied = copyHeld(plan, *holder, giveOrder);
  if (absl::IsDataLoss(copied)) {
    warn(absl::StrCat("not going on from step ", holder->held.step(), " in ", whose, ": ",
                      base::describe(copied)));
    return std::nullopt;
  }
  GRAPHC_RETURN_IF_ERROR(copied);
  const absl::Duration took = absl::Trunc(absl::Now() - begin, absl::Milliseconds(1));
  log(absl::StrCat("going on from step ", holder->held.step(), " in ", whose,
                   holder->allHave()
                       ? ""
                       : absl::StrCat(", copied in ", absl::FormatDuration(
                                                          std::max(took, absl::Milliseconds(1))))));
  return holder->held;
}

} // namespace graphc::session
