#include "runtime/session/progress/ResultRemarks.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::session {

std::string remarkOverlap(const plan::Plan &plan, uint32_t phase, const DatasetSizes &sizes,
                          uint64_t samples, uint64_t steps) {
  const plan::Phase &one = plan.phases(static_cast<int>(phase));
  StreamPositions streams(plan, phase, sizes);
  streams.advance(steps);
  const uint64_t taken = streams.first();
  if (!samples || streams.padded() || taken <= samples)
    return "";
  return absl::StrCat(
      one.name(), ": ", taken - samples, " of the ", samples, " samples of data set ",
      plan.datasets(static_cast<int>(one.dataset())).name(), " are taken twice, since steps of ",
      one.samples_per_step(),
      " do not divide it; next_batch with pad_last and its mask in graph.metric take each once");
}

std::string remarkUntrained(const plan::Plan &plan, const std::string &entry) {
  const bool trains = std::any_of(plan.variables().begin(), plan.variables().end(),
                                  [](const plan::Variable &one) { return one.trainable(); });
  return trains
             ? absl::StrCat(
                   "--entry ", entry,
                   " without --checkpoint_dir or --init_from: every variable has its initial value, so the model is untrained")
             : "";
}

} // namespace graphc::session
