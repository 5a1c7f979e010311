//===- WarmStart.h - with what values a training begins -----------------------------*- C++ -*-===//
//
// --init_from: another training's checkpoint, or a file of values of another program. Each task
// finds by itself what its variables take of it, from it and the plan.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_CHECKPOINT_WARMSTART_H
#define GRAPHC_RUNTIME_CHECKPOINT_WARMSTART_H

#include "runtime/checkpoint/ValuesFile.h"

#include <variant>

namespace graphc::checkpoint {

/// What a training that begins takes.
struct WarmStart {
  std::map<std::string, std::string, std::less<>>
      sources; ///< of variables of the model: the origin's of the same type, mostly of that name
  /// those that begin with values of their own, and why: "w (not there)"
  std::vector<std::string> others;
};

/// Where it takes them from.
class WarmStartSource {
public:
  /// The file, or the checkpoint, or the newest of a folder of them; what of those was skipped, and
  /// why, goes to `warnings`. NotFound: none there is whole.
  static absl::StatusOr<WarmStartSource> find(const std::string &from,
                                              std::vector<std::string> &warnings);
  /// What find() has found, on another task. Of a checkpoint the manifest alone: restore() checks
  /// the shards that it takes from. A file is the finder's own, byte for byte, by its length and
  /// sum: another machine may have another one of that name.
  static absl::StatusOr<WarmStartSource> openCheckpoint(const std::string &path);
  static absl::StatusOr<WarmStartSource> openFile(const std::string &path, uint64_t bytes,
                                                  uint32_t crc32c);
  explicit WarmStartSource(CommittedCheckpoint checkpoint) : of_(std::move(checkpoint)) {}
  explicit WarmStartSource(ValuesFile file) : of_(std::move(file)) {}

  const std::string &path() const;
  const ValuesFile *file() const { return std::get_if<ValuesFile>(&of_); }

  /// Variables by name and type. Not what counts steps, nor an optimizer's slots; a moving average
  /// begins as its variable where there is none of its own. The error says that the model has
  /// nothing in common with the origin, or which variables lack a value: those that have none of
  /// their own, and of a file those that it has in other elements or in another order.
  absl::StatusOr<WarmStart> beginnings(const plan::Plan &plan) const;
  /// Whether all that they take is sound. A checkpoint that was found is.
  absl::Status check(const WarmStart &beginnings, const plan::Plan &plan) const;
  absl::Status restore(const std::vector<RestoreTarget> &targets) const;

private:
  std::string describe() const;
  std::vector<std::string> names() const;

  std::variant<CommittedCheckpoint, ValuesFile> of_;
};

/// What a run says that begins from no checkpoint, nor from an origin: which variables have no
/// values (#graph.uninitialized).
absl::Status checkInitialized(const plan::Plan &plan);

/// "a, b and 7 more".
std::string listed(const std::vector<std::string> &names, size_t most);

} // namespace graphc::checkpoint
#endif
