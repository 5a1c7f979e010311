#include "runtime/session/master/RequestValidator.h"

#include "runtime/checkpoint/NpyFormat.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/session/results/PlanArguments.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <map>
#include <set>

namespace graphc::session {
namespace {
std::string hintOfEntries(const plan::Plan &plan) {
  std::vector<std::string> entries;
  for (const plan::Phase &phase : plan.phases())
    entries.push_back(phase.role() == plan::TRAIN  ? "train"
                      : phase.role() == plan::EVAL ? "eval"
                                                   : "predict");
  return absl::StrJoin(entries, ", ");
}

std::vector<std::string> evaluationMetrics(const plan::Plan &plan) {
  std::set<std::string> names; // several tasks may give parts of one
  for (const plan::Phase &phase : plan.phases())
    for (uint32_t index : phase.programs())
      for (const plan::Metric &metric : plan.programs(static_cast<int>(index)).metrics())
        if (phase.role() == plan::EVAL)
          names.insert(metric.name());
  return {names.begin(), names.end()};
}

absl::Status checkMetric(const plan::Plan &plan, const std::string &flag,
                         const std::string &metric) {
  const std::vector<std::string> names = evaluationMetrics(plan);
  if (std::find(names.begin(), names.end(), metric) != names.end())
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      flag, ": the evaluation has no metric of this name", base::didYouMean(metric, names),
      names.empty() ? "" : "; its metrics are ", absl::StrJoin(names, ", ")));
}
} // namespace

absl::StatusOr<uint32_t> checkEntry(const plan::Plan &plan, const std::string &entry, bool epochs) {
  for (int i = plan.phases_size() - 1; i >= 0; --i) {
    const plan::Phase &phase = plan.phases(i);
    if (phase.role() != roleOf(entry))
      continue;
    if (epochs && phase.samples_per_step() == 0)
      return absl::InvalidArgumentError(absl::StrCat(
          "--epochs: ", phase.name(), " reads no data set, so it has no epochs; use --steps"));
    return static_cast<uint32_t>(i);
  }
  return absl::InvalidArgumentError(absl::StrCat("--entry ", entry, ": the plan of ", plan.model(),
                                                 " has no such function; it has ",
                                                 hintOfEntries(plan)));
}

absl::Status checkExport(const plan::Plan &plan) {
  if (std::any_of(plan.phases().begin(), plan.phases().end(),
                  [](auto &one) { return one.role() == plan::PREDICT; }))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--export_dir: the plan of ", plan.model(),
                                                 " has no function of role predict; it has ",
                                                 hintOfEntries(plan)));
}

absl::Status checkEarlyStop(const plan::Plan &plan, const EarlyStop &stop) {
  return checkMetric(plan, absl::StrCat("--early_stop ", stop.metric()), stop.metric());
}

absl::StatusOr<std::optional<EarlyStop>> watchedMetric(const plan::Plan &plan,
                                                       const std::optional<EarlyStop> &stop,
                                                       const std::optional<BestExport> &best) {
  if (stop)
    GRAPHC_RETURN_IF_ERROR(checkEarlyStop(plan, *stop));
  if (!best)
    return stop;
  if (!plan::phaseOf(plan, plan::EVAL))
    return absl::InvalidArgumentError(
        absl::StrCat("--export best: the plan of ", plan.model(),
                     " has no function of role eval, which --export best needs to compare "
                     "checkpoints; its entries are ",
                     hintOfEntries(plan)));
  if (stop && ((!best->metric.empty() && best->metric != stop->metric()) ||
               (!best->better.empty() && best->better != stop->better())))
    return absl::InvalidArgumentError(
        absl::StrCat("--export best:", best->metric, best->better.empty() ? "" : ":", best->better,
                     ": --early_stop compares evaluations by ", stop->metric(), ":", stop->better(),
                     "; a run keeps one best checkpoint, so give both flags the same metric and "
                     "direction"));
  if (stop)
    return stop;
  const std::vector<std::string> names = evaluationMetrics(plan);
  if (best->metric.empty() && names.size() != 1)
    return absl::InvalidArgumentError(
        names.empty()
            ? absl::StrCat("--export best: the evaluation of ", plan.model(),
                           " has no metric to compare checkpoints by; add a graph.metric")
            : absl::StrCat("--export best: the evaluation has several metrics; choose one with "
                           "--export best:METRIC: ",
                           absl::StrJoin(names, ", ")));
  const std::string metric = best->metric.empty() ? names.front() : best->metric;
  const std::string flag =
      absl::StrCat("--export best", best->metric.empty() ? "" : ":", best->metric);
  GRAPHC_RETURN_IF_ERROR(checkMetric(plan, flag, metric));
  return EarlyStop::watch(flag, metric, best->better);
}

absl::Status checkDump(const plan::Plan &plan) {
  std::map<std::string, std::string> files;
  for (const plan::Variable &variable : plan.variables()) {
    const std::string &name = plan::modelName(variable);
    auto [other, isNew] = files.try_emplace(checkpoint::npyFileName(name), name);
    if (!isNew && other->second != name) // parts of one variable share a file
      return absl::InvalidArgumentError(
          absl::StrCat("--dump_variables: @\"", other->second, "\" and @\"", name,
                       "\" would both be ", other->first, "; rename one of them in the model"));
  }
  return absl::OkStatus();
}

absl::Status checkFetches(const plan::Plan &plan, const plan::Phase &phase,
                          const std::vector<std::string> &fetches) {
  const std::vector<std::string> names = resultsOf(plan, phase);
  for (const std::string &fetch : fetches)
    if (std::find(names.begin(), names.end(), fetch) == names.end())
      return absl::InvalidArgumentError(
          absl::StrCat("--fetch ", fetch, ": ", phase.name(), " has no such result",
                       base::didYouMean(fetch, names), names.empty() ? "" : "; it has ",
                       absl::StrJoin(names, ", ")));
  return absl::OkStatus();
}

} // namespace graphc::session
