//===- ProgressLine.h - the one line that shows how far a run is --------------------*- C++ -*-===//
//
// On a terminal the line is redrawn in place; elsewhere a line is written where it says something
// new, at most one a second. Where steps are counted (--log_step_count_steps), every so many of
// them one line stays, on a terminal above the redrawn one, elsewhere instead of those by the
// clock. Other lines (logs, results) go through `print`, which keeps them apart from the redrawn
// one. Any thread; a leaf lock, held as long as who reads what is printed takes. Where nobody reads
// that is said on standard error, unless that is the same pipe, and a stop ends the wait: the rest
// is lost then. Who only shows how far a run is waits for nobody: the thread that tells other tasks
// that this one lives is among them.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_OBSERVE_PROGRESSLINE_H
#define GRAPHC_RUNTIME_OBSERVE_PROGRESSLINE_H

#include "runtime/common/base/Mutex.h"

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graphc::observe {

struct ProgressSnapshot {
  uint64_t step = 0, steps = 0; ///< global step and total; 0 steps: unknown
  uint64_t epoch = 0, epochs = 0; ///< 1-based; 0 epochs: not trained by epochs
  double stepsPerSecond = 0; ///< of the cluster
  std::optional<double> loss; ///< mean over replicas and the steps of the epoch so far
  /// By name: "train …" of the last epoch, the others of the last evaluation (--eval_every_epochs).
  std::vector<std::pair<std::string, double>> metrics;
  /// --log_step_count_steps: as many steps were made, so this line stays; false: not yet; none:
  /// nobody counts.
  std::optional<bool> logged;
  bool last = false; ///< of a stretch of training: always written, and left standing
};

inline constexpr int kBarWidth = 16;
/// "epoch 3/5  step 586/1172  512 steps/s  loss 0.412  [=====>    ] eta 0:01"; without bar and what follows where barWidth is 0.
std::string formatProgress(const ProgressSnapshot &snapshot, int barWidth);
std::string toJson(const ProgressSnapshot &snapshot);
absl::StatusOr<ProgressSnapshot> progressFromJson(const std::string &text);

class ProgressLine {
public:
  /// `out` is where the line goes (standard error); not owned.
  explicit ProgressLine(std::FILE *out);
  /// Before any thread prints. `stops`: asked while nobody reads; `says`: that nobody does.
  void waitFor(std::function<bool()> stops, bool says) {
    stops_ = std::move(stops);
    says_ = says;
  }
  ~ProgressLine() { finish(); }
  /// Nothing, unless it is the last one, while something is being printed.
  void show(const ProgressSnapshot &snapshot);
  /// A whole line (without its end) on `to`.
  void print(std::FILE *to, const std::string &line);
  /// False where something that was printed on `to` until now did not arrive (a full disk, a reader
  /// that is gone).
  bool flush(std::FILE *to);
  /// Leaves the last line standing; what is being printed leaves it behind itself.
  void finish();

private:
  void draw(const ProgressSnapshot &snapshot) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void erase() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool write(int fd, std::string_view text) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void say(int unread, const std::string &line);
  std::FILE *const out_;
  const bool terminal_;
  std::function<bool()> stops_;
  bool says_ = false;
  base::Mutex mutex_;
  std::string drawn_ ABSL_GUARDED_BY(mutex_); ///< what stands on the terminal's last line
  /// something that was printed elsewhere than on `out_`
  bool lost_ ABSL_GUARDED_BY(mutex_) = false;
  bool unread_ ABSL_GUARDED_BY(mutex_) = false; ///< and nothing more is
  absl::Time said_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast(); ///< that nobody reads
  absl::Time lastWritten_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::string written_ ABSL_GUARDED_BY(mutex_); ///< then, without the rate
};

/// "10,000"
std::string withThousands(uint64_t value);

} // namespace graphc::observe
#endif
