//===- Run.h - a plan, or one task of it, run in this process -----------------------*- C++ -*-===//
//
//   graphc::RunOptions options;
//   options.epochs = 5;
//   absl::StatusOr<graphc::RunResult> result = graphc::run(plan, options);
//
// What graphrun does, without its command line: no signal is handled, nothing printed. For a plan
// of one task no process is started and no port opened; of a plan of several this process is one,
// and RunOptions::cluster says how it meets the others. Any number of threads may run plans at
// once.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_API_RUN_H
#define GRAPHC_RUNTIME_API_RUN_H

#include "runtime/api/ClusterOptions.h"
#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/data/DatasetSearchPath.h"
#include "runtime/session/results/FetchCollector.h"

#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphc::session {

struct RunOptions {
  std::string entry = "train"; ///< train, eval or predict
  std::optional<double> epochs;
  std::optional<uint64_t> steps; ///< counted from the very first, as epochs are
  std::optional<double> evalEveryEpochs;
  bool evaluates = true; ///< training ends with the plan's evaluation, where it has one
  /// restored from where there is one, saved to at the end; empty: none
  std::string checkpointDirectory;
  /// of them this one, "DIR/step-N", for another entry than train; empty: the newest that is whole
  std::string checkpoint;
  /// Where no checkpoint of its own is: another training's, "DIR/step-N", or its folder of them, or
  /// FILE.npz or FILE.safetensors, from which variables of the same name and type begin. Those that
  /// are #graph.uninitialized have to.
  std::string initFrom;
  /// GPUs' libraries choose anew, whatever the checkpoint was made by; CPUs may be unlike
  bool newAlgorithms = false;
  std::optional<uint64_t> saveEverySteps;
  std::optional<double> saveEverySeconds;
  /// so many of the newest stay; 0: all
  uint32_t keepCheckpoints = checkpoint::CheckpointDirectory::kKeep;
  /// Of several tasks: so often the run goes on from its last checkpoint when it has lost another
  /// one. The tasks that the program has started begin anew with it, others are waited for. On the
  /// chief it needs checkpointDirectory and the entry train. Not once the end is asked for.
  uint32_t maxRestarts = 0;
  /// a loss that is no number ends training, and nothing of it is saved; else it is an error
  bool nanStops = false;
  std::string earlyStop; ///< METRIC:PATIENCE[:min|max], with evalEveryEpochs; empty: none
  /// a line for `log` with step and steps/s about every so many; 0: none
  uint64_t logEverySteps = 0;
  std::string dumpDirectory; ///< of the variables at the end as .npy; empty: none
  data::DatasetSearchPath data; ///< where data sets' files are looked for
  /// an argument's name → its bytes, row-major, little endian
  std::map<std::string, std::string> feeds;
  std::vector<std::string> fetches; ///< names of results to hand over, of every step
  uint32_t intraOpThreads = 0; ///< of one matmul; 0: the plan's
  absl::Duration deadline = absl::Seconds(300); ///< of a task that does not get on
  /// of a plan of several tasks: where the others are. What else is said here the chief's counts,
  /// but for data, feeds and intraOpThreads, which are each task's own
  ClusterOptions cluster;
  /// takes each result as it comes, of a step that is made again another time; none: they are kept
  /// for the end
  std::function<void(const FetchedTensor &)> fetched;
  std::function<void(const std::string &)> log; ///< takes lines for people; none: they are dropped
  /// Is asked a few times a second: true ends the run at the next step. On another thread, or while
  /// a run that has lost a task waits to begin again, on the caller's.
  std::function<bool()> stop;
};

struct RunResult {
  // All but `steps` of the chief alone.

  /// the global step at the end; asynchronous, in a session that is not the chief's: steps of its
  /// task's replica
  uint64_t steps = 0;
  std::optional<double> loss; ///< mean of the last epoch
  std::map<std::string, double>
      metrics; ///< of the last evaluation: "accuracy"; of training's last epoch: "train accuracy"
  /// why training ended before its steps were made (early stop, NaN, a hook); empty: it did not
  std::string endedEarly;
  std::vector<FetchedTensor> fetches; ///< where RunOptions::fetched is none
};

/// Verifies the plan and runs it to the end. Cancelled: stopped as asked, after what a stop saves
/// was saved.
absl::StatusOr<RunResult> run(const plan::Plan &plan, const RunOptions &options = {});
absl::StatusOr<RunResult> run(const plan::LoadedPlan &plan, const RunOptions &options = {});

} // namespace graphc::session

namespace graphc {
// As other programs call them, beside graphc::compile.
using session::run;
using session::RunOptions;
using session::RunResult;
} // namespace graphc
#endif
