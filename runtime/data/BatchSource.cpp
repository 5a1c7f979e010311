#include "runtime/data/BatchSource.h"

#include "runtime/common/base/Futex.h"
#include "runtime/common/base/Status.h"
#include "runtime/common/base/Thread.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

namespace graphc::data {

BatchSource::BatchSource(std::shared_ptr<const LoadedDataset> dataset, const BatchOptions &options)
    : set(std::move(dataset)), choice(options), permutation(set->samples(), set->seed(), 0) {}

BatchSource::~BatchSource() { stop(); }

absl::StatusOr<std::unique_ptr<BatchSource>> BatchSource::create(std::shared_ptr<const LoadedDataset> dataset,
                                                                 const BatchOptions &options) {
  auto bad = [&](std::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("data set ", dataset->name(), ": ", absl::string_view(why.data(), why.size())));
  };
  if (options.batch == 0 || options.replicas == 0 || options.microBatches == 0)
    return bad("batch, replicas and micro-batches must be at least 1");
  if (options.replica >= options.replicas || options.perStep == 0 ||
      uint64_t(options.microBatch) + options.perStep > options.microBatches)
    return bad(absl::StrCat("replica ", options.replica, " of ", options.replicas, ", micro-batch ", options.microBatch,
                            " of ", options.microBatches, " does not exist"));
  if (!options.classes.empty() && options.classes.size() != dataset->components())
    return bad("classes for another number of components than it has");
  for (size_t c = 0; c < dataset->components(); ++c)
    if (dataset->sampleBytes(c) > (uint64_t(1) << 40) / options.batch)
      return bad("a batch of more than 1 TiB");
  std::unique_ptr<BatchSource> source(new BatchSource(std::move(dataset), options));
  if (options.prefetch) {
    // A power of two since they are counted modulo 2^32: where a loop takes several in a row, as many as separate sources would have between
    // them, but no more than eight.
    source->ring.resize(std::max(2u, std::bit_floor(std::min(options.perStep, 8u))));
    for (Slot &slot : source->ring) {
      for (size_t c = 0; c < source->set->components(); ++c)
        slot.buffers.emplace_back(source->set->sampleBytes(c) * options.batch);
      slot.valid.resize(options.batch);
    }
  }
  return source;
}

absl::Status BatchSource::start(ConsumedRanges what, uint64_t step) {
  stop();
  before = std::move(what);
  first = step * choice.perStep;
  share = (uint64_t(choice.replica) * choice.microBatches + choice.microBatch) * choice.batch;
  taken = 0;
  epoch = UINT64_MAX;
  produced.store(0);
  consumed.store(0);
  ending.store(false);
  if (!choice.prefetch)
    return absl::OkStatus();
  GRAPHC_ASSIGN_OR_RETURN(filler, base::startThread(absl::StrCat("data set ", set->name(), "'s"), [this] { run(); }));
  return absl::OkStatus();
}

void BatchSource::stop() {
  if (!filler.joinable())
    return;
  ending.store(true);
  // The filler sleeps on `consumed`; a changed word cannot be missed.
  consumed.fetch_add(1);
  base::futexWake(&consumed, 1, base::FutexScope::Process);
  filler.join();
}

uint64_t BatchSource::sampleAt(uint64_t place) {
  const uint64_t samples = set->samples();
  if (!set->shuffled())
    return place % samples;
  if (place / samples != epoch) {
    epoch = place / samples;
    permutation = SeededPermutation(samples, set->seed(), epoch);
  }
  return permutation(place % samples);
}

absl::Status BatchSource::make(uint64_t number, void *const *buffers, uint8_t *valid) {
  uint64_t samples = set->samples();
  uint64_t at = StreamWalk{samples, samplesPerStep(), choice.padLast}.after(before.position(), number / choice.perStep);
  const uint64_t firstSample = at + share + number % choice.perStep * choice.batch;
  uint64_t index = firstSample;
  uint64_t end = choice.padLast ? (at / samples + 1) * samples : UINT64_MAX; // of what is real
  for (uint32_t i = 0; i < choice.batch; ++i, ++index) {
    bool real = index < end;
    if (valid)
      valid[i] = real;
    if (!real) {
      for (size_t c = 0; c < set->components(); ++c)
        memset(static_cast<uint8_t *>(buffers[c]) + i * set->sampleBytes(c), 0, set->sampleBytes(c));
      continue;
    }
    const uint64_t place = placeOf(index), sample = sampleAt(place);
    for (size_t c = 0; c < set->components(); ++c)
      set->copySample(c, sample, static_cast<uint8_t *>(buffers[c]) + i * set->sampleBytes(c),
                      choice.training ? std::optional(place / samples) : std::nullopt);
  }
  for (size_t c = 0; c < choice.classes.size(); ++c) // what is not real is 0, a class
    if (uint64_t classes = choice.classes[c])
      if (LabelStrays strays = set->findStrays(c, classes, buffers[c], choice.batch); strays.count)
        return set->straysError(c, classes, strays, choice.batch,
                                sampleAt(placeOf(firstSample + strays.first / set->sampleElements(c))));
  return absl::OkStatus();
}

void BatchSource::run() {
  std::vector<void *> pointers(set->components());
  for (uint64_t step = 0;; ++step) {
    uint32_t now = static_cast<uint32_t>(step);
    while (true) {
      uint32_t seen = consumed.load();
      if (ending.load())
        return;
      if (now - seen < ring.size())
        break;
      fillerSleeps.store(true);
      if (consumed.load() == seen)
        base::futexWait(&consumed, seen, -1, base::FutexScope::Process);
      fillerSleeps.store(false);
    }
    Slot &slot = ring[now % ring.size()];
    for (size_t c = 0; c < pointers.size(); ++c)
      pointers[c] = slot.buffers[c].data();
    slot.status = make(first + step, pointers.data(), slot.valid.data());
    produced.store(now + 1);
    if (takerSleeps.load())
      base::futexWake(&produced, 1, base::FutexScope::Process);
  }
}

absl::Status BatchSource::take(void *const *buffers, uint8_t *valid) {
  if (!choice.prefetch)
    return make(first + taken++, buffers, valid);
  uint32_t seen = static_cast<uint32_t>(taken);
  if (produced.load() == seen) {
    ++waitCount;
    while (produced.load() == seen) {
      takerSleeps.store(true);
      if (produced.load() == seen)
        base::futexWait(&produced, seen, -1, base::FutexScope::Process);
      takerSleeps.store(false);
    }
  }
  const Slot &slot = ring[taken % ring.size()];
  for (size_t c = 0; c < slot.buffers.size(); ++c)
    memcpy(buffers[c], slot.buffers[c].data(), slot.buffers[c].size());
  if (valid)
    memcpy(valid, slot.valid.data(), slot.valid.size());
  absl::Status status = slot.status;
  ++taken;
  consumed.store(static_cast<uint32_t>(taken));
  if (fillerSleeps.load())
    base::futexWake(&consumed, 1, base::FutexScope::Process);
  return status;
}

} // namespace graphc::data
