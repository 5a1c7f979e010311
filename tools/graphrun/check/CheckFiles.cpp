#include "tools/graphrun/check/CheckFiles.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "tools/graphrun/ExportedPlan.h"
#include "tools/graphrun/FeedFlags.h"

#include "absl/strings/str_cat.h"

#include <filesystem>
#include <sys/stat.h>

namespace graphc::graphrun {
namespace {

/// A folder to write into that is there, or can be made where the first that is there lies.
absl::Status checkFolder(const std::string &flag, const std::string &folder) {
  struct stat info{};
  std::string nearest = folder;
  while (!nearest.empty() && stat(nearest.c_str(), &info) != 0 && errno == ENOENT) {
    size_t slash = nearest.find_last_of('/', nearest.find_last_not_of('/'));
    nearest = slash == std::string::npos ? "." : slash == 0 ? "/" : nearest.substr(0, slash);
  }
  if (folder.empty())
    return absl::OkStatus();
  absl::Status status = stat(nearest.c_str(), &info) != 0 ? base::errnoStatus(nearest, errno)
                        : !S_ISDIR(info.st_mode)          ? base::errnoStatus(nearest, ENOTDIR)
                                                          : base::checkWritable(nearest);
  return status.ok() ? status : base::annotate(status, absl::StrCat(flag, " ", folder));
}

/// Two paths of one file, there or not; of /dev/null and its kin there may be many.
bool sameFile(const std::string &one, const std::string &other) {
  struct stat info{};
  if (one.empty() || other.empty() || one == "-" ||
      (stat(one.c_str(), &info) == 0 && !S_ISREG(info.st_mode)))
    return false;
  std::error_code error;
  if (std::filesystem::equivalent(one, other, error))
    return true;
  auto place = [&error](const std::string &path) {
    return error ? "" : std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
  };
  error.clear();
  const std::filesystem::path first = place(one), second = place(other);
  return !error && first == second;
}

/// No output takes the place of what is read, or of another output.
absl::Status checkOutputs(const RunFlags &flags) {
  std::vector<std::pair<std::string, std::string>> inputs = {{"the plan", flags.plan},
                                                             {"--cluster", flags.clusterFile}};
  for (const auto &[name, file] : flags.feeds)
    inputs.emplace_back("--feed " + name, file);
  std::vector<std::pair<std::string, std::string>> outputs = {{"--stats", flags.statsFile},
                                                              {"--log_file", flags.logFile},
                                                              {"--history", flags.historyFile},
                                                              {"--trace", flags.traceFile}};
  for (const auto &[name, file] : flags.fetchFiles)
    outputs.emplace_back("--fetch " + name, file);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto &[flag, file] = outputs[i];
    for (size_t j = 0; j < i; ++j)
      if (sameFile(file, outputs[j].second))
        return absl::InvalidArgumentError(
            absl::StrCat(flag, " ", file, ": that is the file of ", outputs[j].first,
                         " too, and one would overwrite the other; name another file"));
    struct stat output{}, input{};
    if (file.empty() || stat(file.c_str(), &output) != 0 || !S_ISREG(output.st_mode))
      continue;
    for (const auto &[what, other] : inputs)
      if (stat(other.c_str(), &input) == 0 && input.st_dev == output.st_dev &&
          input.st_ino == output.st_ino)
        return absl::InvalidArgumentError(
            absl::StrCat(flag, " ", file, ": that is ", what,
                         ", which would be overwritten; name another file"));
  }
  return absl::OkStatus();
}

} // namespace

absl::Status checkFiles(const plan::Plan &plan, const RunFlags &flags, bool check) {
  struct stat info{};
  for (const auto &[name, file] : flags.feeds)
    if (stat(file.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) // each task reads it
      return absl::InvalidArgumentError(
          absl::StrCat("--feed ", name, ": ", file, ": not a regular file"));
  GRAPHC_RETURN_IF_ERROR(readFeeds(plan, flags).status());
  if (flags.jobName.empty()) // one task alone may have no part in them
    GRAPHC_RETURN_IF_ERROR(checkFolder("--dump_variables", flags.dumpDirectory));
  if (flags.jobName.empty())
    GRAPHC_RETURN_IF_ERROR(checkFolder("--export_dir", flags.exportDirectory));
  GRAPHC_RETURN_IF_ERROR(checkExportFolder(flags));
  GRAPHC_RETURN_IF_ERROR(checkFolder("--failure_dir", flags.failureDirectory));
  if (flags.jobName.empty())
    GRAPHC_RETURN_IF_ERROR(checkFolder("--summary_dir", flags.summaryFolder));
  if (!check && flags.jobName.empty() && flags.entry == "train") // the chief of a check opens it
    GRAPHC_RETURN_IF_ERROR(checkFolder("--checkpoint_dir", flags.checkpointDirectory));
  GRAPHC_RETURN_IF_ERROR(checkOutputs(flags));
  std::vector<std::pair<std::string, std::string>> outputs = {
      {"--stats ", flags.statsFile}, {"--log_file ", flags.logFile}, {"--trace ", flags.traceFile}};
  if (flags.jobName.empty()) { // the chief's
    outputs.emplace_back("--history ", flags.historyFile);
    for (const auto &[name, file] : flags.fetchFiles)
      outputs.emplace_back(absl::StrCat("--fetch ", name, "="), file);
  }
  for (const auto &[flag, file] : outputs) {
    if (file.empty() || (file == "-" && flag == "--stats "))
      continue;
    if (stat(file.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
      return absl::InvalidArgumentError(absl::StrCat(flag, file, ": it is a folder; name a file"));
    if (absl::Status status = base::checkWritable(file); !status.ok())
      return base::annotate(status, absl::StrCat(flag, file));
  }
  return absl::OkStatus();
}

} // namespace graphc::graphrun
