//===- StepPrediction.h - how long a step of a plan will take -----------------------*- C++ -*-===//
//
// The plan's main phase as a StepTimeline (passes/analysis), by the TimeModel of schedule: kernels
// at the calibrated rates, messages over the links of cluster.json or, where it says nothing, over
// what was measured: shared memory between tasks of one host, gRPC between hosts. Replicas are
// alike, so one instance stands for all: what a program of one instance sends to one of N
// instances, or takes from it, is N messages over its end of the link. Instances on one host share
// its cores: a step takes at least the work of the host's tasks divided by its cores. What a lane
// gives to queues of a device they do beside it, each in order and after what it waits for; each
// task has its device for itself. What the model leaves out: caches, threads of library kernels,
// other load.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_REPORT_STEPPREDICTION_H
#define GRAPHC_PASSES_REPORT_STEPPREDICTION_H

#include "passes/analysis/StepTimeline.h"
#include "passes/analysis/TimeModel.h"
#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/common/cluster/MachineCalibration.h"
#include "runtime/common/plan/plan.pb.h"

namespace graphc {

struct StepPrediction {
  /// What the lane gives a queue of its device; the lane's own span of such an instruction is that
  /// it gives it.
  struct Queue {
    uint32_t number = 0; ///< as the plan counts them
    std::vector<int> instructions; ///< of the program, in its order: calls and copies
    std::vector<StepTimeline::Span> spans; ///< one for each of these
  };
  /// Of the lane of a program that stands for all its instances.
  struct LaneTimes {
    uint32_t program = 0;
    std::vector<StepTimeline::Span> spans; ///< one an instruction of the program
    std::vector<Queue> queues;
    double busy = 0; ///< seconds that one instance and its queues have something to do in a step
  };
  std::vector<LaneTimes> lanes; ///< one a program of the main phase
  double cycle = 0; ///< seconds of one instance's step, were there a core for each lane
  double cores = 0; ///< seconds that the busiest host's cores need for a step
  /// Seconds of a step; where a phase ends by end of stream, of one update.
  double step = 0;
  double samplesPerSecond = 0;
  uint64_t bytesBetweenHosts = 0; ///< of a step; 0 where cluster.json has no addresses of several
};

/// Whether any of the plan's programs runs on one.
bool hasGpu(const plan::Plan &plan);
/// Where the figures of a prediction come from.
std::string sourceText(const cluster::MachineCalibration &calibration, bool hasGpu);

StepPrediction predict(const plan::Plan &plan, const cluster::ClusterConfig &cluster,
                       const cluster::MachineCalibration &calibration);

} // namespace graphc

#endif
