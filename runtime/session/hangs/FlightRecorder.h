//===- FlightRecorder.h - what a task did last, in a file that outlives it ----------*- C++ -*-===//
//
// With --failure_dir. Lanes note events in memory (executor/EventRing.h); a thread of the
// recorder's own copies them, and where the lanes are, into DIR/JOB-INDEX.rec four times a second,
// so that kill -9 costs the last quarter of a second and a disk that hangs stops no lane. The file
// has two halves, of which the older one is overwritten: one is whole whenever the process ends. At
// a good end the file goes. DIR/plan.sketch has the plan's words. No file grows beyond a limit, and
// a run's files take the place of those of the run before.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_HANGS_FLIGHTRECORDER_H
#define GRAPHC_RUNTIME_SESSION_HANGS_FLIGHTRECORDER_H

#include "runtime/common/base/File.h"
#include "runtime/common/base/Mutex.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/executor/EventRing.h"
#include "runtime/service/service.pb.h"

#include "absl/status/statusor.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace graphc::session {

class FlightRecorder {
public:
  static constexpr char kSketch[] = "plan.sketch", kEnding[] = ".rec";

  /// Makes the folder where it is not there. `self`: of this task. `warn`: takes one line, once
  /// nothing can be written any more.
  static absl::StatusOr<std::unique_ptr<FlightRecorder>>
  open(const std::string &directory, const plan::LoadedPlan &plan, service::Hello self,
       std::function<void(const std::string &)> warn);
  ~FlightRecorder();

  executor::EventRing &lanes() { return ring_; }
  /// An event of the task, in words. Any thread.
  void note(std::string text);
  /// By which tasks' recordings of one run are told from those of another.
  void begin(const std::string &run);
  /// The recorder's thread asks it where the lanes are; nothing: they are where they were when it
  /// was asked last. Empty: asks no more, also not at this moment.
  void watch(std::function<std::optional<std::vector<service::LanePosition>>()> places);
  /// The task has failed: the file stays. Waits for its last write, but not for long.
  void keep(const std::string &failure, bool secondary);
  /// The task has done its work: the file goes.
  void drop();

private:
  FlightRecorder(std::string directory, std::string file, base::UniqueFd fd, service::Hello self,
                 std::function<void(const std::string &)> warn);
  void run();
  absl::Status write(const service::Recording &recording);

  const std::string directory_, file_;
  const base::UniqueFd fd_;
  const std::function<void(const std::string &)> warn_;
  executor::EventRing ring_;
  uint64_t halves_ = 0; ///< that were written; the thread's own

  base::Mutex mutex_; ///< a leaf
  base::CondVar changed_;
  service::Recording head_ ABSL_GUARDED_BY(mutex_); ///< all but the lanes' events
  struct Note {
    int64_t time; ///< ns of the clock of lanes' events, so that both have one order
    std::string text;
  };
  std::deque<Note> notes_ ABSL_GUARDED_BY(mutex_);
  bool ends_ ABSL_GUARDED_BY(mutex_) = false, ended_ ABSL_GUARDED_BY(mutex_) = false;
  base::Mutex placesMutex_; ///< held while places_ is called; before OrderExecutor's
  std::function<std::optional<std::vector<service::LanePosition>>()>
      places_ ABSL_GUARDED_BY(placesMutex_);
  std::thread thread_;
};

// The two halves of a file, for whoever writes and reads them.
inline constexpr size_t kHalfBytes = 256 << 10;
/// `number`: of the half, from 1 on; it is the half (number - 1) % 2. Events are left out, the
/// oldest first, where it would be too long.
std::string encodeHalf(uint64_t number, service::Recording recording);
/// Of any bytes: the newer half that is whole. Words are fit for a terminal.
absl::StatusOr<service::Recording> decodeRecording(std::string_view file);

} // namespace graphc::session
#endif
