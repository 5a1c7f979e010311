#include "tools/graphrun/status/StatusCommand.h"
#include "tools/graphrun/RunFlags.h"
#include "tools/graphrun/SubcommandParser.h"
#include "tools/graphrun/TaskMain.h"
#include "tools/graphrun/status/FindRuns.h"
#include "tools/graphrun/status/StatusServer.h"
#include "tools/graphrun/status/StatusText.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/http/HttpClient.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::graphrun {
namespace {
constexpr char kStatusDescription[] =
    "graphrun status: how runs are doing. Alone it lists those of this user on this "
    "machine, of a single one it prints all: state, step, "
    "steps/s, loss, last checkpoint, restarts, warnings, and of each task devices, "
    "step, how far it is behind the first, its last heartbeat.";
constexpr char kStatusFooter[] = R"(Examples:
  graphrun status
  graphrun status run1 --watch
  graphrun status node1:9464 --status_secret secret --json
Exit status: 0 it was printed, also that none runs; 1 the run that was asked for does not answer; 2 the command line or a file named on it is wrong.)";
constexpr absl::Duration kLimit = absl::Seconds(5), kFindLimit = absl::Seconds(2),
                         kEvery = absl::Seconds(1);

struct Asked {
  std::string which; ///< empty: all
  bool json = false, watch = false;
  std::string secretFile;
  tls::CredentialFiles tls;
};

bool isSocket(const std::string &path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode);
}
bool isFolder(const std::string &path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

/// What one run says, and where it was asked.
struct Answer {
  std::string where, json;
  observe::RunStatus status;
};

absl::StatusOr<Answer> ask(const http::HttpDestination &target) {
  auto json = http::get(target, "/status.json", absl::Now() + kLimit);
  if (!json.ok())
    return absl::Status(
        json.status().code(),
        absl::StrCat(target.address, ": ", json.status().message(),
                     absl::IsUnavailable(json.status())
                         ? "; is there a run, with --status_address or of this user?"
                         : ""));
  auto status = observe::runStatusFromJson(*json);
  if (!status.ok())
    return absl::Status(status.status().code(),
                        absl::StrCat(target.address, ": what answers there is no run's status: ",
                                     status.status().message()));
  return Answer{target.address, *std::move(json), *std::move(status)};
}

bool fits(const FoundRun &run, const std::string &which) {
  int64_t process = 0;
  if (absl::SimpleAtoi(which, &process))
    return run.status.pid == process || run.status.launcher == process;
  std::error_code error;
  return !run.status.checkpointDirectory.empty() &&
         std::filesystem::equivalent(which, run.status.checkpointDirectory, error);
}

/// A process, a folder of checkpoints, a socket or an address.
absl::StatusOr<Answer> find(const Asked &asked, const tls::TlsCredentials *credentials,
                            const std::string &secret) {
  const std::string &which = asked.which;
  if (isSocket(which))
    return ask({std::filesystem::absolute(which).native(), nullptr, ""});
  const bool isNumber = which.find_first_not_of("0123456789") == std::string::npos;
  if (!isNumber && !isFolder(which) && which.find(':') != std::string::npos)
    return ask({which, credentials, secret});
  std::vector<FoundRun> runs = findRuns(kFindLimit);
  for (FoundRun &run : runs)
    if (fits(run, which))
      return Answer{run.socket, std::move(run.json), std::move(run.status)};
  return absl::NotFoundError(absl::StrCat(
      which,
      isNumber ? ": no run of this user has such a process"
      : isFolder(which)
          ? ": no run of this user has its checkpoints there"
          : ": neither a process of a run, a folder of checkpoints, a socket nor HOST:PORT",
      runs.empty() ? "; none runs on this machine"
                   : "; graphrun status lists those that there are"));
}

int say(const absl::Status &status, int exit) {
  std::fprintf(stderr, "graphrun status: %s\n", base::describe(status).c_str());
  return exit;
}

/// A table over the one before, on a terminal.
bool print(const std::string &text, bool over) {
  if (over)
    std::fputs("\033[H\033[J", stdout);
  std::fputs(text.c_str(), stdout);
  return std::fflush(stdout) == 0;
}

int printAll(const Asked &asked, bool over) {
  const std::vector<FoundRun> runs = findRuns(kFindLimit);
  if (asked.json) {
    std::string list;
    for (const FoundRun &run : runs)
      absl::StrAppend(&list, list.empty() ? "" : ",",
                      run.json.substr(0, run.json.find_last_not_of('\n') + 1));
    return print(absl::StrCat("[", list, "]\n"), over) ? 0 : 1;
  }
  const std::string text = runs.empty()       ? "no run of this user on this machine\n"
                           : runs.size() == 1 ? statusText(runs[0].status, runs[0].socket)
                                              : listText(runs);
  return print(text, over) ? 0 : 1;
}

int printStatus(const Asked &asked, const tls::TlsCredentials *credentials,
                const std::string &secret) {
  const bool over = asked.watch && isatty(STDOUT_FILENO) == 1;
  std::string where;
  while (true) {
    int result = 0;
    if (asked.which.empty()) {
      result = printAll(asked, over);
    } else {
      // One that was found is asked again where it was; another one may have its folder by now.
      absl::StatusOr<Answer> answer =
          where.empty()
              ? find(asked, credentials, secret)
              : ask({where, absl::StartsWith(where, "/") ? nullptr : credentials, secret});
      // nobody listens
      const bool isGone = absl::IsUnavailable(answer.status()) || absl::IsNotFound(answer.status());
      if (isGone && !where.empty()) {
        std::fprintf(stderr, "graphrun status: the run at %s has ended\n", where.c_str());
        return 0;
      }
      if (!answer.ok())
        return say(answer.status(), 1);
      where = answer->where;
      result = print(asked.json ? answer->json : statusText(answer->status, where), over) ? 0 : 1;
    }
    if (!asked.watch || result != 0)
      return result;
    absl::SleepFor(kEvery);
    if (!over && !asked.json)
      std::fputs("\n", stdout);
  }
}
} // namespace

int showStatus(int argc, char **argv) {
  CLI::App app(kStatusDescription, "graphrun status");
  app.footer(kStatusFooter);
  Asked asked;
  app.add_option(
         "run", asked.which,
         "which: a process of it, its folder of --checkpoint_dir, its socket, or HOST:PORT of --status_address")
      ->type_name("WHICH");
  app.add_flag("--json", asked.json, "print JSON, as /status.json has it; alone: a list");
  app.add_flag("--watch", asked.watch, "print it again each second, until the run has ended");
  app.add_option("--status_secret", asked.secretFile, "the run's --status_secret, for HOST:PORT")
      ->type_name("FILE");
  addTlsFlags(app, &asked.tls);
  if (std::optional<int> over = parse(
          app, argc, argv, [](const std::string &why) { say(absl::InvalidArgumentError(why), 2); }))
    return *over;
  std::string secret;
  if (!asked.secretFile.empty()) {
    auto read = readStatusSecret(asked.secretFile);
    if (!read.ok())
      return say(read.status(), 2);
    secret = *std::move(read);
  }
  RunFlags flags;
  flags.tls = asked.tls;
  auto credentials = credentialsOf(flags);
  if (!credentials.ok())
    return say(credentials.status(), 2);
  // of a connection; a reader of ours that has gone is seen by what is printed
  signal(SIGPIPE, SIG_IGN);
  return printStatus(asked, credentials->get(), secret);
}

} // namespace graphc::graphrun
