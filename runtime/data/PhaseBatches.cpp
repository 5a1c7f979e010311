#include "runtime/data/PhaseBatches.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <set>

namespace graphc::data {

absl::StatusOr<std::shared_ptr<const LoadedDataset>> DatasetCache::open(uint32_t dataset) {
  std::shared_ptr<LoadedDataset> &slot = opened_[dataset];
  if (!slot) {
    GRAPHC_ASSIGN_OR_RETURN(
        slot, LoadedDataset::open(plan_.datasets(static_cast<int>(dataset)), search_));
  }
  return slot;
}

absl::StatusOr<std::shared_ptr<const LoadedDataset>> DatasetCache::openToTake(uint32_t dataset) {
  GRAPHC_RETURN_IF_ERROR(open(dataset).status());
  drawnBytesLeft_ -= opened_[dataset]->keepDrawn(drawnBytesLeft_);
  return opened_[dataset];
}

absl::StatusOr<std::unique_ptr<PhaseBatches>>
PhaseBatches::create(const plan::Plan &plan, uint32_t phase, const plan::Task &task,
                     DatasetCache &datasets, bool prefetch) {
  auto batches = std::make_unique<PhaseBatches>();
  const std::vector<SampleStream> streams = streamsOf(plan, phase);
  for (uint32_t programIndex : plan.phases(static_cast<int>(phase)).programs()) {
    const plan::Program &program = plan.programs(static_cast<int>(programIndex));
    for (uint32_t instance = 0; instance < program.instances(); ++instance) {
      if (!plan::sameTask(plan::instanceTask(plan, program, instance), task))
        continue;
      plan::LoopWalk loops;
      for (const plan::Instruction &instruction : program.instructions()) {
        const uint32_t times = loops.times(instruction);
        if (!instruction.has_next_batch())
          continue;
        const plan::Instruction::NextBatch &next = instruction.next_batch();
        GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const LoadedDataset> set,
                                prefetch ? datasets.openToTake(next.dataset())
                                         : datasets.open(next.dataset()));
        auto stream = std::find_if(streams.begin(), streams.end(), [&](const SampleStream &one) {
          return one.dataset == next.dataset();
        });
        BatchOptions options;
        options.batch = next.batch();
        options.offset = next.offset();
        options.stride = next.stride();
        options.replica = instance;
        options.replicas = program.instances();
        options.microBatch = next.micro_batch();
        options.microBatches = std::max(1u, next.micro_batches());
        options.perStep = times;
        options.padLast = next.pad_last();
        options.padded = stream->padded;
        options.training = plan.phases(static_cast<int>(phase)).role() == plan::TRAIN;
        options.classes.assign(next.classes().begin(), next.classes().end());
        options.prefetch = prefetch && !set->isReady();
        GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<BatchSource> source,
                                BatchSource::create(set, options));
        batches->sources_.push_back(
            {&next, instance, static_cast<size_t>(stream - streams.begin()), std::move(source)});
      }
    }
  }
  return batches;
}

absl::Status PhaseBatches::start(const std::vector<ConsumedRanges> &streams, uint64_t step) {
  for (Entry &entry : sources_)
    GRAPHC_RETURN_IF_ERROR(entry.source->start(
        entry.stream < streams.size() ? streams[entry.stream] : ConsumedRanges(), step));
  return absl::OkStatus();
}

void PhaseBatches::stop() {
  for (Entry &entry : sources_)
    entry.source->stop();
}

absl::Status PhaseBatches::next(uint32_t instance, const plan::Instruction::NextBatch &instruction,
                                std::span<void *const> buffers, uint8_t *valid) {
  for (Entry &entry : sources_) {
    if (entry.instruction != &instruction || entry.instance != instance)
      continue;
    if (buffers.size() != entry.source->dataset().components())
      return absl::InternalError(
          "next_batch with another number of buffers than its data set has components");
    GRAPHC_RETURN_IF_ERROR(entry.source->take(buffers.data(), valid));
    return entry.source->dataset().check();
  }
  return absl::InternalError(
      absl::StrCat("instance ", instance, " has no batch source for this instruction"));
}

absl::Status checkLabels(const plan::Plan &plan, uint32_t phase, uint32_t dataset,
                         const LoadedDataset &opened) {
  std::set<std::pair<int, uint64_t>> looked; // towers have the same
  for (uint32_t index : plan.phases(static_cast<int>(phase)).programs())
    for (const plan::Instruction &instruction :
         plan.programs(static_cast<int>(index)).instructions())
      for (int c = 0;
           instruction.has_next_batch() && instruction.next_batch().dataset() == dataset &&
           c < instruction.next_batch().classes_size();
           ++c)
        if (uint64_t classes = instruction.next_batch().classes(c);
            classes && looked.insert({c, classes}).second)
          GRAPHC_RETURN_IF_ERROR(opened.checkClasses(static_cast<size_t>(c), classes));
  return absl::OkStatus();
}

bool readsData(const plan::Plan &plan, uint32_t phase, const plan::Task &task) {
  for (uint32_t index : plan.phases(static_cast<int>(phase)).programs()) {
    const plan::Program &program = plan.programs(static_cast<int>(index));
    const bool here = plan::lanesOn(plan, program, task) > 0;
    for (const plan::Instruction &instruction : program.instructions())
      if (here && instruction.has_next_batch())
        return true;
  }
  return false;
}

absl::StatusOr<uint64_t> epochSamples(const plan::Plan &plan, uint32_t phase,
                                      DatasetCache &datasets) {
  const plan::Phase &p = plan.phases(static_cast<int>(phase));
  if (p.samples_per_step() == 0)
    return 0;
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const LoadedDataset> set, datasets.open(p.dataset()));
  return set->samples();
}

} // namespace graphc::data
