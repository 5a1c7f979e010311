//===- StatusCommand.h - graphrun status: how runs are doing ------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_STATUS_STATUSCOMMAND_H
#define GRAPHC_TOOLS_GRAPHRUN_STATUS_STATUSCOMMAND_H

namespace graphc::graphrun {

/// `argv[0]`: "status". Returns the exit status.
int showStatus(int argc, char **argv);

} // namespace graphc::graphrun
#endif
