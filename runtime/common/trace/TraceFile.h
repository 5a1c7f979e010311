//===- TraceFile.h - the file of --trace, written and read --------------------------*- C++ -*-===//
//
// Perfetto's TrackEvent protobuf (perfetto.proto): a process for each task, a thread for each lane,
// slices that nest, flows from where a message is sent to where it is taken. ui.perfetto.dev opens
// it; graphc --measured reads of it what it shows beside its predictions.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_TRACE_TRACEFILE_H
#define GRAPHC_RUNTIME_COMMON_TRACE_TRACEFILE_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace graphc::trace {

// Categories of slices.
inline constexpr char kStep[] = "step", kKernel[] = "kernel", kLibrary[] = "library",
                      kSum[] = "sum", kMessage[] = "message", kData[] = "data", kQueue[] = "queue",
                      kHost[] = "host", kWait[] = "wait";
// Annotations, each of what slices it is said.
inline constexpr char kProgram[] = "program", kInstance[] = "instance"; // step
// all but step, where it is one of the plan's program
inline constexpr char kInstruction[] = "instruction";
inline constexpr char kPlan[] = "plan"; // of the instant at the beginning: the plan's fingerprint

struct TraceAnnotation {
  std::string name;
  std::variant<uint64_t, std::string> value;
};

struct TraceSlice {
  std::string name;
  const char *category = kHost;
  std::vector<TraceAnnotation> annotations = {};
  std::vector<uint64_t> flowsOut = {}, flowsIn = {};
};

/// Appends to a text, packet by packet. On each lane times do not go back, and what begins last
/// ends first.
class TraceWriter {
public:
  /// A task's number in the plan's order; its lanes come next.
  void addTask(uint32_t number, const std::string &name, const std::vector<std::string> &labels);
  /// Returns what stands for it in the other calls.
  uint32_t addLane(uint32_t task, const std::string &name);
  void begin(uint32_t lane, int64_t nanoseconds, const TraceSlice &slice);
  void end(uint32_t lane, int64_t nanoseconds);
  void instant(uint32_t lane, int64_t nanoseconds, const TraceSlice &event);
  std::string take() { return std::move(text_); }

private:
  std::string text_;
  uint32_t lanes_ = 0;
};

/// What graphc shows of a trace.
struct MeasuredTrace {
  struct Part { ///< of an instruction, or a wait in it
    uint32_t instruction = 0; ///< of the plan's program
    bool waits = false;
    double begin = 0, end = 0; ///< seconds, since the first step of the trace began
  };
  struct Step {
    uint32_t program = 0, instance = 0;
    double begin = 0, end = 0;
    std::vector<Part> parts;
  };
  std::string plan; ///< fingerprint
  std::vector<Step> steps; ///< lane by lane, in their order
};

inline constexpr uint64_t kMostTraceBytes = uint64_t(1) << 30;

/// InvalidArgument where it is none that graphrun has written.
absl::StatusOr<MeasuredTrace> readTrace(std::string_view bytes);

} // namespace graphc::trace
#endif
