//===- CommandLineOptions.h - the command line of graphc ----------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHC_COMMANDLINEOPTIONS_H
#define GRAPHC_TOOLS_GRAPHC_COMMANDLINEOPTIONS_H

#include "passes/PassPipelines.h"
#include "passes/compiler/Compiler.h"

#include <optional>
#include <string>
#include <vector>

namespace graphc {

/// What --emit asks for: a stage's text, or something made of the plan.
enum class EmitKind { StageText, Plan, PlanText, Table };

/// What graphc is asked to do: compile, or say something of plans that exist, or of plans that it
/// makes in passing.
enum class ToolMode { Compile, VerifyPlan, Diff, Compare };

struct CommandLineOptions {
  ToolMode mode = ToolMode::Compile;
  std::string model; ///< path of the model or plan, "-": stdin
  std::string otherPlan; ///< Diff: the new plan
  std::vector<std::string> strategies; ///< Compare
  std::string report; ///< path of the HTML page, empty: none
  std::string measured; ///< path of a trace, for the page; empty: none
  std::string calibration; ///< path of the measured figures, empty: the usual place
  std::string output; ///< path, "-": stdout; empty: not given
  std::optional<std::string> cluster; ///< path of cluster.json
  std::optional<std::string> strategy; ///< --strategy, beats the file's
  std::optional<std::string> recovery; ///< --recovery, beats the file's
  std::optional<unsigned> numGpus; ///< of each task that computes
  EmitKind emit = EmitKind::Plan;
  PipelineStage stage = PipelineStage::Llvm; ///< where emit is StageText
  bool logDevicePlacement = false;
  CompileOptions compile;
};

/// Of --partition, with the GPUs of --num_gpus and without those that soft placement does not find
/// here; one task without it.
absl::StatusOr<cluster::ClusterConfig> readClusterOf(const CommandLineOptions &options);

/// Parses the command line; --help and --version end the process with 0. Every flag takes - and _
/// alike. Returns nothing where the command line is wrong, having said so on stderr.
std::optional<CommandLineOptions> parseOptions(int argc, char **argv);

} // namespace graphc

#endif
