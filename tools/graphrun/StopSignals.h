//===- StopSignals.h - the signals by which a task is asked to stop ---------------------------------------*- C++ -*-===//
//
// SIGTERM, SIGINT and, where nobody has it ignored, SIGHUP. A handler counts; the heartbeat (TaskThreads.h) tells the chief. Asked twice the process
// ends at once, but not for a SIGHUP (a terminal that closes tells of it itself, and its shell too), nor under a launcher, which decides:
// a signal for the whole process group (Ctrl-C) comes to both, and then the launcher's own.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_STOPSIGNALS_H
#define GRAPHC_TOOLS_GRAPHRUN_STOPSIGNALS_H

namespace graphc::graphrun {

/// From here on they are counted. Those that a launcher has blocked until now come through.
void takeStopSignals(bool launched);
/// Whether one has come. Any thread.
bool stopAsked();

} // namespace graphc::graphrun
#endif
