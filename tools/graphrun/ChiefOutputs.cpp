#include "tools/graphrun/ChiefOutputs.h"

#include "runtime/common/base/ProcessLog.h"
#include "runtime/session/results/FetchPrinter.h"
#include "runtime/session/results/PlanArguments.h"

#include "absl/strings/str_cat.h"

namespace graphc::graphrun {
namespace {
uint32_t phaseOf(const plan::Plan &plan, const std::string &entry) {
  const plan::Role role = session::roleOf(entry);
  for (int i = 0; i < plan.phases_size(); ++i)
    if (plan.phases(i).role() == role)
      return static_cast<uint32_t>(i);
  return 0; // MasterDriver::validate has refused it
}
} // namespace

ChiefOutputs::ChiefOutputs(const plan::Plan &plan, const RunFlags &flags,
                           session::DriverOptions &driver, Sinks sinks)
    : printed_(flags.fetches.begin(), flags.fetches.end()), sinks_(std::move(sinks)) {
  const uint32_t phase = phaseOf(plan, flags.entry);
  fetched_ = std::make_unique<session::FetchCollector>(
      plan, driver.fetches, [this](const session::FetchedTensor &value) { deliver(value); });
  if (!flags.fetchFiles.empty()) {
    files_ = std::make_unique<session::FetchFiles>(plan, phase, flags.fetchFiles, sinks_.log);
    fetched_->join(phase, files_->byRows());
    driver.reports.observers.push_back(files_.get());
  }
  if (!flags.historyFile.empty() || !flags.summaryFolder.empty()) {
    records_ = std::make_unique<session::RecordFiles>(
        plan, session::RecordFiles::Options{flags.historyFile, flags.summaryFolder, sinks_.log});
    driver.reports.observers.push_back(records_.get());
  }
  if (!flags.logFile.empty())
    driver.reports.observers.push_back(&logged_);
}

absl::Status ChiefOutputs::add(const service::Fetched &value) {
  if (absl::Status status = fetched_->add(value); !status.ok())
    return status;
  base::MutexLock lock(mutex_);
  return failed_;
}

void ChiefOutputs::deliver(const session::FetchedTensor &value) {
  if (printed_.contains(value.name))
    sinks_.print(session::formatFetched(value));
  if (!files_)
    return;
  if (absl::Status status = files_->take(value); !status.ok()) {
    base::MutexLock lock(mutex_);
    failed_.Update(status);
  }
}

void ChiefOutputs::LogRecords::record(const observe::StepRecord &record) {
  base::logFields(spdlog::level::debug, absl::StrCat(record.phase, " step ", record.step),
                  absl::StrCat("\"record\":", observe::toJson(record)));
}

} // namespace graphc::graphrun
