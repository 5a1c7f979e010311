//===- ConnectionAdmission.h - who gets as far as gRPC ------------------------------*- C++ -*-===//
//
// A task's listening sockets, watched by one thread that admits connections and hands them to the
// gRPC server. Nothing of an unproven caller reaches gRPC, which bounds neither streams nor memory:
//   without TLS   the other end is of this user (Unix sockets) and proves that it knows the run's secret (SecretProof.h);
//   with TLS      gRPC makes the handshake; how many connections there are at once is bounded here.
// Calls of strangers cost a fixed number of bytes, a descriptor for some seconds and a bounded
// share of one core.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SERVICE_CONNECTIONADMISSION_H
#define GRAPHC_RUNTIME_SERVICE_CONNECTIONADMISSION_H

#include "runtime/common/base/File.h"
#include "runtime/service/SecretProof.h"

#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace graphc::service {

/// A connection that gRPC has: the descriptor's number and what it led to then, for no other object
/// has both.
class AdmittedSocket {
public:
  AdmittedSocket() = default; ///< none
  explicit AdmittedSocket(int fd);
  /// gRPC has closed it.
  bool hasEnded() const;

private:
  int fd_ = -1;
  uint64_t inode_ = 0;
};

class ConnectionAdmission {
public:
  struct Options {
    std::vector<base::UniqueFd> listeners;
    bool proof = true; ///< false: TLS
    std::string secret; ///< with `proof`
    size_t mostConnections = 64; ///< without `proof`: that live at the same time
    std::function<void(base::UniqueFd)> admit; ///< on its own thread
  };
  /// How many callers may be at their proof at once, and for how long. One more takes the place of
  /// one of these, by lot, or where all have just been answered is sent away: an honest one, whose
  /// proof takes a fraction of kAnswerTime, comes in before long however many there are.
  static constexpr size_t kMostAtProof = 64;
  static constexpr absl::Duration kProofTime = absl::Seconds(5),
                                  kAnswerTime = absl::Milliseconds(100);

  /// Begins to admit. Fails for want of a descriptor.
  static absl::StatusOr<std::unique_ptr<ConnectionAdmission>> open(Options options);
  ~ConnectionAdmission() { close(); }
  /// No connection is admitted afterwards. Idempotent.
  void close();

private:
  struct Caller {
    base::UniqueFd socket;
    std::unique_ptr<ProofExaminer> examiner;
    int64_t until; ///< base::nowNanoseconds(), as below
    int64_t keptUntil = 0; ///< since it was answered: until then it keeps its place
  };
  ConnectionAdmission(Options options, base::UniqueFd stop);
  void run();
  void acceptFrom(int listener);
  void seat(base::UniqueFd socket);
  void admit(base::UniqueFd socket);
  bool full();

  Options options_;
  const base::UniqueFd stop_;
  std::vector<Caller> callers_; ///< of its own thread, as what follows
  std::vector<AdmittedSocket> admitted_;
  size_t strangers_ = 0; ///< since `counted_`
  int64_t counted_ = 0;
  int64_t rest_ = 0; ///< until then nobody is let in
  bool saidFull_ = false;
  std::thread thread_;
};

} // namespace graphc::service
#endif
