//===- Options.h - the command line of graphc --------------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHC_OPTIONS_H
#define GRAPHC_TOOLS_GRAPHC_OPTIONS_H

#include "passes/Pipelines.h"

#include <optional>
#include <string>

namespace graphc {

/// What --emit asks for: a stage's text, or something made of the plan.
enum class Output { StageText, Plan, PlanText, Table };

struct Options {
  std::string model;                   ///< path, "-": stdin
  std::string output;                  ///< path, "-": stdout; empty: not given
  std::optional<std::string> cluster;  ///< path of cluster.json
  std::optional<std::string> strategy; ///< --strategy, beats the file's
  Output emit = Output::Plan;
  Stage stage = Stage::Llvm;           ///< where emit is StageText
  bool logDevicePlacement = false;
  bool softPlacement = false;
  std::string targetCpu = "native";
  std::string keepCode;                ///< folder, empty: none
  unsigned intraOpThreads = 1;
};

/// Parses the command line; --help and --version end the process with 0. Every flag takes - and _ alike. Returns
/// nothing where the command line is wrong, having said so on stderr.
std::optional<Options> parseOptions(int argc, char **argv);

} // namespace graphc

#endif
