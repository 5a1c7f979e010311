#include "runtime/session/peers/AnswerConsistency.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

#include <optional>

namespace graphc::session {

absl::Status openDatasets(const plan::Plan &plan, const plan::Task &task,
                          std::span<const uint32_t> phases, data::DatasetCache &datasets,
                          service::Done &done) {
  for (uint32_t phase : phases) {
    if (plan.phases(int(phase)).samples_per_step() == 0 || !data::readsData(plan, phase, task))
      continue;
    for (const data::SampleStream &stream : data::streamsOf(plan, phase)) {
      GRAPHC_ASSIGN_OR_RETURN(auto opened, datasets.open(stream.dataset));
      GRAPHC_RETURN_IF_ERROR(data::checkLabels(plan, phase, stream.dataset, *opened));
      service::DatasetSize &size = *done.add_datasets();
      size.set_dataset(stream.dataset);
      size.set_samples(opened->samples());
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<DatasetSizes> compareDatasets(const plan::Plan &plan,
                                             const std::vector<service::Done> &connected) {
  std::vector<plan::Task> tasks = plan::allTasks(plan);
  DatasetSizes sizes;
  std::map<uint32_t, size_t> first; // by data set: the task that told its size first
  for (size_t i = 0; i < connected.size(); ++i)
    for (const service::DatasetSize &size : connected[i].datasets()) {
      auto [other, isNew] = first.try_emplace(size.dataset(), i);
      uint64_t samples = sizes.try_emplace(size.dataset(), size.samples()).first->second;
      if (samples != size.samples())
        return absl::FailedPreconditionError(absl::StrCat(
            "data set ", plan.datasets(static_cast<int>(size.dataset())).name(), " has ", samples,
            " samples on ", plan::taskText(plan, tasks[other->second]), " and ", size.samples(),
            " on ", plan::taskText(plan, tasks[i]),
            "; all workers take turns in one stream, so give them the same files"));
    }
  return sizes;
}

absl::Status compareMirrors(const plan::Plan &plan, const std::vector<service::Done> &answers,
                            std::string_view when) {
  std::vector<plan::Task> tasks = plan::allTasks(plan);
  std::optional<size_t> first;
  for (size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i].has_mirrors_crc())
      continue;
    if (!first)
      first = i;
    else if (answers[i].mirrors_crc() != answers[*first].mirrors_crc())
      return absl::DataLossError(absl::StrCat(
          "the copies of the variables on ", plan::taskText(plan, tasks[*first]), " and ",
          plan::taskText(plan, tasks[i]), " differ ", absl::string_view(when.data(), when.size()),
          "; replicas that mirror variables have to stay equal: do all tasks run "
          "the same plan and graphrun on alike CPUs?"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::map<std::string, std::string>>
compareAlgorithms(const plan::Plan &plan, const std::vector<service::Done> &prepared,
                  bool cpusMayDiffer) {
  const std::vector<plan::Task> tasks = plan::allTasks(plan);
  std::map<std::string, std::string> algorithms;
  std::map<std::string, size_t> first; // by kernel: the task that told of it first
  for (size_t i = 0; i < prepared.size(); ++i)
    for (const service::Algorithm &one : prepared[i].algorithms()) {
      auto [other, isNew] = first.try_emplace(one.kernel(), i);
      const std::string &known = algorithms.try_emplace(one.kernel(), one.text()).first->second;
      const bool onCpus = executor::isOfCpu(known) && executor::isOfCpu(one.text());
      if (known == one.text() || (onCpus && cpusMayDiffer))
        continue;
      const std::string here = plan::taskText(plan, tasks[i]),
                        there = plan::taskText(plan, tasks[other->second]);
      return absl::FailedPreconditionError(absl::StrCat(
          here, " does not compute ", one.kernel(), " as ", there, " does: ", here, " by ",
          one.text(), "; ", there, " by ", known,
          "; the bits would depend on who computes: give all tasks ",
          onCpus ? "alike CPUs and the same oneDNN, or run it with --new_algorithms"
                 : "the same GPUs and the same cuBLASLt, or compile with graphc --no_cublaslt"));
    }
  return algorithms;
}

std::string goOnBy(const std::map<std::string, std::string> &before,
                   std::map<std::string, std::string> &algorithms,
                   service::Order::Initialize &order) {
  std::string unlike; // the first of them
  int count = 0;
  for (auto &[kernel, text] : algorithms) {
    auto known = before.find(kernel);
    if (known == before.end() || executor::isOfCpu(known->second) != executor::isOfCpu(text))
      continue;
    if (!executor::isOfCpu(text)) {
      service::Algorithm &one = *order.add_algorithms();
      one.set_kernel(kernel);
      one.set_text(text = known->second);
    } else if (known->second != text && ++count == 1) {
      unlike = absl::StrCat(kernel, " by ", text, ", before by ", known->second);
    }
  }
  if (count == 0)
    return "";
  return absl::StrCat("warning: CPUs compute ", count,
                      " kernels in other ways than before the checkpoint (", unlike,
                      "): the bits may differ from those of a run without a stop");
}

absl::Status takeAlgorithms(const plan::Plan &plan, const service::Order::Initialize &order,
                            executor::LoadedKernels &library) {
  executor::KernelAlgorithms told;
  for (const service::Algorithm &one : order.algorithms())
    told[one.kernel()] = one.text();
  return base::annotate(
      library.take(plan, told),
      absl::StrCat(
          "the products of ", order.restore_from(),
          " cannot be made here as they were (--new_algorithms goes on with other bits; or use "
          "the GPU and the cuBLASLt of before)"));
}

} // namespace graphc::session
