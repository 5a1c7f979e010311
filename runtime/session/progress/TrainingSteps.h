//===- TrainingSteps.h - how long to train, and where to pause ----------------------*- C++ -*-===//
//
// Plain arithmetic on steps (asynchronous: updates) and samples, apart from the driver so that it
// can be tested alone. Totals count from the very first step of a model's life, epochs the samples
// seen since then under whatever strategy; so a run that goes on from a checkpoint ends where an
// uninterrupted one does.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_PROGRESS_TRAININGSTEPS_H
#define GRAPHC_RUNTIME_SESSION_PROGRESS_TRAININGSTEPS_H

#include "runtime/data/SampleStreams.h"
#include "runtime/executor/ControlMessage.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace graphc::session {

struct TrainingSteps {
  uint64_t samples = 0; ///< of one epoch; 0: no data
  uint64_t samplesPerStep = 0; ///< asynchronous: of one update
  bool padded = false; ///< epochs end with a padded batch
  uint64_t firstStep = 0, position = 0; ///< steps made and samples seen before this run
  std::optional<double> evalEvery = {}; ///< epochs
  std::optional<uint64_t> saveEvery = {}; ///< steps
  bool saveEveryEpoch = false;
  std::optional<uint64_t> traced = {}; ///< steps behind which a trace is whole
  uint64_t total = 0; ///< steps

  static constexpr double kMostSeen = 0x1p62; ///< samples

  data::StreamWalk walk() const { return {samples, samplesPerStep, padded}; }
  double stepsOfAnEpoch() const {
    return static_cast<double>(samples) / static_cast<double>(samplesPerStep);
  }
  /// Steps until the data was seen `epochs` times; none are fewer than those made before.
  uint64_t stepsOf(double epochs) const {
    if (!samples || !samplesPerStep)
      return 0;
    double wanted = std::min(epochs * static_cast<double>(samples), kMostSeen);
    // 0.1 * 30 epochs must not become one step more by rounding
    double nearest = std::nearbyint(wanted);
    auto target = static_cast<uint64_t>(
        std::abs(wanted - nearest) < 1e-9 * std::max(1.0, wanted) ? nearest : std::ceil(wanted));
    return std::min(firstStep + walk().stepsTo(position, target), executor::kMostSteps);
  }
  /// 0-based epoch that a step of this run belongs to; those before it count as its first.
  uint64_t epochOf(uint64_t step) const {
    return samples ? walk().after(position, step - std::min(step, firstStep)) / samples : 0;
  }

  /// The first multiple of `epochs` epochs behind `step`; UINT64_MAX: there is none that can be
  /// counted.
  uint64_t nextEpochMultiple(uint64_t step, double epochs) const {
    if (epochs * stepsOfAnEpoch() <= 1)
      return step + 1;
    auto seen = static_cast<double>(walk().after(position, step - std::min(step, firstStep)));
    auto done = static_cast<uint64_t>(seen / (epochs * static_cast<double>(samples)));
    uint64_t k = done > 0 ? done - 1 : 0;
    uint64_t next = 0;
    while ((next = stepsOf(static_cast<double>(++k) * epochs)) <= step)
      if (static_cast<double>(k) * epochs * static_cast<double>(samples) >= kMostSeen)
        return UINT64_MAX;
    return next;
  }

  /// Whether a checkpoint is due where training begins: it may be lost with a task that died there.
  bool savesAtBegin() const {
    if (saveEvery)
      return firstStep > 0 && firstStep % *saveEvery == 0;
    return saveEveryEpoch && samples && position > 0 &&
           position % samples < (padded ? 1 : samplesPerStep);
  }

  /// Whether an evaluation is due where training begins: an earlier run that ended there made none
  /// in between, or a task died in it.
  bool evaluatesAtBegin() const {
    if (!evalEvery || !samples || firstStep == 0)
      return false;
    const double every = *evalEvery * static_cast<double>(samples),
                 seen = static_cast<double>(position);
    const double done = std::floor(seen / every + 1e-9),
                 perStep = static_cast<double>(samplesPerStep);
    return every <= perStep || (done >= 1 && seen - done * every < perStep * (1 - 1e-9));
  }

  struct Pause {
    uint64_t step = 0;
    bool evaluate = false, save = false;
  };
  /// Where the phase that begins at `step` < total ends. The total always saves (where anything is
  /// saved); the driver evaluates there by itself.
  Pause next(uint64_t step) const {
    uint64_t evaluate = UINT64_MAX, save = UINT64_MAX;
    if (evalEvery && samples)
      evaluate = nextEpochMultiple(step, *evalEvery);
    if (saveEvery)
      save = (step / *saveEvery + 1) * *saveEvery;
    else if (saveEveryEpoch && samples)
      save = nextEpochMultiple(step, 1);
    Pause pause;
    pause.step = std::min({evaluate, save, traced && *traced > step ? *traced : total, total});
    pause.evaluate = pause.step == evaluate;
    pause.save = pause.step == save || pause.step == total;
    return pause;
  }
};

} // namespace graphc::session
#endif
