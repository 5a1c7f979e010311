#include "runtime/checkpoint/WarmStart.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <set>
#include <sys/stat.h>

namespace graphc::checkpoint {
namespace {
constexpr size_t kMostNames = 20;

bool isDirectory(const std::string &path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool isRegularFile(const std::string &path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

std::string whereOf(const plan::Plan &plan, const plan::Variable &variable) {
  const std::string &at = plan::locationText(plan, variable.location());
  return at.empty() ? "" : absl::StrCat(" of ", at);
}

/// Steps and slots are this training's own.
bool isTaken(const plan::Variable &variable) {
  return !variable.global_step() && (variable.slot_of().empty() || variable.is_average());
}

bool sameShape(const plan::TensorType &a, const plan::TensorType &b) {
  return std::equal(a.shape().begin(), a.shape().end(), b.shape().begin(), b.shape().end());
}

/// How to make of an array one of these elements.
const char *remedyFor(plan::DataType type, bool isNumpy) {
  if (isNumpy && type == plan::BF16)
    return "NumPy has no bf16, give it in a FILE.safetensors";
  return isNumpy ? "save array.astype(…)" : "save tensor.to(…)";
}
} // namespace

std::string listed(const std::vector<std::string> &names, size_t most) {
  const size_t shown = std::min(most, names.size());
  return absl::StrCat(absl::StrJoin(names.begin(), names.begin() + long(shown), ", "),
                      shown < names.size() ? absl::StrCat(" and ", names.size() - shown, " more")
                                           : "");
}

absl::Status checkInitialized(const plan::Plan &plan) {
  std::vector<std::string> without;
  std::set<std::string> seen; // of a variable in parts the name is the whole's
  for (const plan::Variable &variable : plan.variables())
    if (variable.initializer().has_uninitialized() && seen.insert(plan::modelName(variable)).second)
      without.push_back(absl::StrCat(plan::modelName(variable), whereOf(plan, variable)));
  if (without.empty())
    return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      without.size() == 1 ? "a variable has" : absl::StrCat(without.size(), " variables have"),
      " no values to begin with (#graph.uninitialized): ", listed(without, kMostNames),
      "; a run takes them with --init_from FILE.npz, FILE.safetensors or a checkpoint, or from "
      "--checkpoint_dir DIR with a checkpoint"));
}

absl::StatusOr<WarmStartSource> WarmStartSource::find(const std::string &from,
                                                      std::vector<std::string> &warnings) {
  if (isRegularFile(from) || (ValuesFile::isNamedSo(from) && !isDirectory(from))) {
    GRAPHC_ASSIGN_OR_RETURN(ValuesFile file, ValuesFile::open(from));
    return WarmStartSource(std::move(file));
  }
  GRAPHC_ASSIGN_OR_RETURN(std::optional<CommittedCheckpoint> found, findNewest(from, warnings));
  if (!found)
    return absl::NotFoundError("there is no checkpoint that is whole");
  return WarmStartSource(*std::move(found));
}

absl::StatusOr<WarmStartSource> WarmStartSource::openCheckpoint(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(CommittedCheckpoint found, readCheckpoint(path));
  return WarmStartSource(std::move(found));
}

absl::StatusOr<WarmStartSource> WarmStartSource::openFile(const std::string &path, uint64_t bytes,
                                                          uint32_t crc32c) {
  absl::StatusOr<ValuesFile> file = ValuesFile::open(path);
  if (absl::IsNotFound(file.status()))
    return absl::NotFoundError(absl::StrCat(file.status().message(),
                                            "; each task that has variables reads the file of "
                                            "--init_from itself: put it there on its machine too"));
  GRAPHC_RETURN_IF_ERROR(file.status());
  GRAPHC_ASSIGN_OR_RETURN(const uint32_t crc, file->crc32c());
  if (file->bytes() != bytes || crc != crc32c)
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s is another file than the chief's: %d bytes of CRC-32C %08x here, %d of %08x there; put the same "
        "one there on every machine",
        path, file->bytes(), crc, bytes, crc32c));
  return WarmStartSource(*std::move(file));
}

const std::string &WarmStartSource::path() const {
  return file() ? file()->path() : std::get<CommittedCheckpoint>(of_).path;
}

