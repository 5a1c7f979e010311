//===- SecretProof.h --------------------------------------------------------------------------===//
//
// Both ends of a connection show that they know one secret, which never travels.
//
// Before the first byte of HTTP/2, where there is no TLS:
//   caller -> listener   kProofMagic, 32 random bytes A
//   listener -> caller   kProofMagic, 32 random bytes B, HMAC(secret, "listener" A B ends)
//   caller -> listener   HMAC(secret, "caller" A B ends)
//   listener -> caller   one byte: come in
// The listener proves itself first: a caller that hears anything else goes away and has said
// nothing but a random number. `ends` are the two addresses of the TCP connection, so that whoever
// stands between two honest ends, and passes on what each says over connections of its own, is
// found out. On Unix sockets the kernel says whose process the other is. The messages are of fixed
// size, and a listener reads 40 bytes, later 32, of whoever calls: nothing grows.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SERVICE_SECRETPROOF_H
#define GRAPHC_RUNTIME_SERVICE_SECRETPROOF_H

#include "absl/status/status.h"
#include "absl/time/time.h"

#include <string>
#include <string_view>

namespace graphc::service {

/// The caller's end, on a connected socket. OK: the rest of the connection is with one who knows
/// `secret`, on the same two addresses. Unauthenticated: the other does not know it. Unavailable:
/// it went away, or said nothing in time.
absl::Status prove(int socket, const std::string &secret, absl::Time deadline);

/// The listener's end, for one connection, fed as bytes come.
class ProofExaminer {
public:
  enum class State { NeedsMore, Proven, Refused };
  ProofExaminer(int socket, std::string secret) : socket_(socket), secret_(std::move(secret)) {}
  /// Reads what is there and no byte of what comes after the proof.
  State readable();
  /// Tells a caller who is Proven to come in.
  bool welcome();
  /// Whether the caller has the listener's proof and owes its own.
  bool answered() const { return !expected_.empty(); }

private:
  State answer();
  const int socket_;
  const std::string secret_;
  std::string received_, randoms_, expected_;
};

} // namespace graphc::service
#endif
