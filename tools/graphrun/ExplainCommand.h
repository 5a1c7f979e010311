//===- ExplainCommand.h - graphrun explain: why a run has failed, by what its tasks left ------===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_EXPLAINCOMMAND_H
#define GRAPHC_TOOLS_GRAPHRUN_EXPLAINCOMMAND_H

namespace graphc::graphrun {

/// `argv[0]` is "explain". Returns the exit status; everything the user must know was printed.
int explainFailure(int argc, char **argv);

} // namespace graphc::graphrun
#endif
