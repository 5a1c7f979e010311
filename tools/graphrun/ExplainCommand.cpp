#include "tools/graphrun/ExplainCommand.h"
#include "tools/graphrun/SubcommandParser.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/session/hangs/ExplainRecordings.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include <CLI/CLI.hpp>

#include <cstdio>
#include <dirent.h>

namespace graphc::graphrun {
namespace {
constexpr char kExplainDescription[] =
    "graphrun explain: why a run has failed or stands still, by the recordings of its "
    "tasks (graphrun --failure_dir DIR): the "
    "root cause first, then who waited for whom with the model's source lines, then what "
    "each task did last. Also of a run that "
    "goes on.";
constexpr char kExplainFooter[] =
    R"(Where tasks ran on several machines, copy the files of all their folders into one.
Example:
  graphrun model.plan --failure_dir failure
  graphrun explain failure
Exit status: 0 the recordings were read; 1 there are none that can be; 2 the command line is wrong.)";

absl::StatusOr<session::FailureFiles> readFailure(const std::string &directory) {
  session::FailureFiles files;
  DIR *folder = opendir(directory.c_str());
  if (!folder)
    return base::errnoStatus(directory, errno);
  std::vector<std::string> names;
  while (const dirent *entry = readdir(folder))
    if (absl::EndsWith(entry->d_name, session::FlightRecorder::kEnding))
      names.emplace_back(entry->d_name);
  closedir(folder);
  if (names.empty())
    return absl::NotFoundError(absl::StrCat(
        directory, ": no task has left a recording here (JOB-INDEX",
        session::FlightRecorder::kEnding,
        "): name the folder of --failure_dir; a run that ends well takes its recordings away"));
  for (const std::string &name : names)
    if (auto bytes =
            base::MappedFile::open(absl::StrCat(directory, "/", name), base::SymlinkPolicy::Refuse);
        bytes.ok())
      files.recordings[name] = bytes->view().substr(0, 4 * session::kHalfBytes);
    else
      files.recordings[name] = ""; // explained as damaged
  GRAPHC_ASSIGN_OR_RETURN(
      files.sketch, base::readFile(absl::StrCat(directory, "/", session::FlightRecorder::kSketch),
                                   plan::maxPlanBytes));
  return files;
}
} // namespace

int explainFailure(int argc, char **argv) {
  CLI::App app(kExplainDescription, "graphrun explain");
  app.footer(kExplainFooter);
  std::string directory;
  uint32_t events = 5;
  app.add_option("dir", directory, "the folder of --failure_dir")->type_name("DIR")->required();
  app.add_option("--events", events,
                 "how many of each task's last events to show (default 5; at most 1,200 are there)")
      ->check(CLI::Range(0u, 1000000u))
      ->type_name("N");
  auto say = [](const absl::Status &status, int exit) {
    std::fprintf(stderr, "graphrun explain: %s\n", base::describe(status).c_str());
    return exit;
  };
  if (std::optional<int> over = parse(app, argc, argv, [&](const std::string &why) {
        say(absl::InvalidArgumentError(directory.empty() && absl::StrContains(why, "required")
                                           ? "which folder? graphrun explain DIR (see --help)"
                                           : why),
            2);
      }))
    return *over;
  auto files = readFailure(directory);
  if (!files.ok())
    return say(files.status(), 1);
  auto lines = session::explain(*files, events);
  if (!lines.ok())
    return say(base::annotate(lines.status(), directory), 1);
  for (const std::string &line : *lines)
    std::printf("%s\n", line.c_str());
  return std::fflush(stdout) == 0 ? 0 : 1;
}

} // namespace graphc::graphrun
