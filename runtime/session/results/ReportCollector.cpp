#include "runtime/session/results/ReportCollector.h"

#include "runtime/common/plan/PlanTypes.h"
#include "runtime/service/ResultBacklog.h"
#include "runtime/session/results/FetchCollector.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <bit>

namespace graphc::session {
namespace {
double elementOf(plan::DataType type, const void *data, uint64_t index) {
  switch (type) {
  case plan::F32:
    return loadElement<float>(data, index);
  case plan::F64:
    return loadElement<double>(data, index);
  case plan::BF16:
    return std::bit_cast<float>(uint32_t(loadElement<uint16_t>(data, index)) << 16);
  case plan::I32:
    return loadElement<int32_t>(data, index);
  case plan::I64:
    return static_cast<double>(loadElement<int64_t>(data, index));
  case plan::U32:
    return loadElement<uint32_t>(data, index);
  case plan::I8:
    return loadElement<int8_t>(data, index);
  case plan::I1:
  case plan::U8:
    return loadElement<uint8_t>(data, index);
  default:
    return 0;
  }
}

void addResult(observe::StepRecord &record, const std::string &name, const plan::TensorType &type,
               const std::string &data) {
  const uint64_t elements = plan::elementCount(type).value_or(0);
  if (elements == 1) {
    record.scalars.emplace_back(name, elementOf(type.dtype(), data.data(), 0));
    return;
  }
  observe::TensorHistogram &histogram =
      record.histograms.emplace_back(name, observe::TensorHistogram()).second;
  for (uint64_t i = 0; i < elements; ++i)
    histogram.add(elementOf(type.dtype(), data.data(), i));
}

/// Lanes of a phase that have something to report.
size_t lanesThatReport(const plan::Plan &plan, uint32_t phase) {
  size_t lanes = 0;
  for (uint32_t index : plan.phases(static_cast<int>(phase)).programs())
    if (const plan::Program &program = plan.programs(static_cast<int>(index));
        program.fetches_size() || program.metrics_size())
      lanes += program.instances();
  return lanes;
}
} // namespace

absl::Status ReportCollector::add(const service::Fetched &fetched) {
  const plan::Program &program = plan_.programs(static_cast<int>(fetched.program()));
  base::MutexLock lock(mutex_);
  if (plan_.phases(static_cast<int>(program.phase())).ends_by_end_of_stream()) {
    observe::StepRecord record =
        recordOf(fetched.step(), {{{fetched.program(), fetched.instance()}, fetched.report()}});
    record.task = plan::taskText(plan_, plan::instanceTask(plan_, program, fetched.instance()));
    deliver_(std::move(record), /*rest=*/false);
    return absl::OkStatus();
  }
  Reports &reports = pending_[fetched.step()];
  reports[{fetched.program(), fetched.instance()}] = fetched.report();
  waiting_ += service::bytesOf(fetched) + FetchCollector::kWaitingBytes;
  // Each lane reports its steps in order, so the first that waits is the first that is whole.
  if (reports.size() == lanesThatReport(plan_, program.phase())) {
    observe::StepRecord record = recordOf(fetched.step(), reports);
    for (const auto &[lane, report] : reports) {
      waiting_ -= FetchCollector::kWaitingBytes;
      for (const std::string &value : report.values())
        waiting_ -= value.size();
    }
    const bool rest = std::all_of(reports.begin(), reports.end(),
                                  [](const auto &one) { return one.second.rest(); });
    pending_.erase(fetched.step());
    deliver_(std::move(record), rest);
  }
  if (waiting_ > mostWaiting_ && pending_.size() > FetchCollector::kFewWaiting)
    return absl::ResourceExhaustedError(absl::StrCat("reports of ", pending_.size(), " steps, ",
                                                     waiting_,
                                                     " bytes, wait for those of other replicas"));
  return absl::OkStatus();
}

/// Lanes of one program follow each other in the map, replica by replica.
observe::StepRecord ReportCollector::recordOf(uint64_t step, const Reports &reports) const {
  observe::StepRecord record;
  record.phase = "train";
  record.step = step + 1;
  struct Mean {
    double sum = 0;
    int64_t count = 0;
  };
  std::map<std::string, Mean> metrics;
  for (auto first = reports.begin(); first != reports.end();) {
    const uint32_t index = first->first.first;
    const plan::Program &program = plan_.programs(static_cast<int>(index));
    const auto end = reports.upper_bound({index, UINT32_MAX});
    for (int i = 0; i < program.fetches_size(); ++i) {
      const plan::Port &port = program.fetches(i);
      std::vector<std::string> values;
      for (auto one = first; one != end; ++one)
        values.push_back(one->second.values(i));
      addResult(record, port.name(), program.buffers(static_cast<int>(port.buffer())).type(),
                reduceOverReplicas(port, program, values));
    }
    for (; first != end; ++first)
      for (int i = 0; i < program.metrics_size(); ++i) {
        Mean &mean = metrics[program.metrics(i).name()];
        mean.sum += first->second.metrics(i).sum();
        mean.count += first->second.metrics(i).count();
      }
  }
  for (const auto &[name, mean] : metrics)
    if (mean.count)
      record.scalars.emplace_back(name, mean.sum / static_cast<double>(mean.count));
  return record;
}

} // namespace graphc::session
