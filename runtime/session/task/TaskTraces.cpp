#include "runtime/session/task/TaskTraces.h"

#include <algorithm>

namespace graphc::session {

void TaskTraces::begin(Lanes lanes, const service::Order::Begin &order) {
  if (!order.has_trace())
    return;
  for (const auto &lane : lanes) {
    const uint64_t most =
        executor::LaneTrace::kMostBytes / sizeof(executor::TraceRecord) / lanes.size();
    traces_.push_back(std::make_unique<executor::LaneTrace>(
        lane->ofProgram(), order.trace().first(), order.trace().steps(), most));
    lane->traceTo(traces_.back().get());
  }
}

/// In pieces that the control stream takes.
void TaskTraces::send(Lanes lanes, service::ControlLink &link) {
  constexpr size_t kPiece = (size_t(1) << 20) / sizeof(executor::TraceRecord);
  for (size_t i = 0; i < traces_.size(); ++i) {
    const executor::LaneInfo &lane = lanes[i]->info();
    std::span<const executor::TraceRecord> left = traces_[i]->records();
    do {
      const std::span<const executor::TraceRecord> piece =
          left.first(std::min(kPiece, left.size()));
      left = left.subspan(piece.size());
      service::FromTask message;
      service::Traced &traced = *message.mutable_traced();
      traced.set_program(lane.programIndex);
      traced.set_instance(lane.instance);
      traced.set_records(piece.data(), piece.size_bytes());
      traced.set_lost(left.empty() ? traces_[i]->lost() : 0);
      link.send(std::move(message));
    } while (!left.empty());
  }
}

} // namespace graphc::session
