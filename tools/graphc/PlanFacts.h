//===- PlanFacts.h - what the table, the budget and the reports count in a plan -----------------------------*- C++ -*-===//
//
// Names and sums, taken from the plan alone. A *row* is a device, or the device of every replica at once: replicas are alike,
// and what one of them does besides (the chief) belongs to their row.
//
//===----------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TOOLS_GRAPHC_PLANFACTS_H
#define GRAPHC_TOOLS_GRAPHC_PLANFACTS_H

#include "runtime/plan/plan.pb.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace graphc {

/// Numbers for people: 1,605,632 bytes are "1.53 MiB", 152,000,000 operations "152 M", 0.00123 seconds "1.23 ms".
std::string inBytes(uint64_t bytes);
std::string inCounts(uint64_t count);
std::string inSeconds(double seconds);

/// Columns of text, two spaces apart, as wide as their widest cell. The last cell of a line with fewer cells than others is
/// a sentence and may run on.
std::string formatColumns(const std::vector<std::vector<std::string>> &lines);

/// The phase whose steps are counted: the first that trains, else the first.
int mainPhase(const plan::Plan &plan);
/// "/job:worker/device:CPU:0" where the task is a replica's, else "/job:ps/task:0/device:CPU:0".
std::string rowName(const plan::Plan &plan, const plan::Task &task, bool spread, llvm::StringRef device);
std::string rowName(const plan::Plan &plan, const plan::Program &program);
/// The instances of a program that run on one task.
unsigned lanesPerTask(const plan::Program &program);
/// Whether the two ends of a channel instance are on different tasks.
bool crossesTasks(const plan::Plan &plan, const plan::Channel &channel);
/// Payload bytes that all instances of a channel carry in one step of its phase; where a phase ends by closing, a step is
/// one update, which one instance serves.
uint64_t bytesPerStep(const plan::Plan &plan, const plan::Channel &channel);

/// Something that takes memory or traffic, for lists of the biggest.
struct Contributor {
  std::string what; ///< "variable w1", "buffer h0 of train_step.worker", "channel …"
  uint64_t bytes = 0;
  std::string location; ///< "model.mlir:12:8", "" where none is known
};

struct Footprint {
  struct Device {
    std::string name;
    unsigned instances = 1; ///< replicas that are like this one
    uint64_t variables = 0; ///< stored there
    uint64_t arena = 0, channels = 0; ///< of the phase that needs most: arenas; slots for messages to come and to send
    std::vector<Contributor> contributors; ///< biggest first; buffers that share arena bytes count each
    uint64_t total() const { return variables + arena + channels; }
  };
  std::vector<Device> devices; ///< in the order of the cluster's jobs
  uint64_t bytesPerStep = 0; ///< between tasks, in the main phase
  std::vector<Contributor> traffic; ///< biggest first
};

Footprint computeFootprint(const plan::Plan &plan);

} // namespace graphc

#endif
