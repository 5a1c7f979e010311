//===- HttpServer.h - answers requests on a thread of its own -----------------------*- C++ -*-===//
//
// One thread for all connections, each of which carries one request and has one deadline for
// everything: handshake, request, answer. Where more connections come to an endpoint than are
// taken, its oldest is let go, so that those who say nothing keep out nobody who does.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_HTTP_HTTPSERVER_H
#define GRAPHC_RUNTIME_HTTP_HTTPSERVER_H

#include "runtime/common/base/File.h"
#include "runtime/http/HttpRequest.h"
#include "runtime/tls/ByteStream.h"

#include "absl/time/time.h"

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace graphc::http {

struct HttpResponse {
  int status = 200;
  std::string type; ///< "text/html; charset=utf-8"
  std::string body;
};

/// Where it listens, and to whom it answers.
struct HttpEndpoint {
  base::UniqueFd listener;
  bool sameUser = false; ///< a Unix socket: to processes of this user alone
  std::shared_ptr<const tls::TlsCredentials>
      tls; ///< to who shows a certificate of the same authority; null: without TLS
  /// to who brings it, as "Bearer SECRET" or as the password of "Basic"; empty: to all others too
  std::string secret;
};

class HttpServer {
public:
  struct Options {
    std::vector<HttpEndpoint> endpoints;
    /// What there is at a path, on the responder's thread; status 404: nothing. Only GET and HEAD
    /// get so far.
    std::function<HttpResponse(const std::string &path)> answer;
    absl::Duration deadline = absl::Seconds(10);
    size_t mostConnections = 16; ///< of each endpoint: who floods one keeps nobody out of another
  };
  static absl::StatusOr<std::unique_ptr<HttpServer>> start(Options options);
  /// Ends the thread; who is being answered is broken off.
  ~HttpServer();

private:
  struct Connection {
    base::UniqueFd fd;
    const HttpEndpoint *endpoint = nullptr;
    std::unique_ptr<tls::ByteStream> stream;
    absl::Time until; ///< then it is closed
    short events = 0; ///< to poll for
    std::string in, out;
    size_t sent = 0;
    enum class Phase { Reads, Writes, Lingers } phase = Phase::Reads;
  };
  explicit HttpServer(Options options, base::UniqueFd wake);
  void run();
  void accept(const HttpEndpoint &endpoint);
  bool advance(Connection &connection);
  bool read(Connection &connection);
  bool write(Connection &connection);
  void answer(Connection &connection, const HttpRequest &request);
  void put(Connection &connection, const HttpResponse &response, bool body = true,
           const std::string &more = "");
  void refuse(Connection &connection, int status, const std::string &why,
              const std::string &more = "");
  void expire(absl::Time now);

  const Options options_;
  const base::UniqueFd wake_; ///< an eventfd that says: end
  std::list<Connection> connections_; ///< oldest first; the thread's
  std::thread thread_;
};

} // namespace graphc::http
#endif
