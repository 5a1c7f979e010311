#include "runtime/data/BatchSource.h"

#include "runtime/common/base/Futex.h"
#include "runtime/common/base/StartThread.h"
#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

namespace graphc::data {

BatchSource::BatchSource(std::shared_ptr<const LoadedDataset> dataset, const BatchOptions &options)
    : set_(std::move(dataset)), choice_(options), permutation_(set_->samples(), set_->seed(), 0) {
  choice_.padded |= options.padLast;
  if (options.stride == 0)
    choice_.stride = options.batch;
}

BatchSource::~BatchSource() { stop(); }

absl::StatusOr<std::unique_ptr<BatchSource>>
BatchSource::create(std::shared_ptr<const LoadedDataset> dataset, const BatchOptions &options) {
  auto bad = [&](std::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("data set ", dataset->name(), ": ",
                                                   absl::string_view(why.data(), why.size())));
  };
  if (options.batch == 0 || options.replicas == 0 || options.microBatches == 0)
    return bad("batch, replicas and micro-batches must be at least 1");
  if (const uint64_t stride = options.stride ? options.stride : options.batch;
      stride < options.batch || options.offset > stride - options.batch)
    return bad(absl::StrCat("samples ", options.offset, " to ", options.offset + options.batch - 1,
                            " of a micro-batch of ", stride));
  if (options.replica >= options.replicas || options.perStep == 0 ||
      uint64_t(options.microBatch) + options.perStep > options.microBatches)
    return bad(absl::StrCat("replica ", options.replica, " of ", options.replicas, ", micro-batch ",
                            options.microBatch, " of ", options.microBatches, " does not exist"));
  if (!options.classes.empty() && options.classes.size() != dataset->components())
    return bad("classes for another number of components than it has");
  for (size_t c = 0; c < dataset->components(); ++c)
    if (dataset->sampleBytes(c) > (uint64_t(1) << 40) / options.batch)
      return bad("a batch of more than 1 TiB");
  std::unique_ptr<BatchSource> source(new BatchSource(std::move(dataset), options));
  if (options.prefetch) {
    // A power of two since they are counted modulo 2^32: where a loop takes several in a row, as
    // many as separate sources would have between them, but no more than eight.
    source->ring_.resize(std::max(2u, std::bit_floor(std::min(options.perStep, 8u))));
    for (Slot &slot : source->ring_) {
      for (size_t c = 0; c < source->set_->components(); ++c)
        slot.buffers.emplace_back(source->set_->sampleBytes(c) * options.batch);
      slot.valid.resize(options.batch);
    }
  }
  return source;
}

absl::Status BatchSource::start(ConsumedRanges what, uint64_t step) {
  stop();
  before_ = std::move(what);
  first_ = step * choice_.perStep;
  share_ =
      (uint64_t(choice_.replica) * choice_.microBatches + choice_.microBatch) * choice_.stride +
      choice_.offset;
  taken_ = 0;
  epoch_ = UINT64_MAX;
  produced_.store(0);
  consumed_.store(0);
  ending_.store(false);
  if (!choice_.prefetch)
    return absl::OkStatus();
  GRAPHC_ASSIGN_OR_RETURN(
      filler_, base::startThread(absl::StrCat("data set ", set_->name(), "'s"), [this] { run(); }));
  return absl::OkStatus();
}

void BatchSource::stop() {
  if (!filler_.joinable())
    return;
  ending_.store(true);
  // The filler sleeps on `consumed_`; a changed word cannot be missed.
  consumed_.fetch_add(1);
  base::futexWake(&consumed_, 1, base::FutexScope::Process);
  filler_.join();
}

uint64_t BatchSource::sampleAt(uint64_t place) {
  const uint64_t samples = set_->samples();
  if (!set_->shuffled())
    return place % samples;
  if (place / samples != epoch_) {
    epoch_ = place / samples;
    permutation_ = SeededPermutation(samples, set_->seed(), epoch_);
  }
  return permutation_(place % samples);
}

absl::Status BatchSource::make(uint64_t number, void *const *buffers, uint8_t *valid) {
  uint64_t samples = set_->samples();
  uint64_t at = StreamWalk{samples, samplesPerStep(), choice_.padded}.after(
      before_.position(), number / choice_.perStep);
  const uint64_t firstSample = at + share_ + number % choice_.perStep * choice_.stride;
  uint64_t index = firstSample;
  uint64_t end = choice_.padLast ? (at / samples + 1) * samples : UINT64_MAX; // of what is real
  for (uint32_t i = 0; i < choice_.batch; ++i, ++index) {
    bool real = index < end;
    if (valid)
      valid[i] = real;
    if (!real) {
      for (size_t c = 0; c < set_->components(); ++c)
        memset(static_cast<uint8_t *>(buffers[c]) + i * set_->sampleBytes(c), 0,
               set_->sampleBytes(c));
      continue;
    }
    const uint64_t place = placeOf(index), sample = sampleAt(place);
    for (size_t c = 0; c < set_->components(); ++c)
      set_->copySample(c, sample, static_cast<uint8_t *>(buffers[c]) + i * set_->sampleBytes(c),
                       choice_.training ? std::optional(place / samples) : std::nullopt);
  }
  for (size_t c = 0; c < choice_.classes.size(); ++c) // what is not real is 0, a class
    if (uint64_t classes = choice_.classes[c])
      if (LabelStrays strays = set_->findStrays(c, classes, buffers[c], choice_.batch);
          strays.count)
        return set_->straysError(
            c, classes, strays, choice_.batch,
            sampleAt(placeOf(firstSample + strays.first / set_->sampleElements(c))));
  return absl::OkStatus();
}

void BatchSource::run() {
  std::vector<void *> pointers(set_->components());
  for (uint64_t step = 0;; ++step) {
    uint32_t now = static_cast<uint32_t>(step);
    while (true) {
      uint32_t seen = consumed_.load();
      if (ending_.load())
        return;
      if (now - seen < ring_.size())
        break;
      fillerSleeps_.store(true);
      if (consumed_.load() == seen)
        base::futexWait(&consumed_, seen, -1, base::FutexScope::Process);
      fillerSleeps_.store(false);
    }
    Slot &slot = ring_[now % ring_.size()];
    for (size_t c = 0; c < pointers.size(); ++c)
      pointers[c] = slot.buffers[c].data();
    slot.status = make(first_ + step, pointers.data(), slot.valid.data());
    produced_.store(now + 1);
    if (takerSleeps_.load())
      base::futexWake(&produced_, 1, base::FutexScope::Process);
  }
}

absl::Status BatchSource::take(void *const *buffers, uint8_t *valid) {
  if (!choice_.prefetch)
    return make(first_ + taken_++, buffers, valid);
  uint32_t seen = static_cast<uint32_t>(taken_);
  if (produced_.load() == seen) {
    ++waitCount_;
    while (produced_.load() == seen) {
      takerSleeps_.store(true);
      if (produced_.load() == seen)
        base::futexWait(&produced_, seen, -1, base::FutexScope::Process);
      takerSleeps_.store(false);
    }
  }
  const Slot &slot = ring_[taken_ % ring_.size()];
  for (size_t c = 0; c < slot.buffers.size(); ++c)
    memcpy(buffers[c], slot.buffers[c].data(), slot.buffers[c].size());
  if (valid)
    memcpy(valid, slot.valid.data(), slot.valid.size());
  absl::Status status = slot.status;
  ++taken_;
  consumed_.store(static_cast<uint32_t>(taken_));
  if (fillerSleeps_.load())
    base::futexWake(&consumed_, 1, base::FutexScope::Process);
  return status;
}

} // namespace graphc::data
