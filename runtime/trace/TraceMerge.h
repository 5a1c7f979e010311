//===- TraceMerge.h - all tasks' records as one trace, and what they add up to ------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_TRACE_TRACEMERGE_H
#define GRAPHC_RUNTIME_TRACE_TRACEMERGE_H

#include "runtime/common/plan/PlanFile.h"
#include "runtime/common/trace/TraceFile.h"
#include "runtime/observe/TraceSummary.h"
#include "runtime/service/service.pb.h"
#include "runtime/trace/TraceClocks.h"
#include "runtime/trace/TraceMessages.h"

#include <map>
#include <string>
#include <vector>

namespace graphc::session {

class TraceMerge {
public:
  /// `peers`: by task. The plan outlives it.
  TraceMerge(const plan::LoadedPlan &plan, std::vector<TracedLane> lanes,
             std::vector<service::Peer> peers,
             const std::vector<std::optional<service::ClockOffset>> &clocks);
  /// The file.
  std::string write();
  /// After write().
  const observe::TraceSummary &summary() const { return summary_; }

private:
  /// A message's way through the trace.
  struct Way {
    const TracedLane *from = nullptr, *to = nullptr;
    int64_t sent = 0, received = 0;
    uint64_t flow = 0; ///< 0: one end is not in the trace
  };
  /// Lanes of one program instance, whatever runs of the phase they are of, are one track.
  struct Track {
    uint32_t lane = 0; ///< the writer's
    TraceMessages messages;
  };
  void findWays();
  void addTracks();
  void writeLane(const TracedLane &lane);
  trace::TraceSlice sliceOf(const TracedLane &lane, const Track &track,
                            const executor::TraceRecord &record);
  void count(const TracedLane &lane, const Track &track, const executor::TraceRecord &record);
  std::string shortName(const plan::Task &task) const;
  Track &trackOf(const TracedLane &lane) {
    return tracks_.at({lane.task, lane.program, lane.instance});
  }

  const plan::LoadedPlan &loaded_;
  const plan::Plan &plan_;
  const std::vector<TracedLane> lanes_;
  const std::vector<service::Peer> peers_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Track> tracks_;
  std::map<MessageId, Way> ways_;
  std::vector<int64_t> offsets_; ///< by task
  trace::TraceWriter writer_;
  observe::TraceSummary summary_;
};

} // namespace graphc::session
#endif
