//===- Schedule.h - how long to train, and where to pause -------------------------------------------------*- C++ -*-===//
//
// Plain arithmetic on global steps (asynchronous: updates), apart from the driver so that it can be tested alone. Totals count from
// the very first step of a model's life, so a run that goes on from a checkpoint ends where an uninterrupted one does.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_SCHEDULE_H
#define GRAPHC_RUNTIME_SESSION_SCHEDULE_H

#include "runtime/executor/Control.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace graphc::session {

struct Schedule {
  uint64_t samples = 0; ///< of one epoch; 0: no data
  uint64_t samplesPerStep = 0; ///< asynchronous: of one update
  std::optional<double> evalEvery = {}; ///< epochs
  std::optional<uint64_t> saveEvery = {}; ///< steps
  bool saveEveryEpoch = false;
  uint64_t total = 0; ///< steps

  double stepsOfAnEpoch() const { return static_cast<double>(samples) / static_cast<double>(samplesPerStep); }
  /// Steps until the data was seen `epochs` times: ceil(epochs * samples / samplesPerStep).
  uint64_t stepsOf(double epochs) const {
    if (!samples || !samplesPerStep)
      return 0;
    double steps = std::min(epochs * stepsOfAnEpoch(), static_cast<double>(executor::kMostSteps));
    double nearest = std::nearbyint(steps); // 0.1 * 30 epochs must not become one step more by rounding
    return static_cast<uint64_t>(std::abs(steps - nearest) < 1e-9 * std::max(1.0, steps) ? nearest : std::ceil(steps));
  }
  /// 0-based epoch that a step belongs to.
  uint64_t epochOf(uint64_t step) const {
    return samples ? static_cast<uint64_t>(static_cast<unsigned __int128>(step) * samplesPerStep / samples) : 0;
  }

  /// The first multiple of `epochs` epochs behind `step`.
  uint64_t nextEpochMultiple(uint64_t step, double epochs) const {
    if (epochs * stepsOfAnEpoch() <= 1)
      return step + 1;
    auto done = static_cast<uint64_t>(static_cast<double>(step) / (epochs * stepsOfAnEpoch()));
    uint64_t k = done > 0 ? done - 1 : 0;
    uint64_t next = 0;
    while ((next = stepsOf(static_cast<double>(++k) * epochs)) <= step) {
    }
    return next;
  }

  struct Pause {
    uint64_t step = 0;
    bool evaluate = false, save = false;
  };
  /// Where the phase that begins at `step` < total ends. The total always saves (where anything is saved); the driver
  /// evaluates there by itself.
  Pause next(uint64_t step) const {
    uint64_t evaluate = UINT64_MAX, save = UINT64_MAX;
    if (evalEvery && samples)
      evaluate = nextEpochMultiple(step, *evalEvery);
    if (saveEvery)
      save = (step / *saveEvery + 1) * *saveEvery;
    else if (saveEveryEpoch && samples)
      save = nextEpochMultiple(step, 1);
    Pause pause;
    pause.step = std::min({evaluate, save, total});
    pause.evaluate = pause.step == evaluate;
    pause.save = pause.step == save || pause.step == total;
    return pause;
  }
};

} // namespace graphc::session
#endif
