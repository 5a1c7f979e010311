//===- PlanTypes.h - sizes of the plan's types, and small queries -------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_PLANTYPES_H
#define GRAPHC_RUNTIME_COMMON_PLAN_PLANTYPES_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace graphc::kernels {
struct LibraryCall;
}

namespace graphc::plan {

/// Bytes of one element; 0 for a type that does not exist.
uint32_t elementBytes(DataType type);
/// "f32".
const char *dataTypeName(DataType type);
/// Elements or bytes of a dense tensor; nothing on a negative dimension, an unknown type or
/// overflow of 2^62.
std::optional<uint64_t> elementCount(const TensorType &type);
std::optional<uint64_t> tensorBytes(const TensorType &type);
/// "tensor<128x784xf32>".
std::string typeText(const TensorType &type);
bool sameType(const TensorType &a, const TensorType &b);

/// What the registry of library kernels is asked about a kernel that is a library call. Shapes and
/// accesses are taken as they are.
kernels::LibraryCall libraryCallOf(const Kernel &kernel);

/// The variable of the model that a plan's variable is, or is a part of, and where in it it begins,
/// in bytes. What is stored, dumped and drawn at the start is that one's.
const std::string &modelName(const Variable &variable);
const TensorType &modelType(const Variable &variable);
uint64_t modelOffset(const Variable &variable);
/// Likewise of any tensor that may be a part; 0 for one that is none.
uint64_t partOffset(const TensorType &type, const Part &part);
/// Whether `type` is rows of the whole.
bool isPartOf(const TensorType &type, const Part &part);

/// Samples of its data set that the instructions of a phase together take for one micro-batch.
inline uint64_t samplesOfMicroBatch(const Instruction::NextBatch &next) {
  return next.stride() ? next.stride() : next.batch();
}

/// How often a step does each instruction of a verified program, which are asked for in order.
class LoopWalk {
public:
  uint32_t times(const Instruction &next) {
    repeated_ = left_ > 0;
    const uint32_t now = repeated_ ? count_ : 1;
    left_ -= repeated_;
    if (next.has_repeat()) {
      count_ = next.repeat().count();
      left_ = next.repeat().length();
    }
    return now;
  }
  /// Whether the instruction that was asked for last is one that a loop repeats.
  bool inLoop() const { return repeated_; }

private:
  bool repeated_ = false;
  uint32_t count_ = 1, left_ = 0;
};

/// Of what a queue is given: not only a signal or a wait.
inline bool isQueueWork(const Instruction &instruction) {
  return instruction.has_call() || instruction.has_copy() || instruction.has_accumulate();
}

/// "/job:ps/task:0". For a verified plan, or "<bad task>".
std::string taskText(const Plan &plan, const Task &task);
inline bool sameTask(const Task &a, const Task &b) {
  return a.job() == b.job() && a.index() == b.index();
}
/// All tasks of the plan: jobs in their order, then indices.
std::vector<Task> allTasks(const Plan &plan);
/// The first phase of that role, by its number.
std::optional<uint32_t> phaseOf(const Plan &plan, Role role);
/// Where allTasks has the task. For a verified plan.
uint32_t taskNumber(const Plan &plan, const Task &task);
/// The same by the job's name. `jobSetting` and `indexSetting` are who asked, for messages.
absl::StatusOr<uint32_t> findTask(const Plan &plan, const std::string &job, uint32_t index,
                                  const char *jobSetting, const char *indexSetting);
/// The task of replica r, or nothing beyond the domain.
std::optional<Task> replicaTask(const Plan &plan, uint32_t replica);
/// Whether the task has a copy of the variable: it owns it, or it is a replica's and the variable
/// is mirrored.
bool stores(const Plan &plan, const Variable &variable, const Task &task);
/// By number, which tasks the phase's others do not wait for: asynchronous and backup workers. The
/// chief's own silence is everybody's, and whoever stores variables is needed.
std::vector<bool> stragglers(const Plan &plan, const Phase &phase);
/// The task that instance r of a program runs on, in a verified plan.
Task instanceTask(const Plan &plan, const Program &program, uint32_t instance);
/// Of a program's lanes, how many the task has. In a verified plan.
uint32_t lanesOn(const Plan &plan, const Program &program, const Task &task);
/// Whether `device` is the name of a device in its task: a kind of device/DeviceKinds.h, a colon, a
/// number.
bool isDevice(const std::string &device);
/// Whether the host does not touch its memory (DeviceKind::ownMemory).
bool hasOwnMemory(const std::string &device);
/// Buffers that a program's fetches and metrics show: a message among them is released behind the
/// step's last instruction.
std::set<uint32_t> shownBuffers(const Program &program);
/// Channels that the program has a Release of.
std::set<uint32_t> releasedChannels(const Program &program);
/// "parameter_server (async)".
std::string strategyText(const Plan &plan);
/// "CPU:0", …, by name: the devices of a task that a program runs on or a variable is stored on.
/// For a verified plan.
std::vector<std::string> devicesOf(const Plan &plan, const Task &task);
/// Location text of an index, "" where the index is out of range.
const std::string &locationText(const Plan &plan, uint32_t location);

} // namespace graphc::plan
#endif
