//===- StopSignals.h - the signals by which a task is asked to stop -----------------*- C++ -*-===//
//
// SIGTERM, SIGINT and, where nobody has it ignored, SIGHUP. A handler counts; the heartbeat
// (TaskThreads.h) tells the chief. Asked twice the process ends at once, but not for a SIGHUP (a
// terminal that closes tells of it itself, and its shell too), nor under a launcher, which decides:
// a signal for the whole process group (Ctrl-C) comes to both, and then the launcher's own.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_LAUNCH_STOPSIGNALS_H
#define GRAPHC_RUNTIME_LAUNCH_STOPSIGNALS_H

#include <csignal>

namespace graphc::launch {

/// Whether a terminal that closes ends this process: SIGHUP asks for a stop as SIGTERM does, unless
/// it was ignored at the start (nohup).
bool hangupStops();
/// SIGTERM, SIGINT and, if hangupStops(), SIGHUP. A started task begins with these blocked and no
/// other signal: a stop waits until the task knows what to do with it. SIGHUP that is ignored stays
/// so.
sigset_t stopSignals();
/// Whether one of them has come while they were blocked, and was not taken yet.
bool stopIsPending();
void unblockStops();

/// From here on they are counted. Those that a launcher has blocked until now come through.
void takeStopSignals(bool launched);
/// Whether one has come. Any thread.
bool stopAsked();

} // namespace graphc::launch
#endif
