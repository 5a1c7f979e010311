//===- ClusterOptions.h -----------------------------------------------------------------------===//
//
// Where the other tasks of a plan are, for a program that is one of them.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_API_CLUSTEROPTIONS_H
#define GRAPHC_RUNTIME_API_CLUSTEROPTIONS_H

#include "runtime/tls/TlsCredentials.h"

#include "absl/time/time.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace graphc::session {

/// The first that is given counts: `graphrun`, `master`, `hosts`, the environment variable
/// TF_CONFIG, then the place among the processes of srun, mpirun, torchrun or a JobSet, which is in
/// the environment too (docs/launchers.md). A plan of one task needs none.
struct ClusterOptions {
  /// This program starts the other tasks on this machine, as processes of the graphrun of this path
  /// or on PATH, and is the chief. They end with the run.
  std::string graphrun;
  /// "grpc://HOST:PORT": the other tasks are servers that wait (graphrun server), and this is the
  /// chief, their client, at its address.
  std::string master;
  /// Job → "HOST:PORT" a task, as --JOB_hosts: the tasks are started by others, each by itself, and
  /// this is one of them.
  std::map<std::string, std::vector<std::string>> hosts;
  std::string jobName; ///< which of them; empty: what TF_CONFIG says, else the chief
  uint32_t taskIndex = 0;
  /// Of a launcher: the plan's jobs in the order in which the ranks behind the chief go through
  /// them; empty: the plan's.
  std::vector<std::string> rankOrder;
  /// A folder of the user's (mode 0700) that all tasks see: the chief makes certificates for one
  /// run there, and the tasks of several hosts of a launcher find each other by it.
  std::string jobDirectory;
  /// beyond loopback addresses; else the user's own secret tells who is who
  tls::CredentialFiles tls;
  std::string transport = "auto"; ///< auto, shm or grpc; the chief's counts
  absl::Duration joinDeadline = absl::Minutes(10); ///< for tasks that have not come
};

} // namespace graphc::session

namespace graphc {
using session::ClusterOptions;
} // namespace graphc
#endif
