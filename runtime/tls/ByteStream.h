//===- ByteStream.h - bytes over a connection that may speak TLS --------------------*- C++ -*-===//
//
// For what is no gRPC: the status page of a run, and who asks for it. Nothing waits here; the
// caller polls.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TLS_BYTESTREAM_H
#define GRAPHC_RUNTIME_TLS_BYTESTREAM_H

#include "runtime/tls/TlsCredentials.h"

#include <memory>
#include <string>

namespace graphc::tls {

/// SIGPIPE has to be blocked on the thread that uses one: libssl writes with write().
class ByteStream {
public:
  virtual ~ByteStream() = default;

  /// `own` null: without TLS. The descriptor does not block, and stays the caller's. With TLS both
  /// ends show a certificate of the authority.
  static absl::StatusOr<std::unique_ptr<ByteStream>> accept(int fd, const TlsCredentials *own);
  /// `host`: for whom the other end's certificate has to be good.
  static absl::StatusOr<std::unique_ptr<ByteStream>> connect(int fd, const std::string &host,
                                                             const TlsCredentials *own);

  struct Moved {
    size_t bytes = 0; ///< 0 and open: poll for `events`, and try again
    short events = 0;
    bool ended = false; ///< the other end sends nothing more, or has broken off
    std::string why{}; ///< of a broken one: what TLS says; "": nothing
  };
  virtual Moved read(char *to, size_t most) = 0;
  virtual Moved write(const char *from, size_t bytes) = 0;
  /// Says that nothing more is sent; what the other end sends may still be read.
  virtual void finish() = 0;
};

} // namespace graphc::tls
#endif
