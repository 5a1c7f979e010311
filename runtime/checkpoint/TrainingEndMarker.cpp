#include "runtime/checkpoint/TrainingEndMarker.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/Json.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <cerrno>
#include <cmath>
#include <unistd.h>

namespace graphc::checkpoint {
namespace {
constexpr uint64_t kMostBytes = 4096;
std::string finishedPath(const std::string &dir) { return absl::StrCat(dir, "/finished.json"); }
} // namespace

bool TrainingEndMarker::reaches(const TrainingGoal &wanted) const {
  if (wanted.steps)
    return step >= *wanted.steps || (goal.steps && *goal.steps >= *wanted.steps);
  return !wanted.epochs || (goal.epochs && *goal.epochs >= *wanted.epochs);
}

std::string encodeFinished(const TrainingEndMarker &finished) {
  std::string text = absl::StrCat("{\"step\": ", finished.step);
  if (finished.goal.steps)
    absl::StrAppend(&text, ", \"steps\": ", *finished.goal.steps);
  if (finished.goal.epochs)
    absl::StrAppend(&text, ", \"epochs\": ", absl::StrFormat("%.17g", *finished.goal.epochs));
  return text + "}\n";
}

absl::StatusOr<TrainingEndMarker> decodeFinished(std::string_view text, std::string_view name) {
  using Kind = base::JsonValue::Kind;
  const auto bad = [&](const std::string &what) {
    return absl::DataLossError(
        absl::StrCat(base::view(name), ": ", what, "; expected {\"step\": N, \"epochs\": E}"));
  };
  absl::StatusOr<base::JsonValue> json = base::parseJson(text, std::string(name));
  if (!json.ok())
    return absl::DataLossError(json.status().message());
  if (!json->is(Kind::Object))
    return bad("no JSON object");
  TrainingEndMarker finished;
  const auto *step = json->find("step"), *steps = json->find("steps"),
             *epochs = json->find("epochs");
  if (!step || !step->is(Kind::Integer) || step->integer < 0)
    return bad("it does not say at which step training ended");
  finished.step = static_cast<uint64_t>(step->integer);
  if (steps && (!steps->is(Kind::Integer) || steps->integer < 0))
    return bad("\"steps\" is no number of steps");
  if (steps)
    finished.goal.steps = static_cast<uint64_t>(steps->integer);
  if (epochs && ((!epochs->is(Kind::Integer) && !epochs->is(Kind::Float)) ||
                 !std::isfinite(epochs->number) || epochs->number < 0))
    return bad("\"epochs\" is no number of epochs");
  if (epochs)
    finished.goal.epochs = epochs->number + 0.0; // never -0, which is written as another number
  return finished;
}

absl::StatusOr<std::optional<TrainingEndMarker>> readFinished(const std::string &dir) {
  const std::string path = finishedPath(dir);
  absl::StatusOr<std::string> text = base::readFile(path, kMostBytes);
  if (absl::IsNotFound(text.status()))
    return std::nullopt;
  GRAPHC_RETURN_IF_ERROR(text.status());
  GRAPHC_ASSIGN_OR_RETURN(TrainingEndMarker finished, decodeFinished(*text, path));
  return finished;
}

absl::Status writeFinished(const std::string &dir, const TrainingEndMarker &finished) {
  return base::writeFileAtomic(finishedPath(dir), encodeFinished(finished));
}

absl::Status removeFinished(const std::string &dir) {
  const std::string path = finishedPath(dir);
  if (unlink(path.c_str()) != 0 && errno != ENOENT)
    return base::errnoStatus(path, errno);
  return absl::OkStatus();
}

} // namespace graphc::checkpoint
