//===- CheckCommand.h - graphrun check: what would go wrong, before the run ---------*- C++ -*-===//
//
// Started in place of each task of the run, with the same flags, on the same machine, by the same
// launcher or waiting servers. Each looks at its own machine and at the ways to its peers; the
// chief collects and prints everything that is wrong, not only the first.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_CHECK_CHECKCOMMAND_H
#define GRAPHC_TOOLS_GRAPHRUN_CHECK_CHECKCOMMAND_H

#include "tools/graphrun/TaskMain.h"

namespace graphc::graphrun {

/// `wrong`: what was found before there was a task. Returns the exit status: 0 where all is well
/// everywhere, else 1.
int checkTask(const RunFlags &flags, const plan::LoadedPlan &plan, const TaskSetup &setup,
              std::vector<std::string> wrong);

} // namespace graphc::graphrun
#endif
