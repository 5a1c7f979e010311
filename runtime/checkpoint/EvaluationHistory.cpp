#include "runtime/checkpoint/EvaluationHistory.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/Json.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <unistd.h>

namespace graphc::checkpoint {
namespace {
constexpr uint64_t kMostOfEvaluations = uint64_t{64} << 20;
std::string pathIn(const std::string &dir) { return absl::StrCat(dir, "/evaluations.json"); }
} // namespace

bool EvaluationHistory::forgetBehind(uint64_t step) {
  return std::erase_if(made, [step](const EvaluationRecord &one) { return one.step > step; }) > 0;
}

std::string encodeEvaluations(const EvaluationHistory &evaluations) {
  std::string text =
      absl::StrCat("{\"metric\": ", base::quoteJson(evaluations.metric), ", \"evaluations\": [");
  for (size_t i = 0; i < evaluations.made.size(); ++i) {
    const EvaluationRecord &one = evaluations.made[i];
    absl::StrAppend(&text, i ? ", [" : "[", one.step, ", ",
                    std::isfinite(one.value) ? absl::StrFormat("%.17g", one.value) : "null", "]");
  }
  return text + "]}\n";
}

absl::StatusOr<EvaluationHistory> decodeEvaluations(std::string_view text, std::string_view name) {
  using Kind = base::JsonValue::Kind;
  const auto bad = [&](const std::string &what) {
    return absl::DataLossError(
        absl::StrCat(base::view(name), ": ", what,
                     "; expected {\"metric\": NAME, \"evaluations\": [[STEP, VALUE], …]}"));
  };
  absl::StatusOr<base::JsonValue> json = base::parseJson(text, std::string(name));
  if (!json.ok())
    return absl::DataLossError(json.status().message());
  if (!json->is(Kind::Object))
    return bad("no JSON object");
  const auto *metric = json->find("metric"), *made = json->find("evaluations");
  if (!metric || !metric->is(Kind::String) || !made || !made->is(Kind::Array))
    return bad("it does not say which evaluations of what there were");
  EvaluationHistory evaluations;
  evaluations.metric = metric->string;
  for (const base::JsonValue &pair : made->elements) {
    if (!pair.is(Kind::Array) || pair.elements.size() != 2 || !pair.elements[0].is(Kind::Integer) ||
        pair.elements[0].integer < 0)
      return bad("an evaluation is no pair of a step and a value");
    const base::JsonValue &value = pair.elements[1];
    const auto step = static_cast<uint64_t>(pair.elements[0].integer);
    if (!value.is(Kind::Null) && !value.is(Kind::Integer) && !value.is(Kind::Float))
      return bad(absl::StrCat("the evaluation at step ", step, " is no number"));
    if (!evaluations.made.empty() && evaluations.made.back().step >= step)
      return bad(absl::StrCat("the evaluation at step ", step, " stands behind a later one"));
    evaluations.made.push_back({step, value.is(Kind::Null) ? std::nan("") : value.number});
  }
  return evaluations;
}

absl::StatusOr<EvaluationHistory> readEvaluations(const std::string &dir) {
  const std::string path = pathIn(dir);
  absl::StatusOr<std::string> text = base::readFile(path, kMostOfEvaluations);
  if (absl::IsNotFound(text.status()))
    return EvaluationHistory();
  GRAPHC_RETURN_IF_ERROR(text.status());
  return decodeEvaluations(*text, path);
}

absl::Status writeEvaluations(const std::string &dir, const EvaluationHistory &evaluations) {
  const std::string path = pathIn(dir);
  if (!evaluations.made.empty())
    return base::writeFileAtomic(path, encodeEvaluations(evaluations));
  return unlink(path.c_str()) == 0 || errno == ENOENT ? absl::OkStatus()
                                                      : base::errnoStatus(path, errno);
}

} // namespace graphc::checkpoint
