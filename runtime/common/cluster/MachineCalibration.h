//===- MachineCalibration.h - how fast this machine is, as measured once ------------*- C++ -*-===//
//
// `graphrun calibrate` writes it, graphc reads it for predictions of time. No plan depends on it:
// which kernel serves an operation and what comes first are the same on every machine.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_CLUSTER_MACHINECALIBRATION_H
#define GRAPHC_RUNTIME_COMMON_CLUSTER_MACHINECALIBRATION_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>

namespace graphc::cluster {

/// The defaults are built in: a plain server core of our days.
struct MachineCalibration {
  struct Link {
    /// one way, of a message of 8 bytes between two tasks that wait
    double latencyMicroseconds = 0;
    double gigabitsPerSecond = 0; ///< of large messages, payload alone
  };
  std::string cpu = "built-in figures"; ///< for people
  uint32_t cores = 4; ///< that processes of one machine share
  double matmulGflops = 50; ///< f32 library matmul, one thread
  double memoryGigabytesPerSecond = 10; ///< read and written by one thread, together
  double callNanoseconds = 500; ///< of any instruction, besides its work
  Link sharedMemory = {10, 40};
  Link grpc = {60, 12};

  /// Nobody has measured these here. The defaults are what others say of an H100 (docs/reports.md
  /// has whom); a file may say otherwise.
  struct Gpu {
    double matmulGflops = 52000; ///< f32 products as IEEE has them, by a library
    double memoryGigabytesPerSecond = 3350; ///< read and written, together
    double launchMicroseconds = 2.5; ///< of the lane, for each segment that it gives to its device
    double kernelMicroseconds = 0.7; ///< of the GPU, besides a kernel's work
    double pcieMicroseconds = 10; ///< of a copy, besides its bytes
    double pcieGigabytesPerSecond = 50; ///< each way
  };
  Gpu gpu;
  bool gpuGiven = false; ///< by the file

  /// where they come from
  std::string source = "built-in figures; graphrun calibrate measures this machine's";
};

/// ~/.cache/graphc/calibration.json ($XDG_CACHE_HOME/graphc/…); "" where no home is known.
std::string calibrationPath();

/// What the file says. Every key is checked; "file:line:column: …" where something is wrong.
absl::StatusOr<MachineCalibration> readCalibration(const std::string &path);
/// `path` where given (it must exist), else the usual place where it exists, else the built-in
/// figures.
absl::StatusOr<MachineCalibration> loadCalibration(const std::string &path);

std::string toJson(const MachineCalibration &calibration);

} // namespace graphc::cluster
#endif
