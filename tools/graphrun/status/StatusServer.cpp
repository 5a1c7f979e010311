#include "tools/graphrun/status/StatusServer.h"

#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::graphrun {
namespace {
constexpr size_t kLeastSecret = 16, kMostSecret = 1024;

http::HttpResponse answer(const std::string &path,
                          const std::function<observe::RunStatus()> &look) {
  if (path == "/")
    return {200, "text/html; charset=utf-8", observe::toPage(look())};
  if (path == "/status.json")
    return {200, "application/json", observe::toJson(look()) + "\n"};
  if (path == "/metrics")
    return {200, "text/plain; version=0.0.4; charset=utf-8", observe::toPrometheus(look())};
  return {404, "", ""};
}

/// Where a socket of TCP listens.
uint16_t portOf(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr *>(&address), &size) != 0)
    return 0;
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6 &>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in &>(address).sin_port);
}
} // namespace

absl::StatusOr<std::string> readStatusSecret(const std::string &file) {
  const std::string what = absl::StrCat("--status_secret ", file);
  const base::UniqueFd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat info{};
  if (!fd || fstat(fd.get(), &info) != 0)
    return absl::InvalidArgumentError(
        absl::StrCat("--status_secret ", base::errnoStatus(file, errno).message()));
  if (!S_ISREG(info.st_mode))
    return absl::InvalidArgumentError(absl::StrCat(what, ": not a regular file"));
  if (info.st_uid != geteuid() || (info.st_mode & 077) != 0)
    return absl::InvalidArgumentError(absl::StrCat(
        what,
        info.st_uid != geteuid() ? ": it belongs to another user" : ": other users can read it",
        "; a secret is its user's alone: chmod 600 ", file));
  char text[kMostSecret + 1];
  const ssize_t size = ::read(fd.get(), text, sizeof text);
  const std::string secret(
      absl::StripAsciiWhitespace({text, static_cast<size_t>(std::max<ssize_t>(size, 0))}));
  if (size > static_cast<ssize_t>(kMostSecret) || secret.size() < kLeastSecret ||
      !std::all_of(secret.begin(), secret.end(), absl::ascii_isgraph))
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": expected one line of ", kLeastSecret, " to ", kMostSecret,
                     " characters without spaces: head -c 24 /dev/urandom | base64 >", file));
  return secret;
}

absl::Status checkStatusFlags(const RunFlags &flags, bool hasTls) {
  if (flags.statusAddress.empty())
    return flags.statusSecret.empty()
               ? absl::OkStatus()
               : absl::InvalidArgumentError("--status_secret needs --status_address HOST:PORT");
  auto [host, port] = base::splitAddress(flags.statusAddress);
  uint32_t number = 0;
  if (host.empty() || !absl::SimpleAtoi(port, &number) || number > 65535)
    return absl::InvalidArgumentError(
        absl::StrCat("--status_address ", flags.statusAddress,
                     ": expected HOST:PORT, as in localhost:9464 (port 0: any)"));
  if (!flags.statusSecret.empty())
    return readStatusSecret(flags.statusSecret).status();
  if (!hasTls)
    return absl::InvalidArgumentError(absl::StrCat(
        "--status_address ", flags.statusAddress,
        ": who can reach a port is not known, on the loopback neither; give --status_secret FILE (head -c 24 "
        "/dev/urandom | base64 >FILE; chmod 600 FILE), or --tls_cert, --tls_key and --tls_ca"));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<StatusServer>>
StatusServer::start(const RunFlags &flags, std::shared_ptr<const tls::TlsCredentials> credentials,
                    std::function<observe::RunStatus()> look) {
  std::unique_ptr<StatusServer> made(new StatusServer);
  http::HttpServer::Options options;
  // A run that has no place for a socket goes on without.
  if (auto listener = base::UnnamedListener::make(SOCK_STREAM, kStatusSocket); listener.ok()) {
    made->socket_ = listener->procPath();
    made->path_ = std::move(listener->path);
    options.endpoints.push_back({std::move(listener->listener), /*sameUser=*/true, nullptr, ""});
  }
  if (!flags.statusAddress.empty()) {
    GRAPHC_RETURN_IF_ERROR(checkStatusFlags(flags, credentials != nullptr));
    std::string secret;
    if (!flags.statusSecret.empty()) {
      GRAPHC_ASSIGN_OR_RETURN(secret, readStatusSecret(flags.statusSecret));
    }
    auto sockets = base::listenTcp(flags.statusAddress, /*everyInterface=*/false);
    if (!sockets.ok())
      return absl::FailedPreconditionError(
          absl::StrCat("--status_address ", flags.statusAddress, ": ", sockets.status().message()));
    const bool any = absl::EndsWith(flags.statusAddress, ":0");
    for (base::UniqueFd &socket : *sockets) {
      if (made->url_.empty())
        made->url_ =
            absl::StrCat(credentials ? "https://" : "http://",
                         any ? base::joinAddress(base::splitAddress(flags.statusAddress).first,
                                                 portOf(socket.get()))
                             : flags.statusAddress,
                         "/");
      options.endpoints.push_back({std::move(socket), /*sameUser=*/false, credentials, secret});
      if (any) // the next one would get another port
        break;
    }
  }
  if (options.endpoints.empty())
    return made;
  options.answer = [look = std::move(look)](const std::string &path) { return answer(path, look); };
  GRAPHC_ASSIGN_OR_RETURN(made->responder_, http::HttpServer::start(std::move(options)));
  return made;
}

} // namespace graphc::graphrun
