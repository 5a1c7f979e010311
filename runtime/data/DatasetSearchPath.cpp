#include "runtime/data/DatasetSearchPath.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

#include <algorithm>
#include <filesystem>

namespace graphc::data {
namespace {

namespace fs = std::filesystem;

bool isFile(const fs::path &path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// The file in `folder` under its name or its other spelling, or "".
std::string findIn(const std::string &folder, const std::string &name) {
  std::string other =
      absl::EndsWith(name, ".gz") ? std::string(absl::StripSuffix(name, ".gz")) : name + ".gz";
  for (const std::string &spelling : {name, other}) {
    fs::path path = fs::path(folder) / spelling;
    if (isFile(path))
      return path.string();
  }
  return "";
}

/// Every hit in the system folder itself and in the folders directly below it.
std::vector<std::string> findInSystemFolder(const std::string &folder, const std::string &name) {
  if (std::string path = findIn(folder, name); !path.empty())
    return {path};
  std::vector<std::string> hits;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error))
    if (std::string path = findIn(i->path().string(), name); !path.empty())
      hits.push_back(path);
  std::sort(hits.begin(), hits.end());
  return hits;
}

} // namespace

absl::StatusOr<std::string> findDataFile(const std::string &name, const DatasetSearchPath &search) {
  if (name.empty() || name.find('\0') != std::string::npos)
    return absl::InvalidArgumentError("the plan names a data file with an empty or malformed name");
  if (fs::path(name).is_absolute()) {
    if (isFile(name))
      return name;
    return absl::NotFoundError(absl::StrCat("data file ", name, " not found"));
  }
  std::vector<std::string> looked;
  if (!search.dataDir.empty()) {
    if (std::string path = findIn(search.dataDir, name); !path.empty())
      return path;
    std::error_code error;
    bool exists = fs::is_directory(search.dataDir, error);
    return absl::NotFoundError(
        absl::StrCat("data file ", name, " not found; looked in ", search.dataDir,
                     exists ? " (--data_dir)" : " (--data_dir, which is no folder)",
                     "; put it there or name another folder with --data_dir"));
  }
  std::string planDir = search.planDir.empty() ? "." : search.planDir;
  if (std::string path = findIn(planDir, name); !path.empty())
    return path;
  looked.push_back(planDir == "." ? "the current folder"
                                  : absl::StrCat(planDir, " (beside the plan)"));
  for (const std::string &folder : search.systemDirs) {
    std::vector<std::string> hits = findInSystemFolder(folder, name);
    if (hits.size() == 1)
      return hits.front();
    if (hits.size() > 1)
      return absl::FailedPreconditionError(absl::StrCat(
          "data file ", name, " exists in several data sets: ", absl::StrJoin(hits, ", "),
          "; choose one with --data_dir"));
    looked.push_back(absl::StrCat(folder, "/*"));
  }
  return absl::NotFoundError(
      absl::StrCat("data file ", name, " not found; looked in ", absl::StrJoin(looked, ", "),
                   "; name its folder with --data_dir, or, of a known data set, install that "
                   "(Fashion-MNIST is the package dataset-fashion-mnist)"));
}

} // namespace graphc::data
