//===- MemoryRecovery.h - a run that has lost a task goes on from the memory of another -------===//
//
// Where the plan has a commit point (plan/VerifyCommit.h), a task that lives is whole when its
// session ends: between two steps. It keeps its variables and says in the next session which state
// they are. The chief takes the newest, if no checkpoint is newer, and has it sent to who has it
// not, a piece an order. A checksum of all tasks' variables says whether that went well; else the
// checkpoint counts.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_RECOVERY_MEMORYRECOVERY_H
#define GRAPHC_RUNTIME_SESSION_RECOVERY_MEMORYRECOVERY_H

#include "runtime/checkpoint/CheckpointManifest.h"
#include "runtime/common/plan/plan.pb.h"
#include "runtime/executor/LoadedKernels.h"
#include "runtime/executor/VariableStore.h"
#include "runtime/service/TaskTable.h"
#include "runtime/service/service.pb.h"

#include "absl/status/statusor.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace graphc::session {

/// What a process keeps from one session of a task to the next.
struct KeptState {
  std::unique_ptr<executor::VariableStore> variables; ///< null: nothing
  service::Held held; ///< which state they are
  std::unique_ptr<executor::LoadedKernels> library; ///< loaded; null: none yet
};

/// The code that the process has loaded for an earlier session, or loads now. What GPUs' libraries
/// were told there is of that session, so they begin anew.
absl::StatusOr<std::unique_ptr<executor::LoadedKernels>> loadCode(const plan::Plan &plan,
                                                                  const plan::Task &task,
                                                                  KeptState *kept,
                                                                  kernels::ThreadPool *pool);

/// Bytes of variables in one order or answer: below the largest message of a task's server.
inline constexpr uint64_t kPieceBytes = 512 << 10;

/// What another process says of a state: the plan has states in memory, and steps and positions can
/// be counted.
absl::Status checkHeld(const plan::Plan &plan, const service::Held &held);
bool sameState(const service::Held &a, const service::Held &b);

/// A state that some tasks have, and the first of them.
struct StateHolder {
  uint32_t task = 0;
  service::Held held;
  std::vector<bool> lacks; ///< by task: it stores variables, and they are another state
  bool several = false;
  bool allHave() const { return std::find(lacks.begin(), lacks.end(), true) == lacks.end(); }
};
/// Of the answers to `prepare`, by task: the state of the most steps, unless that is older than
/// step `checkpoint`.
std::optional<StateHolder> newestHeld(const plan::Plan &plan,
                                      const std::vector<service::Done> &prepared,
                                      std::optional<uint64_t> checkpoint);

/// Gives an order and waits for all tasks' answers.
using GiveOrder = std::function<absl::StatusOr<std::vector<service::Done>>(
    service::Order, const service::AddOwn &own)>;
/// Sends the state to who has it not. A DataLossError: it came out differently somewhere; any
/// other: an order failed.
absl::Status copyHeld(const plan::Plan &plan, const StateHolder &holder,
                      const GiveOrder &giveOrder);

/// As of a checkpoint at the step for which the state tells positions in the data.
checkpoint::CheckpointManifest manifestOf(const plan::Plan &plan, uint32_t phase,
                                          const service::Held &held);

/// The variables of a task end to end, as pieces count them.
uint64_t bytesOf(const executor::VariableStore &variables);
/// Calls `part(bytes of a variable)` for each part of the range, in order. The range is within
/// bytesOf().
void forPiece(executor::VariableStore &variables, uint64_t at, uint64_t bytes,
              const std::function<void(std::span<uint8_t>)> &part);

/// A task's side of the copy.
class StateCopy {
public:
  StateCopy(executor::VariableStore &variables, uint32_t task)
      : variables_(variables), task_(task) {}
  /// `own`: the state that the variables are, if any.
  absl::Status take(const service::Order::Copy &order, const std::optional<service::Held> &own,
                    service::Done *done);
  /// All of that state is here, copied or from before.
  bool has(const service::Held &held) const { return complete_ && sameState(*complete_, held); }

private:
  executor::VariableStore &variables_;
  const uint32_t task_;
  uint64_t taken_ = 0;
  std::optional<service::Held> complete_;
};

/// Which state a task's variables are, from one session to the next.
class WholeState {
public:
  /// `prepare`: the variables that this process kept, and the chief is told what they are; new ones
  /// where it kept none. `run`: of this session.
  absl::StatusOr<std::unique_ptr<executor::VariableStore>>
  resume(const plan::Plan &plan, const plan::Task &task, KeptState *kept, const std::string &run,
         service::Done *done);
  /// A piece of another task's variables, to here or from here.
  absl::Status copy(executor::VariableStore &variables, uint32_t task,
                    const service::Order::Copy &order, service::Done *done);
  /// All have what the order says: a state in memory, which is here, or else initial values or a
  /// checkpoint's.
  absl::Status initialize(const service::Order::Initialize &order);
  /// A phase of training begins.
  void begin(uint64_t firstStep, std::span<const uint64_t> positions);
  /// Its lanes have ended or failed: how many steps of it the variables have; none: they may be
  /// between two.
  void ended(std::optional<uint64_t> wholeSteps);
  const std::optional<service::Held> &held() const { return held_; }

private:
  std::optional<service::Held> held_; ///< where they are whole and were trained
  std::optional<StateCopy> copy_; ///< once one has begun
  std::string run_; ///< whose initial values or checkpoint they come from
};

/// The chief's side behind `prepare`: of the states that tasks have in memory the newest, which all
/// of them have then. None: there is none, the checkpoint of that step is newer, or what was copied
/// is not what it was, which is warned of. An order that failed is an error.
absl::StatusOr<std::optional<service::Held>>
goOnFromMemory(const plan::Plan &plan, const std::vector<service::Done> &prepared,
               std::optional<uint64_t> checkpoint, const GiveOrder &giveOrder,
               const std::function<void(const std::string &)> &log,
               const std::function<void(const std::string &)> &warn);

} // namespace graphc::session
#endif
