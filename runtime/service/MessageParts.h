//===- MessageParts.h - long messages of a control stream, in parts -----------------*- C++ -*-===//
//
// A result of --fetch, a report or an answer may be as long as a tensor of the plan. A stream takes
// messages of transport::kMostMessageBytes at most, so a task sends longer ones as several
// FromTask.part, which the chief puts together again. Parts of one message follow each other;
// other messages, as a sign of life, may come between them.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SERVICE_MESSAGEPARTS_H
#define GRAPHC_RUNTIME_SERVICE_MESSAGEPARTS_H

#include "runtime/common/plan/plan.pb.h"
#include "runtime/service/service.pb.h"

#include "absl/status/statusor.h"

#include <list>
#include <optional>
#include <string>

namespace graphc::service {

/// The longest message that Protobuf serializes.
inline constexpr size_t kMostSplitBytes = (size_t{1} << 31) - 1;
/// Bytes of one part. A message of up to twice as many goes whole.
inline constexpr size_t kPartBytes = size_t{1} << 20;
/// Limit of a message, in bytes, if no result of the plan is longer.
inline constexpr size_t kMostWholeBytes = size_t{8} << 20;
/// The longest message of a task that executes this plan: a report has all results of a program.
size_t mostWholeBytes(const plan::Plan &plan);

/// The message itself, or its parts in their order. A message of more than `most` bytes is
/// replaced by an error report of the task, which ends the run.
std::list<FromTask> splitMessage(FromTask message, size_t most = kMostSplitBytes);

/// The receiver's side, for one stream. Holds at most `most` bytes.
class PartAssembler {
public:
  explicit PartAssembler(size_t most) : most_(most) {}
  /// The whole message, with its last part. ResourceExhausted where it is longer than it may be,
  /// InvalidArgument if the bytes do not form a message.
  absl::StatusOr<std::optional<FromTask>> add(const FromTask::Part &part);

private:
  const size_t most_;
  std::string bytes_;
};

} // namespace graphc::service
#endif
