//===- DumpFolder.h - where variables are written until they get their names --------*- C++ -*-===//
//
//   DIR/.graphrun-dump-WORD/w1.npy.partial     being written, by the owners of its parts or by its one owner
//   DIR/w1.npy                                 whole
//
// The chief of a run makes the folder, and holds it (flock) until the run is over; then it goes,
// with what is in it. A task that was stopped meanwhile, was given up and wakes up later finds no
// folder to write into and nothing to rename: what another run has written there stays. While a
// chief lives, if only stopped, no other run of that host begins to write into DIR (NFS keeps locks
// of folders on each host).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_CHECKPOINT_DUMPFOLDER_H
#define GRAPHC_RUNTIME_CHECKPOINT_DUMPFOLDER_H

#include "runtime/common/base/File.h"

#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <string>
#include <utility>

namespace graphc::checkpoint {

class DumpFolder {
public:
  /// Makes DIR where it is missing. Those of runs that were killed go. FailedPrecondition: another
  /// run has been at it for all of `wait`; one that is killed still is for a moment.
  static absl::StatusOr<DumpFolder> create(const std::string &dir,
                                           absl::Duration wait = absl::Seconds(5));
  DumpFolder(DumpFolder &&other) noexcept
      : dir_(std::exchange(other.dir_, {})), word_(std::move(other.word_)),
        held_(std::move(other.held_)) {}
  DumpFolder &operator=(DumpFolder &&) = delete;
  ~DumpFolder();
  const std::string &word() const { return word_; }

private:
  DumpFolder() = default;
  std::string dir_, word_;
  base::UniqueFd held_;
};

/// Those of runs that were killed go. False: a run has held one for all of `wait`.
bool clearDumps(const std::string &dir, absl::Duration wait = absl::ZeroDuration());
/// DIR/.graphrun-dump-WORD; empty: it is no word.
std::string dumpPath(const std::string &dir, const std::string &word);
/// What lies there under this name, and is whole, gets it in DIR, in place of what has it.
absl::Status publish(const std::string &dir, const std::string &word, const std::string &file);

} // namespace graphc::checkpoint
#endif
