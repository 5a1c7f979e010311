//===- HttpRequest.h - a request of HTTP/1.1 without a body -------------------------*- C++ -*-===//
//
// The part of RFC 9110 and RFC 9112 that a read-only server of three small documents needs, and
// strict: what could be read in two ways is refused. Why our own:
// docs/decisions/2026-11-26-status-of-a-run.md
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_HTTP_HTTPREQUEST_H
#define GRAPHC_RUNTIME_HTTP_HTTPREQUEST_H

#include <cstddef>
#include <string>
#include <string_view>

namespace graphc::http {

inline constexpr size_t kMostRequestBytes = 8192, kMostTargetBytes = 1024, kMostHeaders = 64;

struct HttpRequest {
  std::string method; ///< a token; any
  std::string path; ///< of the target, without the query: "/metrics"
  std::string authorization; ///< the header's value; empty: there is none
};

/// What the first bytes of a connection are.
struct ParsedRequest {
  enum class State { More, Whole, Refused };
  State state = State::More;
  HttpRequest request; ///< of a whole one
  int status = 0; ///< of a refused one
  std::string why; ///< for people
};

/// Looks at nothing behind the end of the head; bytes that follow it are ignored, for a connection
/// carries one request.
ParsedRequest parseRequest(std::string_view bytes);

/// "Not Found".
const char *reasonOf(int status);

} // namespace graphc::http
#endif
