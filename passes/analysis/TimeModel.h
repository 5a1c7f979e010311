//===- TimeModel.h - how long the parts of a step take ------------------------------*- C++ -*-===//
//
// The one place that says so, from the figures of a MachineCalibration: schedule orders the
// operations of a phase by it (passes/schedule/OpTimes.h), reports and --compare predict the
// instructions of a plan with it (passes/report/StepPrediction.h).
// test/passes/report/StepPredictionTest.cpp holds the two against each other. What the model leaves
// out: caches, other load.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_ANALYSIS_TIMEMODEL_H
#define GRAPHC_PASSES_ANALYSIS_TIMEMODEL_H

#include "runtime/common/cluster/MachineCalibration.h"

#include <cstdint>

namespace graphc {

/// Times are in seconds, of one instance of a program.
class TimeModel {
public:
  explicit TimeModel(cluster::MachineCalibration calibration) : figures_(std::move(calibration)) {}

  /// How messages go from one program to another.
  struct Way {
    double latency = 0, bytesPerSecond = 0;
    bool copies = false; ///< the sender's core moves the bytes (one host); else a wire does
  };
  /// Between two programs of one task: a pointer and a wake-up.
  Way insideTask() const;
  Way betweenTasks(bool oneHost) const;
  /// As cluster.json says of a link.
  static Way overLink(double latencyMicroseconds, double gigabitsPerSecond);

  /// What one send puts on a channel.
  struct Message {
    double bytes = 0; ///< of an all-reduce in chunks: all that an instance sends in a step
    uint64_t instances = 1; ///< of the channel
    uint64_t senders = 1, receivers = 1; ///< instances of its programs
    bool allToAll = false;
    /// instances do not move in step: each has the narrow end of the link for itself
    bool alone = false;
    uint64_t hops = 0; ///< of an all-reduce in chunks; 0: it is none
    uint64_t hopsWithinHosts = 0; ///< of one that sums within each host first, besides
    /// All to all, where it is known who shares a host: the bytes that leave one by its wire. 0:
    /// every message is on a wire.
    double leavesHost = 0;
    bool inPlace = false; ///< on one host receivers find it where it is
    /// How many pass the narrow end of the link for each that one instance sees.
    uint64_t fan() const;
  };
  /// How long the sender is busy.
  double send(const Way &way, const Message &message) const;
  /// From then on until it is there: first it occupies the wire, if there is one.
  static double transfer(const Way &way, const Message &message);
  double latency(const Way &way, const Message &message) const {
    return way.latency * double(message.hops ? message.hops : 1) +
           betweenTasks(/*oneHost=*/true).latency * double(message.hopsWithinHosts);
  }

  /// Of any instruction, besides what it does.
  double instruction() const { return figures_.callNanoseconds * 1e-9; }
  /// A kernel of the host that reads and writes `bytes` in all. `threads` share a library's; 0: it
  /// is compiled.
  double call(uint64_t flops, uint64_t bytes, double threads) const;
  /// Bytes from one place of the host's memory to another: a copy, samples that are gathered.
  double copy(uint64_t bytes) const { return instruction() + memory(2 * double(bytes)); }
  /// Once around a loop of micro-batches, a value of so many bytes on top of its sum: about two
  /// reads and a write.
  double accumulate(uint64_t bytes) const { return instruction() + memory(3 * double(bytes)); }
  /// The sum of a message of each instance.
  double sum(const Message &message) const;
  /// From the end of a queue's work until the program knows of it: one thread waits for the device
  /// and wakes another.
  double queueLatency() const { return 2 * figures_.sharedMemory.latencyMicroseconds * 1e-6; }

  /// Who does the work of a queue: a GPU, or the host's cores in a GPU's place (tests).
  enum class Engine { Host, Gpu };
  /// How long the lane is busy to give its device a segment of a step.
  double give(Engine engine) const {
    return engine == Engine::Gpu ? figures_.gpu.launchMicroseconds * 1e-6 : instruction();
  }
  /// How long the queue then is.
  double queuedCall(Engine engine, uint64_t flops, uint64_t bytes, double threads) const;
  double queuedCopy(Engine engine, uint64_t bytes) const;
  /// As accumulate().
  double queuedSum(Engine engine, uint64_t bytes) const;

private:
  double memory(double bytes) const { return bytes / (figures_.memoryGigabytesPerSecond * 1e9); }

  cluster::MachineCalibration figures_;
};

} // namespace graphc

#endif