std::string WarmStartSource::describe() const {
  return file() ? path() : absl::StrCat("checkpoint ", path());
}

absl::StatusOr<WarmStart> WarmStartSource::beginnings(const plan::Plan &plan) const {
  std::map<std::string, plan::TensorType, std::less<>> there;
  if (const CommittedCheckpoint *found = std::get_if<CommittedCheckpoint>(&of_))
    for (const auto &[name, pieces] : found->manifest.pieces())
      there.emplace(name, pieces.front().info->modelType());
  WarmStart made;
  std::vector<std::string> missing; // with no values of their own
  std::map<std::string, std::string> refused; // of the file's, and why
  std::set<std::string> seen; // of a variable in parts the name is the whole's
  for (const plan::Variable &variable : plan.variables()) {
    const std::string &name = plan::modelName(variable);
    if (!isTaken(variable) || !seen.insert(name).second)
      continue;
    const auto have = [&](const std::string &source) {
      return file() ? file()->has(source) : there.find(source) != there.end();
    };
    const std::string &source = !have(name) && variable.is_average() ? variable.slot_of() : name;
    const plan::TensorType &type = plan::modelType(variable);
    std::string why = "not there";
    if (have(source)) {
      absl::StatusOr<plan::TensorType> found =
          file() ? file()->typeOf(source) : there.find(source)->second;
      if (!found.ok()) {
        refused.emplace(source, found.status().message());
        continue;
      }
      if (plan::sameType(*found, type)) {
        made.sources.emplace(name, source);
        continue;
      }
      why = absl::StrCat(plan::typeText(*found), " there, ", plan::typeText(type), " in the plan");
      if (file() && sameShape(*found, type)) { // no other layer, but the same one in other elements
        refused.emplace(source, absl::StrCat(source, " is ", why, "; ",
                                             remedyFor(type.dtype(), path().ends_with(".npz"))));
        continue;
      }
    }
    made.others.push_back(absl::StrCat(name, " (", why, ")"));
    if (variable.initializer().has_uninitialized())
      missing.push_back(absl::StrCat(name, whereOf(plan, variable), " (", why, ")"));
  }
  if (!refused.empty()) {
    std::vector<std::string> reasons;
    for (const auto &[name, why] : refused)
      reasons.push_back(why);
    return absl::FailedPreconditionError(absl::StrCat(
        path(), " has variables of the model which it cannot give: ", listed(reasons, 5)));
  }
  if (made.sources.empty())
    return absl::FailedPreconditionError(
        absl::StrCat(describe(), " has no variable of the model by name and type; it has ",
                     names().empty() ? "none" : base::foreignText(listed(names(), kMostNames)),
                     ", the model ", listed(made.others, kMostNames)));
  if (!missing.empty())
    return absl::FailedPreconditionError(
        absl::StrCat(describe(), " lacks the values of ",
                     missing.size() == 1 ? "a variable that has"
                                         : absl::StrCat(missing.size(), " variables that have"),
                     " none of ", missing.size() == 1 ? "its" : "their",
                     " own (#graph.uninitialized): ", listed(missing, kMostNames)));
  return made;
}

absl::Status WarmStartSource::check(const WarmStart &beginnings, const plan::Plan &plan) const {
  if (!file())
    return absl::OkStatus();
  std::set<std::string> seen; // parts and averages have the source of another one
  for (const plan::Variable &variable : plan.variables())
    if (const auto source = beginnings.sources.find(plan::modelName(variable));
        source != beginnings.sources.end() && seen.insert(source->second).second)
      GRAPHC_RETURN_IF_ERROR(file()->read({source->second, plan::modelType(variable)}));
  return absl::OkStatus();
}

absl::Status WarmStartSource::restore(const std::vector<RestoreTarget> &targets) const {
  if (!file())
    return restoreVariables(std::get<CommittedCheckpoint>(of_), targets);
  for (const RestoreTarget &target : targets)
    GRAPHC_RETURN_IF_ERROR(file()->read(target));
  return absl::OkStatus();
}

std::vector<std::string> WarmStartSource::names() const {
  if (file())
    return file()->names();
  std::vector<std::string> names;
  for (const auto &[name, pieces] : std::get<CommittedCheckpoint>(of_).manifest.pieces())
    names.push_back(name);
  return names;
}

} // namespace graphc::checkpoint
