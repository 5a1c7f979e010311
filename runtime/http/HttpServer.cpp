#include "runtime/http/HttpServer.h"

#include "runtime/common/base/Sha256.h"
#include "runtime/common/base/Socket.h"
#include "runtime/common/base/StartThread.h"
#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace graphc::http {
namespace {
/// Behind an answer, what the other end still sends is thrown away for so long: a connection that
/// is closed with bytes unread is reset, and the answer may be lost.
constexpr absl::Duration kLinger = absl::Seconds(1);
constexpr size_t kPiece = 4096;

/// Equal digests, whose comparison says nothing of where the texts differ.
bool sameSecret(std::string_view given, std::string_view wanted) {
  return base::sha256(given) == base::sha256(wanted);
}

/// "Bearer SECRET", or "Basic" with any name and the secret for a password, which is what a browser
/// asks for.
bool brings(const std::string &authorization, const std::string &secret) {
  const size_t space = authorization.find(' ');
  if (space == std::string::npos)
    return false;
  const std::string scheme = authorization.substr(0, space),
                    value = authorization.substr(space + 1);
  if (absl::EqualsIgnoreCase(scheme, "Bearer"))
    return sameSecret(value, secret);
  std::string pair;
  if (!absl::EqualsIgnoreCase(scheme, "Basic") || !absl::Base64Unescape(value, &pair))
    return false;
  const size_t colon = pair.find(':');
  return colon != std::string::npos && sameSecret(std::string_view(pair).substr(colon + 1), secret);
}
} // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::start(Options options) {
  base::UniqueFd wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake)
    return base::errnoStatus("eventfd", errno);
  std::unique_ptr<HttpServer> made(new HttpServer(std::move(options), std::move(wake)));
  // The thread takes no signal: those that stop a run are others' to take, and SIGPIPE of a reader
  // that has gone is nobody's.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  absl::StatusOr<std::thread> started =
      base::startThread("the responder's", [self = made.get()] { self->run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  GRAPHC_ASSIGN_OR_RETURN(made->thread_, std::move(started));
  pthread_setname_np(made->thread_.native_handle(), "responder");
  return made;
}

HttpServer::HttpServer(Options options, base::UniqueFd wake)
    : options_(std::move(options)), wake_(std::move(wake)) {}

HttpServer::~HttpServer() {
  const uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
  if (thread_.joinable())
    thread_.join();
}

void HttpServer::run() {
  while (true) {
    std::vector<pollfd> polls = {{wake_.get(), POLLIN, 0}};
    for (const HttpEndpoint &endpoint : options_.endpoints)
      polls.push_back({endpoint.listener.get(), POLLIN, 0});
    absl::Time next = absl::InfiniteFuture();
    for (const Connection &connection : connections_) {
      polls.push_back({connection.fd.get(), connection.events, 0});
      next = std::min(next, connection.until);
    }
    const absl::Duration wait = next - absl::Now();
    poll(polls.data(), polls.size(),
         next == absl::InfiniteFuture() ? -1
                                        : static_cast<int>(std::clamp<int64_t>(
                                              absl::ToInt64Milliseconds(wait) + 1, 0, 60000)));
    if (polls[0].revents)
      return;
    size_t at = 1 + options_.endpoints.size();
    for (auto connection = connections_.begin();
         connection != connections_.end() && at < polls.size(); ++at)
      connection = polls[at].revents && !advance(*connection) ? connections_.erase(connection)
                                                              : std::next(connection);
    expire(absl::Now());
    for (size_t i = 0; i < options_.endpoints.size(); ++i)
      if (polls[1 + i].revents)
        accept(options_.endpoints[i]);
  }
}

/// Those whose time is over: who has not asked yet is told so, once.
void HttpServer::expire(absl::Time now) {
  for (auto connection = connections_.begin(); connection != connections_.end();) {
    bool over = now >= connection->until;
    if (over && connection->phase == Connection::Phase::Reads) {
      refuse(*connection, 408, "the request did not come in time");
      connection->until = now + kLinger;
      over = !advance(*connection);
    }
    connection = over ? connections_.erase(connection) : std::next(connection);
  }
}

void HttpServer::accept(const HttpEndpoint &endpoint) {
  Connection connection;
  connection.fd.reset(
      accept4(endpoint.listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!connection.fd) {
    if (errno == EMFILE || errno == ENFILE) { // else poll would come back at once, again and again
      connections_.clear();
      absl::SleepFor(absl::Milliseconds(100));
    }
    return;
  }
  if (endpoint.sameUser && !base::checkSameUser(connection.fd.get()).ok())
    return;
  absl::StatusOr<std::unique_ptr<tls::ByteStream>> stream =
      tls::ByteStream::accept(connection.fd.get(), endpoint.tls.get());
  if (!stream.ok())
    return;
  connection.stream = *std::move(stream);
  connection.endpoint = &endpoint;
  connection.until = absl::Now() + options_.deadline;
  connection.events = POLLIN;
  const auto isHere = [&](const Connection &other) { return other.endpoint == &endpoint; };
  if (static_cast<size_t>(std::count_if(connections_.begin(), connections_.end(), isHere)) >=
      options_.mostConnections) {
    const auto oldest = std::find_if(connections_.begin(), connections_.end(), isHere);
    if (oldest->phase == Connection::Phase::Reads) {
      refuse(*oldest, 503, "too many connections are open");
      (void)advance(*oldest);
    }
    connections_.erase(oldest);
  }
  connections_.push_back(std::move(connection));
}

/// As far as it goes without waiting; false: close it.
bool HttpServer::advance(Connection &connection) {
  if (connection.phase == Connection::Phase::Reads && !read(connection))
    return false;
  if (connection.phase == Connection::Phase::Writes && !write(connection))
    return false;
  if (connection.phase != Connection::Phase::Lingers)
    return true;
  char piece[kPiece];
  const tls::ByteStream::Moved moved = connection.stream->read(piece, sizeof piece);
  connection.events = POLLIN;
  return !moved.ended;
}

bool HttpServer::read(Connection &connection) {
  while (true) {
    char piece[kPiece];
    const tls::ByteStream::Moved moved = connection.stream->read(piece, sizeof piece);
    if (moved.ended)
      return false;
    if (moved.bytes == 0) {
      connection.events = moved.events;
      return true;
    }
    connection.in.append(piece, moved.bytes);
    const ParsedRequest parsed = parseRequest(connection.in);
    if (parsed.state == ParsedRequest::State::More)
      continue;
    if (parsed.state == ParsedRequest::State::Refused)
      refuse(connection, parsed.status, parsed.why);
    else
      answer(connection, parsed.request);
    return true;
  }
}

bool HttpServer::write(Connection &connection) {
  while (connection.sent < connection.out.size()) {
    const tls::ByteStream::Moved moved = connection.stream->write(
        connection.out.data() + connection.sent, connection.out.size() - connection.sent);
    if (moved.ended)
      return false;
    if (moved.bytes == 0) {
      connection.events = moved.events;
      return true;
    }
    connection.sent += moved.bytes;
  }
  connection.stream->finish();
  connection.phase = Connection::Phase::Lingers;
  connection.until = std::min(connection.until, absl::Now() + kLinger);
  return true;
}

void HttpServer::answer(Connection &connection, const HttpRequest &request) {
  if (const std::string &secret = connection.endpoint->secret;
      !secret.empty() && !brings(request.authorization, secret))
    return refuse(
        connection, 401, "the secret of --status_secret is missing or another",
        "WWW-Authenticate: Bearer realm=\"graphrun\"\r\nWWW-Authenticate: Basic realm=\"graphrun\", "
        "charset=\"UTF-8\"\r\n");
  if (request.method != "GET" && request.method != "HEAD")
    return refuse(connection, 405, "a run can be looked at, and nothing else",
                  "Allow: GET, HEAD\r\n");
  const HttpResponse response = options_.answer(request.path);
  if (response.status == 404)
    return refuse(connection, 404, "there are /, /status.json and /metrics");
  put(connection, response, request.method == "GET");
}

void HttpServer::refuse(Connection &connection, int status, const std::string &why,
                        const std::string &more) {
  put(connection,
      {status, "text/plain; charset=utf-8", absl::StrCat(reasonOf(status), ": ", why, "\n")},
      /*body=*/true, more);
}

/// No script, frame or image may come with a page, and no cache keeps it.
void HttpServer::put(Connection &connection, const HttpResponse &response, bool body,
                     const std::string &more) {
  connection.out = absl::StrCat(
      "HTTP/1.1 ", response.status, " ", reasonOf(response.status),
      "\r\nContent-Type: ", response.type, "\r\nContent-Length: ", response.body.size(),
      "\r\nConnection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
      "Referrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; "
      "frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\n",
      more, "\r\n", body ? response.body : "");
  connection.in.clear();
  connection.phase = Connection::Phase::Writes;
}

} // namespace graphc::http
