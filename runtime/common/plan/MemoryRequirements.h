//===- MemoryRequirements.h - how much memory of a device and of the host a plan takes --------===//
//
// The one place that says what graphrun allocates for a plan and whose memory that is: graphc's
// table, budget, comparison and report add it up by row (passes/compiler/PlanFacts.h), graphrun by
// task before it allocates anything. Slots of messages are counted there, not here: they are the
// transports'.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_MEMORYREQUIREMENTS_H
#define GRAPHC_RUNTIME_COMMON_PLAN_MEMORYREQUIREMENTS_H

#include "runtime/common/plan/plan.pb.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace graphc::plan {

/// For people: 1,605,632 are "1.53 MiB".
std::string bytesText(uint64_t bytes);

/// Bytes by whose memory they are in. On a device without memory of its own all of them are
/// `device`; on others those of the host are pinned: the device's copies reach them.
struct SpaceBytes {
  uint64_t device = 0, host = 0;
  SpaceBytes &operator+=(const SpaceBytes &other) {
    device += other.device;
    host += other.host;
    return *this;
  }
};

/// Of a task that stores the variable. On a device with memory of its own the host has a copy, for
/// files and initial values.
SpaceBytes variableBytes(const Variable &variable);
/// Of so many lanes of a program in one task, as long as their phase runs.
SpaceBytes arenaBytes(const Program &program, uint32_t lanes);
/// Of the constants that a program has in a space, by index: of the largest buffer, one constant
/// may be the element of several.
std::map<uint32_t, uint64_t> constantSizes(const Program &program, Space space);
/// Of all lanes of a program in one task.
SpaceBytes constantBytes(const Program &program);

/// What one lane's step copies between its device's memory and the host's.
struct CopiedBytes {
  uint64_t toDevice = 0, fromDevice = 0;
  uint64_t total() const { return toDevice + fromDevice; }
};
CopiedBytes copiedPerStep(const Program &program);
/// Whether the copy is to the device, where one of its ends is the host's.
bool isToDevice(const Program &program, const Instruction::Copy &copy);

/// What one task takes of one device.
struct DeviceNeed {
  std::string device; ///< "CPU:0"
  /// of its own memory; of the phase that needs most of it
  uint64_t variables = 0, arenas = 0, constants = 0;
  uint64_t total() const { return variables + arenas + constants; }
};
/// Of each device with memory of its own that the task has something on, by name.
std::vector<DeviceNeed> deviceNeeds(const Plan &plan, const Task &task);

/// What one task takes of the host's memory, besides its data and the program itself.
struct HostNeed {
  uint64_t variables = 0;
  /// of the phase that needs most of it; messages: slots for those to come
  uint64_t arenas = 0, constants = 0, messages = 0;
  uint64_t total() const { return variables + arenas + constants + messages; }
};
HostNeed hostNeed(const Plan &plan, const Task &task);
/// "1.53 MiB (variables 1 MiB, arenas …)", for people.
std::string needText(const HostNeed &need);

} // namespace graphc::plan
#endif
