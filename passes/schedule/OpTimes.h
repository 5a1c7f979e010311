//===- OpTimes.h - how long a program is busy with each operation -------------------*- C++ -*-===//
//
// What the operations of programs of buffers do, for the TimeModel with its built-in figures. It
// decides only what comes first where both orders are right; it is the same on every machine that
// compiles, since plans are compared byte by byte.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_SCHEDULE_OPTIMES_H
#define GRAPHC_PASSES_SCHEDULE_OPTIMES_H

#include "dialects/dist/DistDialect.h"
#include "passes/analysis/LinkTimes.h"
#include "passes/analysis/TimeModel.h"
#include "runtime/common/plan/plan.pb.h"

#include <cmath>

namespace graphc {

/// Of a channel over which its programs' instances sum; WHOLE for others.
plan::AllReduceAlgorithm algorithmOf(dist::ChannelOp channel);

class OpTimes {
public:
  OpTimes(mlir::ModuleOp module, const mlir::SymbolTable &symbols)
      : symbols_(symbols), links_(module) {}

  /// Seconds of an outlined or scheduled operation; what it names exists.
  double of(mlir::Operation *op) const;
  /// From the end of what sends over a channel until the message is there.
  double delay(dist::ChannelOp channel) const;
  const TimeModel &model() const { return time_; }

private:
  TimeModel::Way wayOf(dist::ChannelOp channel) const;
  TimeModel::Message messageOf(dist::ChannelOp channel) const;
  double ofCall(dist::BufferEffectsOpInterface op, double threads) const;

  const mlir::SymbolTable &symbols_;
  LinkTimes links_;
  TimeModel time_{cluster::MachineCalibration()};
};

/// Whole ones, so that equal times are equal.
inline uint64_t inNanoseconds(double seconds) { return uint64_t(std::llround(seconds * 1e9)); }

/// Floating-point operations of one call or sum; 0 for everything else.
uint64_t getFlops(mlir::Operation *op, const mlir::SymbolTable &symbols);

} // namespace graphc
#endif
