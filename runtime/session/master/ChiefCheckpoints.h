//===- ChiefCheckpoints.h - a run's checkpoints, as the chief makes and finds them --*- C++ -*-===//
//
// The chief holds the folder, decides which checkpoint a run begins with, and commits a new one
// once every owner has written its shard (checkpoint/Checkpoint.h has the files, TaskCheckpoint.h
// what each task does for it).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_MASTER_CHIEFCHECKPOINTS_H
#define GRAPHC_RUNTIME_SESSION_MASTER_CHIEFCHECKPOINTS_H

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/checkpoint/TrainingEndMarker.h"
#include "runtime/common/base/Mutex.h"
#include "runtime/service/TaskCoordinator.h"
#include "runtime/session/master/FileWatchdog.h"

#include <functional>

namespace graphc::session {

/// Everything but due() on the master's thread.
class ChiefCheckpoints {
public:
  struct Options {
    std::string directory; ///< empty: the run has no checkpoints
    bool writes = false; ///< else it only reads, also while another run trains there
    std::optional<double> everySeconds;
    std::function<void(const std::string &)> log;
    uint32_t keep = checkpoint::CheckpointDirectory::kKeep; ///< 0: all
    std::string only{}; ///< where it only reads: this one, whatever else is there
    /// for the folder: a run that was killed just now may still hold it
    absl::Duration wait = absl::Seconds(5);
  };
  /// The others have to outlive it.
  ChiefCheckpoints(const plan::Plan &plan, service::TaskCoordinator &coordinator,
                   FileWatchdog &files, Options options)
      : plan_(plan), coordinator_(coordinator), files_(files), options_(std::move(options)) {}

  bool wanted() const { return !options_.directory.empty(); }
  const std::string &directory() const { return options_.directory; }
  /// Holds the folder where this run writes, has every owner look whether it sees the same one, and
  /// finds the newest checkpoint that is whole and fits the plan, if any.
  absl::StatusOr<std::optional<checkpoint::CommittedCheckpoint>> open();
  /// Before the first save: how GPUs' libraries make the products, by kernel.
  void madeBy(std::map<std::string, std::string> algorithms) {
    algorithms_ = std::move(algorithms);
  }
  using Positions = std::map<std::string, uint64_t>;
  using Ahead = std::map<std::string, std::vector<uint64_t>>;
  /// The tasks' variables at `step`, with where the streams stand (StreamPositions); nothing to do
  /// where they are in the newest already.
  absl::Status save(uint64_t step, const Positions &positions, const Ahead &ahead = {});
  /// Why save() has saved nothing: a trained variable is no number. Empty: it has saved.
  const std::string &notFinite() const { return notFinite_; }
  /// The checkpoint of this step, where there is one, stays whatever comes behind it.
  void spare(uint64_t step) {
    if (directory_)
      directory_->spare(step);
  }
  /// Of a run without a checkpoint to go on from: where it begins with values of `from`
  /// (--init_from: a checkpoint, the newest of a folder, or a file), the order for all to take
  /// them, which is logged. Empty: each variable has to have a value of its own.
  absl::Status begin(const std::string &from, service::Order::Initialize &order);
  /// "DIR/step-1172", as the run has found or saved it last; empty: none.
  std::string newest() const { return saved_ ? pathOf(*saved_) : ""; }
  std::string pathOf(uint64_t step) const;
  /// Training is over, which was to make so many steps or epochs (none: one): who follows the
  /// folder need not wait for another checkpoint.
  absl::Status finish(uint64_t step, std::optional<uint64_t> steps, std::optional<double> epochs);
  /// Another run may write there.
  void close() { directory_.reset(); }

  /// The newest, as the run has found or saved it last, and how many it has saved. Any thread.
  struct Known {
    std::optional<uint64_t> step;
    absl::Time at; ///< of that one
    uint64_t saved = 0;
  };
  Known known() const {
    base::MutexLock lock(mutex_);
    return known_;
  }

  /// From now on the time counts.
  void startClock(absl::Time now);
  /// Any thread: the last one is `everySeconds` old.
  bool due(absl::Time now) const;

private:
  absl::Status hold();
  absl::StatusOr<std::optional<checkpoint::CommittedCheckpoint>> openOnly();
  absl::Status write(uint64_t step, const Positions &positions, const Ahead &ahead);

  const plan::Plan &plan_;
  service::TaskCoordinator &coordinator_;
  FileWatchdog &files_;
  const Options options_;
  std::optional<checkpoint::CheckpointDirectory> directory_; ///< held
  std::map<std::string, std::string> algorithms_;
  std::string notFinite_;
  std::optional<uint64_t> saved_; ///< step of the newest
  mutable base::Mutex mutex_; ///< a leaf
  std::optional<absl::Time> savedAt_ ABSL_GUARDED_BY(mutex_);
  Known known_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::session
#endif
