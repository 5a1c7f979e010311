#include "runtime/session/task/TaskStatistics.h"

#include "runtime/observe/ProcessInfo.h"

#include <algorithm>

namespace graphc::session {

void TaskStatistics::firstStep() {
  if (stats_.firstStepSeconds == 0)
    stats_.firstStepSeconds = observe::secondsSinceProcessStart();
}

// The file of --stats is about training; a run that only evaluates or predicts is told about that
// instead.
void TaskStatistics::add(const plan::Phase &phase, const PhaseCallbacks &host,
                         std::span<const std::unique_ptr<executor::Lane>> lanes,
                         absl::Duration took, const transport::TransportCounters &before,
                         const transport::TransportCounters &now) {
  bool training = phase.role() == plan::TRAIN;
  if (!training && ofTraining_)
    return;
  ofTraining_ |= training;
  stats_.steps += host.steps();
  stats_.times.merge(host.times());
  stats_.seconds += absl::ToDoubleSeconds(took);
  if (std::optional<executor::StalenessCounts> counts = host.staleness()) {
    observe::StalenessStats &all =
        stats_.staleness ? *stats_.staleness : stats_.staleness.emplace();
    all.add(counts->worst, counts->steps, counts->waits);
  }
  stats_.bytesSent += now.bytesSent - before.bytesSent;
  stats_.bytesReceived += now.bytesReceived - before.bytesReceived;
  stats_.controlBytes += now.controlBytes - before.controlBytes;
  uint64_t touched = 0;
  for (const auto &lane : lanes) {
    touched += lane->frame().bytesTouched();
    std::vector<uint64_t> dropped = lane->dropped();
    stats_.dropped.resize(std::max(stats_.dropped.size(), dropped.size()));
    for (size_t i = 0; i < dropped.size(); ++i)
      stats_.dropped[i] += dropped[i];
  }
  stats_.arenaBytesTouched = std::max(stats_.arenaBytesTouched, touched);
}

std::string TaskStatistics::text(const executor::LoadedKernels *library) {
  stats_.residentBytes = observe::residentBytes();
  if (library)
    stats_.algorithms = library->algorithms();
  return observe::toJson(stats_);
}

} // namespace graphc::session
