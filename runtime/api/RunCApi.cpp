// graphc.h: the run.
#include "graphc.h"
#include "runtime/api/Run.h"
#include "runtime/common/base/StatusMacros.h"

#include <algorithm>
#include <cstring>

struct graphc_run_result {
  std::string error;
  graphc::session::RunResult result;
};

namespace graphc::session {
namespace {

std::string textOr(const char *given, const char *otherwise) { return given ? given : otherwise; }

RunOptions readRunOptions(const graphc_run_options *given) {
  graphc_run_options options{};
  if (given) // an older program's are shorter
    std::memcpy(&options, given, std::min(given->size, sizeof(options)));
  RunOptions result;
  result.entry = textOr(options.entry, "train");
  if (options.epochs > 0)
    result.epochs = options.epochs;
  if (options.steps)
    result.steps = options.steps;
  result.data.dataDir = textOr(options.data_directory, "");
  result.checkpointDirectory = textOr(options.checkpoint_directory, "");
  result.dumpDirectory = textOr(options.dump_directory, "");
  result.intraOpThreads = options.intra_op_threads;
  for (size_t i = 0; i < options.feed_count; ++i)
    result.feeds[options.feeds[i].name].assign(static_cast<const char *>(options.feeds[i].data),
                                               options.feeds[i].bytes);
  for (size_t i = 0; i < options.fetch_count; ++i)
    result.fetches.emplace_back(options.fetches[i]);
  if (options.log)
    result.log = [options](const std::string &line) { options.log(options.context, line.c_str()); };
  if (options.stop)
    result.stop = [options] { return options.stop(options.context) != 0; };
  return result;
}

absl::StatusOr<RunResult> runBytes(std::string_view bytes, const graphc_run_options *options) {
  GRAPHC_ASSIGN_OR_RETURN(plan::LoadedPlan loaded, plan::decodePlan(bytes, "the plan"));
  return run(loaded, readRunOptions(options));
}

} // namespace
} // namespace graphc::session

graphc_run_result *graphc_run(const void *plan, size_t bytes, const graphc_run_options *options) {
  auto *result = new graphc_run_result;
  auto ran = graphc::session::runBytes({static_cast<const char *>(plan), bytes}, options);
  if (ran.ok())
    result->result = *std::move(ran);
  else
    result->error = graphc::base::describe(ran.status());
  return result;
}

const char *graphc_run_error(const graphc_run_result *result) {
  return result->error.empty() ? nullptr : result->error.c_str();
}

uint64_t graphc_run_steps(const graphc_run_result *result) { return result->result.steps; }

int graphc_run_loss(const graphc_run_result *result, double *value) {
  if (!result->result.loss)
    return 0;
  *value = *result->result.loss;
  return 1;
}

int graphc_run_metric(const graphc_run_result *result, const char *name, double *value) {
  auto found = result->result.metrics.find(name);
  if (found == result->result.metrics.end())
    return 0;
  *value = found->second;
  return 1;
}

size_t graphc_fetched_count(const graphc_run_result *result) {
  return result->result.fetches.size();
}

graphc_fetched graphc_get_fetched(const graphc_run_result *result, size_t index) {
  const graphc::session::FetchedTensor &value = result->result.fetches[index];
  return {value.name.c_str(),
          value.step,
          static_cast<uint32_t>(value.type.dtype()),
          static_cast<size_t>(value.type.shape_size()),
          value.type.shape().data(),
          value.data.data(),
          value.data.size()};
}

void graphc_free_run_result(graphc_run_result *result) { delete result; }
