//===- Door.h - who gets as far as gRPC -----------------------------------------------------------------*- C++ -*-===//
//
// A task's listening sockets, watched by one thread that admits connections and hands them to the gRPC server. Nothing of an
// unproven caller reaches gRPC, which bounds neither streams nor memory:
//   without TLS   the other end is of this user (Unix sockets) and proves that it knows the run's secret (Proof.h);
//   with TLS      gRPC makes the handshake; how many connections there are at once is bounded here.
// Calls of strangers cost a fixed number of bytes, a descriptor for some seconds and a bounded share of one core.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SERVICE_DOOR_H
#define GRAPHC_RUNTIME_SERVICE_DOOR_H

#include "runtime/base/File.h"
#include "runtime/service/Proof.h"

#include "absl/time/time.h"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace graphc::service {

class Door {
public:
  struct Options {
    std::vector<base::UniqueFd> listeners;
    bool proof = true; ///< false: TLS
    std::string secret; ///< with `proof`
    size_t mostConnections = 64; ///< without `proof`: that live at the same time
    std::function<void(base::UniqueFd)> admit; ///< on the door's thread
  };
  /// How many callers may be at their proof at once, and for how long. One more takes the place of one of these, by lot, so
  /// that callers who are many cannot keep an honest one out for ever.
  static constexpr size_t kMostAtProof = 64;
  static constexpr absl::Duration kProofTime = absl::Seconds(5);

  explicit Door(Options options);
  ~Door() { close(); }
  /// No connection is admitted afterwards. Idempotent.
  void close();

private:
  struct Caller {
    base::UniqueFd socket;
    std::unique_ptr<Examiner> examiner;
    absl::Time until;
  };
  /// A connection that gRPC has: the descriptor's number and what it led to then, for no other object has both.
  struct Admitted {
    int fd;
    uint64_t inode;
  };
  void run();
  void acceptFrom(int listener);
  void admit(base::UniqueFd socket);
  bool full();

  const Options options_;
  base::UniqueFd stop_;
  std::vector<Caller> callers_; ///< of the door's thread, as what follows
  std::vector<Admitted> admitted_;
  size_t strangers_ = 0; ///< since `counted_`
  absl::Time counted_, rest_ = absl::InfinitePast(); ///< until then nobody is let in
  std::thread thread_;
};

} // namespace graphc::service
#endif
