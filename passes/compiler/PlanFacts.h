//===- PlanFacts.h - what the table, the budget and the reports count in a plan -----*- C++ -*-===//
//
// Names and sums, taken from the plan alone, by row (DeviceRows.h).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_COMPILER_PLANFACTS_H
#define GRAPHC_PASSES_COMPILER_PLANFACTS_H

#include "passes/compiler/DeviceRows.h"
#include "runtime/common/plan/MemoryRequirements.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace graphc {

/// Numbers for people: 1,605,632 bytes are "1.53 MiB", 152,000,000 operations "152 M", 0.00123
/// seconds "1.23 ms".
std::string inBytes(uint64_t bytes);
std::string inCounts(uint64_t count);
std::string inSeconds(double seconds);

/// The place and the operation's name of a plan's location, "net.py:28:9 MLP/Dense_0/dot_general";
/// the name is empty where there is none.
std::pair<llvm::StringRef, llvm::StringRef> splitLocation(llvm::StringRef text);

/// Columns of text, two spaces apart, as wide as their widest cell. The last cell of a line with
/// fewer cells than others is a sentence and may run on.
std::string formatColumns(const std::vector<std::vector<std::string>> &lines);

/// The phase whose steps are counted: the first that trains, else the first.
int mainPhase(const plan::Plan &plan);
/// Whether an instance of a channel has its ends on different tasks.
bool crossesTasks(const plan::Plan &plan, const plan::Channel &channel);

/// Payload bytes that channels carry in one step of their phase; counted once for all of a plan,
/// which outlives this.
class ChannelBytes {
public:
  explicit ChannelBytes(const plan::Plan &plan);
  /// Of all instances; where a phase ends by end of stream, a step is one update, which one
  /// instance serves.
  uint64_t perStep(const plan::Channel &channel) const { return bytes_.lookup(&channel); }
  /// The part that instances between different tasks carry.
  uint64_t betweenTasks(const plan::Channel &channel) const;

private:
  const plan::Plan &plan_;
  llvm::DenseMap<const plan::Channel *, uint64_t> bytes_;
};

/// Something that takes memory or traffic, for lists of the biggest.
struct ResourceContributor {
  std::string what; ///< "variable w1", "buffer h0 of train_step.worker", "channel …"
  uint64_t bytes = 0;
  std::string location; ///< "model.mlir:12:8", followed by the operation's name; "" if unknown
};

struct PlanFootprint {
  struct Device {
    std::string name;
    unsigned instances = 1; ///< tasks of the row
    bool ownMemory = false; ///< else its memory is the host's, and so are the slots
    /// Of the device's memory: what is stored there; of the phase that needs most of it, arenas and
    /// constants.
    uint64_t variables = 0, arena = 0, constants = 0;
    uint64_t largestArena = 0; ///< of any phase
    /// Of the host's memory, of the phase that needs most of it: slots for messages to come and to
    /// send.
    uint64_t channels = 0;
    uint64_t pinned = 0; ///< likewise, where it has memory of its own: what its copies reach there
    uint64_t pinnedArena = 0; ///< of it, what is no constant and no copy of a variable
    /// between the two in a step of the main phase, by all lanes of a task
    plan::CopiedBytes copied;
    /// Of the device's memory, and of the host's where that is another; biggest first. Buffers that
    /// share arena bytes count each.
    std::vector<ResourceContributor> contributors, hostContributors;
    uint64_t total() const { return variables + arena + constants + (ownMemory ? 0 : channels); }
    uint64_t ofHost() const { return ownMemory ? pinned + channels : 0; }
  };
  std::vector<Device> devices; ///< one a row, in their order
  bool hasOwnMemory() const; ///< any of them
  uint64_t bytesPerStep = 0; ///< between tasks, in the main phase
  plan::CopiedBytes copied() const; ///< of all tasks
  std::vector<ResourceContributor> traffic; ///< biggest first
};

PlanFootprint computeFootprint(const plan::Plan &plan);

} // namespace graphc

#endif
