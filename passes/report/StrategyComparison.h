//===- StrategyComparison.h - one model under several strategies --------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_REPORT_STRATEGYCOMPARISON_H
#define GRAPHC_PASSES_REPORT_STRATEGYCOMPARISON_H

#include "passes/compiler/CompilerInstance.h"
#include "runtime/common/cluster/MachineCalibration.h"

namespace graphc {

/// One row of the table: the strategy's predicted step, memory and bytes, or why it is not possible
/// there.
struct ComparedStrategy {
  std::string strategy;
  std::string whyNot; ///< empty: it is possible
  std::string step, samplesPerSecond, bytes, memory;
  std::vector<std::string> remarks; ///< of the compiler, each once
};

/// "parameter_server:async:max_staleness=2" as the JSON object of cluster.json; words that are
/// settings by themselves need no key. InvalidArgument names a word that is neither.
absl::StatusOr<std::string> toStrategyJson(std::string_view text,
                                           const cluster::ClusterConfig &cluster);

/// Compiles a copy of the model (of stage graph or differentiated), of a cluster that is supported,
/// without code. `strategy`: as toStrategyJson gives it.
ComparedStrategy compare(CompilerInstance &original, std::string_view model,
                         const CompileOptions &options, std::string_view name,
                         std::string_view strategy, cluster::ClusterConfig cluster,
                         const cluster::MachineCalibration &calibration);

/// The table, the longest cell of each column wide.
std::string toText(const std::vector<ComparedStrategy> &rows);

} // namespace graphc

#endif
