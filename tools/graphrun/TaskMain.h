//===- TaskMain.h - one task in this process ----------------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_TASKMAIN_H
#define GRAPHC_TOOLS_GRAPHRUN_TASKMAIN_H

#include "runtime/api/TaskThreads.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/data/DatasetSearchPath.h"
#include "runtime/launch/LaunchContext.h"
#include "runtime/launch/LauncherMessages.h"
#include "runtime/service/MasterService.h"
#include "runtime/service/TaskDialer.h"
#include "runtime/tls/JobFolder.h"
#include "tools/graphrun/RunFlags.h"

namespace graphc::graphrun {

struct TaskSetup {
  uint32_t task = 0; ///< its number
  std::vector<std::string> addresses; ///< by task number; empty where the plan has one task
  service::TaskIdentity identity; ///< what it shows the others
  std::string run;
  int reportFd = -1; ///< to the launcher; -1: started by hand
  int listenerFd = -1; ///< where it listens already; -1: nowhere yet
  std::shared_ptr<tls::JobFolder> folder{}; ///< the chief's, with --job_dir
  uint32_t restarts = 0; ///< of all tasks, by the launcher
  bool client = false; ///< --master: the other tasks are servers, which get the plan from here
  uint64_t session = 0; ///< of a launcher that starts tasks again, which `words` come from
  /// null: the loss of another task ends this one
  std::shared_ptr<launch::LauncherMessages> words{};
  int programFd = -1; ///< of the program that has started this (LaunchContext)
};

/// What is said of an address beyond loopback where there are no certificates.
inline constexpr char kNeedsTls[] =
    "tasks on other machines need mutual TLS; give --tls_cert, --tls_key and --tls_ca (graphrun certs makes the files, "
    "docs/multi-host.md shows how), or use localhost:PORT or 127.0.0.1:PORT";
/// Of the --tls_ flags; null where none is given.
absl::StatusOr<std::shared_ptr<const tls::TlsCredentials>> credentialsOf(const RunFlags &flags);
/// What the others know `task` at `address` by: its certificate, or without one the user's secret.
absl::Status identify(std::shared_ptr<const tls::TlsCredentials> credentials,
                      const std::string &task, const std::string &address, TaskSetup *setup);

/// Where data files are looked for.
data::DatasetSearchPath dataSearch(const RunFlags &flags);
/// What waiting servers get of a client.
absl::StatusOr<service::PlanOffer> makeOffer(const RunFlags &flags, const plan::Plan &plan,
                                             const std::string &run);

/// What the driver is asked to do, from the command line.
session::DriverOptions driverOptions(const RunFlags &flags);

/// Runs the task to its end; returns the exit status. Everything the user must know was printed or
/// reported. With TaskSetup::words it goes through as many sessions as tasks are lost, of each it
/// leaves nothing but the data sets that are open.
int runTask(const RunFlags &flags, const plan::LoadedPlan &plan, const TaskSetup &setup);

} // namespace graphc::graphrun
#endif
