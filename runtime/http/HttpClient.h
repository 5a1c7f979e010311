//===- HttpClient.h - asks a responder for one document -----------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_HTTP_HTTPCLIENT_H
#define GRAPHC_RUNTIME_HTTP_HTTPCLIENT_H

#include "runtime/tls/TlsCredentials.h"

#include "absl/time/time.h"

#include <string>

namespace graphc::http {

struct HttpDestination {
  std::string address; ///< "host:port", or the path of a Unix socket where it begins with '/'
  const tls::TlsCredentials *tls = nullptr; ///< null: without TLS
  std::string secret; ///< brought as a bearer; empty: none
};

inline constexpr size_t kMostAnswerBytes = 64 << 20;

/// The body of a GET that was answered by 200. Unavailable: nobody listens there; PermissionDenied:
/// who does wants another secret.
absl::StatusOr<std::string> get(const HttpDestination &target, const std::string &path,
                                absl::Time deadline);

/// The body of an answer that was read to its end. The error says what the other end has answered
/// instead.
absl::StatusOr<std::string> bodyOf(std::string_view answer);

} // namespace graphc::http
#endif
