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
#include <utility>

namespace graphc::checkpoint {
namespace {
using Kind = base::JsonValue::Kind;
constexpr uint64_t kMostOfEvaluations = uint64_t{64} << 20;
std::string pathIn(const std::string &dir) { return absl::StrCat(dir, "/evaluations.json"); }

/// Null where it is not an array of two.
const base::JsonValue *elementOf(const base::JsonValue &pair, size_t index) {
  return pair.is(Kind::Array) && pair.elements.size() == 2 ? &pair.elements[index] : nullptr;
}
} // namespace

bool EvaluationHistory::removeAfter(uint64_t step) {
  return std::erase_if(made, [step](const EvaluationRecord &one) { return one.step > step; }) > 0;
}

std::string encodeEvaluations(const EvaluationHistory &evaluations) {
  std::string text = "{\"evaluations\": [";
  for (size_t i = 0; i < evaluations.made.size(); ++i) {
    const EvaluationRecord &one = evaluations.made[i];
    absl::StrAppend(&text, i ? ", " : "", "{\"step\": ", one.step, ", \"metrics\": {");
    const char *between = "";
    for (const auto &[name, value] : one.metrics)
      absl::StrAppend(&text, std::exchange(between, ", "), base::quoteJson(name), ": ",
                      std::isfinite(value) ? absl::StrFormat("%.17g", value) : "null");
    absl::StrAppend(&text, "}}");
  }
  return text + "]}\n";
}

absl::StatusOr<EvaluationHistory> decodeEvaluations(std::string_view text, std::string_view name) {
  const auto bad = [&](const std::string &what) {
    return absl::DataLossError(
        absl::StrCat(base::view(name), ": ", what,
                     "; expected {\"evaluations\": [{\"step\": STEP, \"metrics\": {NAME: VALUE, "
                     "…}}, …]}"));
  };
  absl::StatusOr<base::JsonValue> json =
      base::parseJson(text, std::string(name), {.bytes = kMostOfEvaluations, .values = 1u << 24});
  if (!json.ok())
    return absl::DataLossError(json.status().message());
  if (!json->is(Kind::Object))
    return bad("not a JSON object");
  const auto *metric = json->find("metric"), *made = json->find("evaluations");
  if (!made || !made->is(Kind::Array) || (metric && !metric->is(Kind::String)))
    return bad("\"evaluations\" is missing or not an array");
  EvaluationHistory evaluations;
  for (const base::JsonValue &each : made->elements) {
    const base::JsonValue *step = metric ? elementOf(each, 0) : each.find("step");
    const base::JsonValue *metrics = metric ? elementOf(each, 1) : each.find("metrics");
    if (!step || !step->is(Kind::Integer) || step->integer < 0 || !metrics ||
        (!metric && !metrics->is(Kind::Object)))
      return bad("an evaluation has no step or no metrics");
    EvaluationRecord record{static_cast<uint64_t>(step->integer), {}};
    bool areNumbers = true;
    const auto add = [&](const std::string &of, const base::JsonValue &value) {
      areNumbers &= value.is(Kind::Null) || value.is(Kind::Integer) || value.is(Kind::Float);
      record.metrics[of] = value.is(Kind::Null) ? std::nan("") : value.number;
    };
    if (metric)
      add(metric->string, *metrics);
    for (const base::JsonMember &one : metrics->members)
      add(one.key, one.value);
    if (!areNumbers)
      return bad(
          absl::StrCat("a metric of the evaluation at step ", record.step, " is not a number"));
    if (!evaluations.made.empty() && evaluations.made.back().step >= record.step)
      return bad(absl::StrCat("steps are not in ascending order at step ", record.step));
    evaluations.made.push_back(std::move(record));
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
