//===- ShowCommand.h - graphrun show: what is in a file -----------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_SHOW_SHOWCOMMAND_H
#define GRAPHC_TOOLS_GRAPHRUN_SHOW_SHOWCOMMAND_H

#include <string>

namespace graphc::graphrun {

/// `argv[0]`: "show". Returns the exit status.
int show(int argc, char **argv);

/// What a file that was given for a plan is instead, and what to do with it; "": nothing is known
/// of it.
std::string hintOfFile(const std::string &path);

} // namespace graphc::graphrun
#endif
