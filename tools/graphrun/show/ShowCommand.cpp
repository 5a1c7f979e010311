#include "tools/graphrun/show/ShowCommand.h"
#include "tools/graphrun/SubcommandParser.h"
#include "tools/graphrun/show/ShowReaders.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/session/results/ModelExport.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace graphc::graphrun {
namespace {
constexpr char kShowDescription[] =
    "graphrun show: what is in a plan (tasks, phases, programs, variables, data sets, "
    "channels, memory), in a folder of "
    "--checkpoint_dir, in one checkpoint of it, or in one of its files: variables with "
    "their types, and whether each piece "
    "is whole; and both in an export (--export_dir).";
constexpr char kShowFooter[] = R"(Examples:
  graphrun show model.plan
  graphrun show run1
  graphrun show run1/step-1172 --json
  graphrun show served
Exit status: 0 it was shown; 1 it cannot be read, or a piece of it is damaged; 2 the command line is wrong.)";

std::string beginOf(const std::string &path) {
  std::string begin(4096, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return begin;
}

std::string lastName(const std::string &path) {
  const std::string trimmed = path.substr(0, path.find_last_not_of('/') + 1);
  return trimmed.substr(trimmed.rfind('/') + 1);
}

bool has(const std::string &path, const char *name) {
  return base::exists(absl::StrCat(path, "/", name));
}

bool isExport(const std::string &path) {
  std::error_code error;
  if (has(path, "predict.plan"))
    return true;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (std::all_of(name.begin(), name.end(), absl::ascii_isdigit) &&
        has(entry->path(), "predict.plan"))
      return true;
  }
  return false;
}

/// The plan of the version, and its variables, beside where they lie.
absl::StatusOr<ShowResult> showExport(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(const session::ModelExport found, session::openExport(path));
  GRAPHC_ASSIGN_OR_RETURN(ShowResult plan, showPlan(found.plan));
  GRAPHC_ASSIGN_OR_RETURN(ShowResult variables, showCheckpointFolder(found.variables));
  ShowResult shown;
  shown.json["export"] = found.path;
  shown.json["checkpoint"] = std::move(variables.json["checkpoints"]);
  shown.json["frozen_variables"] = std::move(variables.json["variables"]);
  for (auto &[name, member] : plan.json.items())
    shown.json[name] = std::move(member);
  for (ShowResult *part : {&plan, &variables})
    shown.damaged.insert(shown.damaged.end(), part->damaged.begin(), part->damaged.end());
  return shown;
}

/// The first that knows a path reads it.
constexpr ShowReader kReaders[] = {
    {"a plan",
     [](const std::string &, bool, std::string_view begin) {
       return begin.starts_with(plan::planMagic);
     },
     showPlan},
    {"a checkpoint",
     [](const std::string &path, bool isFolder, std::string_view) {
       return isFolder ? has(path, "manifest.json") || absl::StartsWith(lastName(path), "step-")
                       : lastName(path) == "manifest.json";
     },
     showCheckpoint},
    {"a folder of checkpoints",
     [](const std::string &path, bool isFolder, std::string_view) {
       std::error_code error;
       for (std::filesystem::directory_iterator entry(path, error), end;
            isFolder && !error && entry != end; entry.increment(error))
         if (absl::StartsWith(entry->path().filename().native(), "step-"))
           return true;
       return false;
     },
     showCheckpointFolder},
    {"an export",
     [](const std::string &path, bool isFolder, std::string_view) {
       return isFolder && isExport(path);
     },
     showExport},
    {"a file of tensors",
     [](const std::string &path, bool isFolder, std::string_view) {
       return !isFolder && absl::EndsWith(path, ".safetensors");
     },
     showTensors},
};

bool isModel(const std::string &path, std::string_view begin) {
  return absl::EndsWith(path, ".mlir") || begin.starts_with("ML\xefR") ||
         begin.find("graph.func") != std::string_view::npos;
}

absl::StatusOr<ShowResult> readShown(const std::string &path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0)
    return base::errnoStatus(path, errno);
  const bool isFolder = S_ISDIR(info.st_mode);
  if (!isFolder && !S_ISREG(info.st_mode))
    return absl::InvalidArgumentError(absl::StrCat(path, ": neither a regular file nor a folder"));
  const std::string begin = isFolder ? "" : beginOf(path);
  for (const ShowReader &reader : kReaders)
    if (reader.knows(path, isFolder, begin))
      return reader.read(path);
  std::vector<std::string> known;
  for (const ShowReader &reader : kReaders)
    known.emplace_back(reader.what);
  if (isModel(path, begin))
    return absl::InvalidArgumentError(hintOfFile(path));
  return absl::InvalidArgumentError(absl::StrCat(path, ": not ", absl::StrJoin(known, ", nor "),
                                                 isFolder ? " (it has no step-N)" : ""));
}
} // namespace

std::string hintOfFile(const std::string &path) {
  struct stat info{};
  if (path == "-" || stat(path.c_str(), &info) != 0)
    return "";
  if (!S_ISREG(info.st_mode))
    return "";
  const std::string begin = beginOf(path);
  if (begin.starts_with(plan::planMagic) || !isModel(path, begin))
    return "";
  std::string stem = lastName(path);
  stem = stem.substr(0, stem.rfind('.'));
  return absl::StrCat(path, ": a model, not a plan; compile it first: graphc ", path, " -o ", stem,
                      ".plan (for several tasks graphc --partition cluster.json ", path, " -o ",
                      stem, ".plan), then graphrun ", stem, ".plan");
}

int show(int argc, char **argv) {
  CLI::App app(kShowDescription, "graphrun show");
  app.footer(kShowFooter);
  std::string path;
  bool json = false;
  app.add_option(
         "path", path,
         "a plan, a folder of --checkpoint_dir, a checkpoint step-N in it, a .safetensors file, or a folder of "
         "--export_dir")
      ->type_name("FILE|DIR")
      ->required();
  app.add_flag("--json", json, "print one JSON object, with every number as it is");
  auto say = [](const std::string &line, int exit) {
    std::fprintf(stderr, "graphrun show: %s\n", line.c_str());
    return exit;
  };
  if (std::optional<int> over = parse(app, argc, argv, [&](const std::string &why) {
        say(path.empty() && absl::StrContains(why, "required")
                ? "what? graphrun show model.plan, or a folder of --checkpoint_dir (see --help)"
                : why,
            2);
      }))
    return *over;
  absl::StatusOr<ShowResult> shown = readShown(path);
  if (!shown.ok())
    return say(base::describe(shown.status()), 1);
  if (json)
    std::printf(
        "%s\n",
        shown->json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  else
    std::fputs(shownText(shown->json).c_str(), stdout);
  const bool written = std::fflush(stdout) == 0;
  for (const std::string &line : shown->damaged)
    say(line, 1);
  return written && shown->damaged.empty() ? 0 : 1;
}

} // namespace graphc::graphrun
