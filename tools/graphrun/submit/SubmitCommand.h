//===- SubmitCommand.h ------------------------------------------------------------------------===//
//
// graphrun submit: the batch file or manifest with which a cluster's engine runs a plan.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_SUBMIT_SUBMITCOMMAND_H
#define GRAPHC_TOOLS_GRAPHRUN_SUBMIT_SUBMITCOMMAND_H

namespace graphc::graphrun {

/// argv[0] is "submit". Returns the exit status; with --yes the engine's own.
int submit(int argc, char **argv);

} // namespace graphc::graphrun
#endif
