//===- ServerCommand.h - graphrun server: a task that waits for a client ------------*- C++ -*-===//
//
// A server has no plan and no data. It waits for the chief of its cluster, the client (graphrun
// model.plan --master …), asks it for its plan, checks that like one from a file, and runs its task
// in a process of its own; then it waits for the next client, until it is told to stop. It holds no
// port, no memory and no code of a run: a run that dies takes nothing with it.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_SERVERCOMMAND_H
#define GRAPHC_TOOLS_GRAPHRUN_SERVERCOMMAND_H

#include "tools/graphrun/RunFlags.h"

#include "absl/status/status.h"

namespace graphc::graphrun {

/// Whether this is "graphrun server …".
bool isServerCommand(int argc, char **argv);

/// Runs until SIGTERM, SIGINT or SIGHUP; returns the exit status. `argv` without the word "server"
/// goes on to each run's process.
int runServer(int argc, char **argv);

/// "grpc://host:port" → "host:port".
absl::StatusOr<std::string> parseMaster(const std::string &url);

} // namespace graphc::graphrun
#endif
