//===- LaneAllReduces.h - the all-reduces of one lane -------------------------------*- C++ -*-===//
//
// Each is one ResumableAllReduce; those that a step has begun get on between its instructions.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_LANEALLREDUCES_H
#define GRAPHC_RUNTIME_EXECUTOR_LANEALLREDUCES_H

#include "runtime/device/MemoryRegion.h"
#include "runtime/executor/LaneFrame.h"
#include "runtime/executor/LanePorts.h"
#include "runtime/executor/LaneTrace.h"
#include "runtime/executor/ResumableAllReduce.h"

#include <vector>

namespace graphc::executor {

/// By LaneProgram::allReduces.
class LaneAllReduces {
public:
  /// The ports are resolved. Writes the argument table where sums are read elsewhere than in their
  /// buffer.
  void make(const LaneProgram &program, const LaneInfo &info, const LanePorts &ports,
            LaneFrame &frame);

  void start(uint32_t index) { underWay_.push_back(&all_[index]); }
  bool anyUnderWay() const { return !underWay_.empty(); }
  /// While their peers keep up; what goes wrong is told by finish(). `trace`: null, or takes what
  /// got on.
  void advance(uint64_t step, const GraphcContext &context, LaneTrace *trace) {
    for (ResumableAllReduce *allReduce : underWay_) {
      const uint32_t before = allReduce->movesDone();
      (void)allReduce->advance(step, context);
      if (trace && allReduce->movesDone() != before)
        trace->moves(uint32_t(allReduce - all_.data()), before, allReduce->movesDone());
    }
  }
  /// Ready without a code: it is done, and not under way any more.
  ResumableAllReduce::Outcome finish(uint32_t index, uint64_t step, const GraphcContext &context);
  void release(uint32_t index) { all_[index].release(); }
  uint32_t movesDone(uint32_t index) const { return all_[index].movesDone(); }

private:
  std::vector<ResumableAllReduce> all_;
  std::vector<device::MemoryRegion> sums_; // likewise
  std::vector<ResumableAllReduce *> underWay_; // in the order of their starts; has room for all
};

} // namespace graphc::executor
#endif
