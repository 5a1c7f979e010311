//===- RunFlags.h - graphrun's command line -----------------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_RUNFLAGS_H
#define GRAPHC_TOOLS_GRAPHRUN_RUNFLAGS_H

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/session/progress/EarlyStop.h"
#include "runtime/tls/TlsCredentials.h"

#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace graphc::graphrun {

inline constexpr double kDeadlineSeconds = 300;
inline constexpr uint64_t kSaveSummariesSteps = 100;
inline constexpr double kJoinSeconds = 600, kLaunchedJoinSeconds = 60;
/// So much later a launcher kills a task that keeps no deadline of its own.
inline constexpr absl::Duration kJoinSlack = absl::Seconds(5);
/// --JOB_hosts: addresses by job.
using HostFlags = std::map<std::string, std::vector<std::string>>;

struct RunFlags {
  std::string plan;
  std::optional<double> epochs;
  std::optional<uint64_t> steps;
  std::string dataDirectory, initFrom, checkpointDirectory, statsFile, logFile, dumpDirectory,
      failureDirectory, traceFile, exportDirectory;
  std::optional<std::pair<uint64_t, uint64_t>>
      profileSteps; ///< first and last, from 1; none: ten behind the run's first
  std::string entry = "train"; ///< train, eval or predict
  std::optional<uint32_t> intraOpThreads; ///< none: the plan's, or 1
  /// "grpc://host:port": this process is the chief, the other tasks are servers
  std::string master;
  std::string jobName; ///< empty: start every task here
  std::optional<uint32_t> taskIndex;
  HostFlags hosts;
  std::string clusterFile;
  tls::CredentialFiles tls;
  /// jobs of the plan, the chief's first; empty: the plan's order
  std::vector<std::string> rankOrder;
  /// where tasks on several machines find each other and get certificates; empty: nowhere
  std::string jobDirectory;
  std::string statusAddress,
      statusSecret; ///< HOST:PORT where the run's status can be asked for, and a file; empty: none
  bool local = false;
  std::string transport = "auto"; ///< auto, shm or grpc
  std::optional<double> evalEveryEpochs, saveCheckpointSecs;
  std::optional<uint64_t> saveCheckpointSteps;
  uint32_t keepCheckpointMax = checkpoint::CheckpointDirectory::kKeep; ///< 0: all
  std::optional<uint64_t> logStepCountSteps;
  std::string nan = "raise"; ///< or stop
  std::optional<session::EarlyStop> earlyStop;
  std::optional<session::BestExport> exportBest; ///< none: the last checkpoint is exported
  bool noEval = false; ///< training makes no evaluation
  bool newAlgorithms = false;
  std::vector<std::string> fetches; ///< those that are printed
  std::vector<std::pair<std::string, std::string>> fetchFiles; ///< name, .npy file
  std::string historyFile, summaryFolder;
  std::optional<uint64_t> saveSummariesSteps; ///< none: kSaveSummariesSteps, or by the seconds
  std::optional<double> saveSummariesSeconds;
  std::map<std::string, std::string> feeds; ///< name → .npy file
  /// of one task that does not get on; none: kDeadlineSeconds
  std::optional<double> deadlineSeconds;
  std::optional<double> waitSeconds; ///< of one wait; none: deadlineSeconds
  uint64_t dataCacheMb = 4096; ///< of decoded data files; 0: none
  bool evaluator = false; ///< the launcher starts one beside the tasks
  uint32_t maxRestarts = 0; ///< of all tasks, by the launcher
  /// for tasks that have not come; none: kJoinSeconds, or launched, kLaunchedJoinSeconds
  std::optional<double> joinSeconds;
  double timeoutSeconds = 30; ///< of graphrun check: no wait is longer
};

struct ParsedFlags {
  RunFlags flags;
  std::optional<int> exitStatus; ///< --help, --version: what was asked for was printed
};

/// Run: graphrun model.plan. Server: graphrun server, which takes no plan and leaves to the client
/// what a run does. Check: graphrun check, which takes all that a run does.
enum class CommandKind { Run, Server, Check };

/// What graphrun and its commands (certs, check) have in common. A command line as CLI11 takes it,
/// '-' and '_' in flag names alike, without "--JOB_hosts a:1,b:2" (of any job), which goes to
/// `hosts`; then an error for what CLI11 did not know.
absl::StatusOr<std::vector<std::string>> commandLine(int argc, char **argv, HostFlags *hosts);
absl::Status checkExtras(const CLI::App &app);
void addTlsFlags(CLI::App &app, tls::CredentialFiles *files);

/// '-' and '_' in flag names are alike. An error is one line and means exit status 2.
/// `launched`: the launcher's own command line and the task's name.
absl::StatusOr<ParsedFlags>
parseFlags(int argc, char **argv, CommandKind command = CommandKind::Run, bool launched = false);

} // namespace graphc::graphrun
#endif
