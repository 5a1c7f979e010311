//===- CalibrateCommand.h - graphrun calibrate: how fast this machine is ------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_CALIBRATECOMMAND_H
#define GRAPHC_TOOLS_GRAPHRUN_CALIBRATECOMMAND_H

namespace graphc::graphrun {

/// Measures what graphc predicts times with (runtime/common/cluster/MachineCalibration.h) and
/// writes the file. `argv[0]` is the word calibrate. Returns the process's exit status.
int calibrate(int argc, char **argv);

} // namespace graphc::graphrun
#endif
