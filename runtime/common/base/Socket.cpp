#include "runtime/common/base/Socket.h"

#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace graphc::base {
namespace {
constexpr int kBacklog = 128;

struct FreeAddresses {
  void operator()(addrinfo *list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

absl::StatusOr<Addresses> resolve(const std::string &host, const std::string &port, int flags) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  if (int error = getaddrinfo(host.empty() ? nullptr : host.c_str(), port.c_str(), &hints, &found);
      error != 0)
    return absl::UnavailableError(
        absl::StrCat("the name ", host, " leads nowhere: ", gai_strerror(error)));
  return Addresses(found);
}

absl::StatusOr<socklen_t> unixAddress(const std::string &path, sockaddr_un &address) {
  address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return absl::InvalidArgumentError(
        absl::StrCat("the path ", path, " is too long for a Unix socket"));
  memcpy(address.sun_path, path.data(), path.size());
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
}

UniqueFd makeSocket(int family, int type) {
  return UniqueFd(socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

/// IPv4 in IPv6's clothes is IPv4: the two ends may see one connection either way.
std::string endText(const sockaddr_storage &address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET) {
    const auto &v4 = reinterpret_cast<const sockaddr_in &>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return absl::StrCat(text, " ", ntohs(v4.sin_port));
  }
  const auto &v6 = reinterpret_cast<const sockaddr_in6 &>(address);
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr))
    inet_ntop(AF_INET, v6.sin6_addr.s6_addr + 12, text, sizeof text);
  else
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
  return absl::StrCat(text, " ", ntohs(v6.sin6_port));
}

} // namespace

std::pair<std::string, std::string> splitAddress(const std::string &address) {
  size_t colon = address.rfind(':');
  if (colon == std::string::npos)
    return {address, ""};
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[')
    host = host.substr(1, host.size() - 2);
  return {host, address.substr(colon + 1)};
}

bool isUnixAddress(const std::string &address) { return address.rfind("unix:", 0) == 0; }

absl::StatusOr<UnnamedListener> UnnamedListener::make(int type, const std::string &as) {
  std::string tried;
  for (const char *parent : std::initializer_list<const char *>{
           std::getenv("XDG_RUNTIME_DIR"), std::getenv("TMPDIR"), "/tmp", "/dev/shm"}) {
    if (!parent || *parent != '/')
      continue;
    std::string folder = absl::StrCat(parent, "/graphc-XXXXXX");
    const bool there = mkdtemp(folder.data()); // mode 0700
    const std::string name = absl::StrCat(folder, "/", as);
    sockaddr_un address;
    auto size = unixAddress(name, address);
    if (!there || !size.ok()) {
      if (there)
        rmdir(folder.c_str());
      absl::StrAppend(&tried, tried.empty() ? "" : ", ", parent);
      continue;
    }
    UnnamedListener made;
    made.listener = makeSocket(AF_UNIX, type);
    if (made.listener &&
        bind(made.listener.get(), reinterpret_cast<sockaddr *>(&address), *size) == 0 &&
        listen(made.listener.get(), kBacklog) == 0)
      made.path = UniqueFd(open(name.c_str(), O_PATH | O_CLOEXEC));
    int error = errno;
    unlink(name.c_str());
    rmdir(folder.c_str());
    if (!made.path)
      return errnoStatus("a listening socket", error);
    return made;
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "there is no folder in which a socket could be made (tried ", tried, "); set TMPDIR to one"));
}

std::string UnnamedListener::inheritedAddress() const {
  return absl::StrCat("unix:/proc/self/fd/", path.get());
}
std::string UnnamedListener::procPath() const {
  return absl::StrCat("/proc/", getpid(), "/fd/", path.get());
}

absl::StatusOr<UniqueFd> connectUnix(const std::string &path, int type) {
  UniqueFd fd = makeSocket(AF_UNIX, type);
  if (!fd)
    return errnoStatus("a socket", errno);
  sockaddr_un address;
  GRAPHC_ASSIGN_OR_RETURN(socklen_t size, unixAddress(path, address));
  if (connect(fd.get(), reinterpret_cast<sockaddr *>(&address), size) == 0)
    return fd;
  if (errno == ECONNREFUSED || errno == EAGAIN || errno == EINTR || errno == ENOENT)
    return absl::UnavailableError(std::strerror(errno));
  return errnoStatus(path, errno);
}

absl::StatusOr<std::vector<UniqueFd>> listenTcp(const std::string &address, bool everyInterface) {
  auto [host, port] = splitAddress(address);
  auto found = resolve(everyInterface ? "" : host, port, AI_PASSIVE);
  if (!found.ok())
    return absl::FailedPreconditionError(found.status().message());
  std::vector<UniqueFd> sockets;
  std::string why =
      "no network interface of this machine has this address; is this another task's machine?";
  for (addrinfo *one = found->get(); one; one = one->ai_next) {
    UniqueFd fd = makeSocket(one->ai_family, SOCK_STREAM);
    if (!fd && errno == EAFNOSUPPORT)
      continue; // a kernel without IPv6
    if (!fd)
      return errnoStatus("a socket", errno);
    int on = 1;
    setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (one->ai_family == AF_INET6)
      setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (bind(fd.get(), one->ai_addr, one->ai_addrlen) == 0 && listen(fd.get(), kBacklog) == 0) {
      sockets.push_back(std::move(fd));
    } else if (errno == EADDRINUSE) {
      return absl::FailedPreconditionError(
          "another process has this port; end it, or choose another port");
    } else if (errno != EADDRNOTAVAIL && errno != EAFNOSUPPORT) {
      why = std::strerror(errno);
    }
  }
  if (sockets.empty())
    return absl::FailedPreconditionError(why);
  return sockets;
}

absl::StatusOr<std::pair<UniqueFd, uint16_t>> listenAtAnyPort(bool everyInterface) {
  // The socket of IPv6 takes IPv4's callers as well.
  UniqueFd fd = everyInterface ? makeSocket(AF_INET6, SOCK_STREAM) : UniqueFd();
  sockaddr_storage address{};
  socklen_t size = sizeof(sockaddr_in);
  if (fd) {
    int off = 0;
    setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    reinterpret_cast<sockaddr_in6 &>(address).sin6_family = AF_INET6; // the address is in6addr_any
    size = sizeof(sockaddr_in6);
  } else { // also a kernel without IPv6
    fd = makeSocket(AF_INET, SOCK_STREAM);
    auto &v4 = reinterpret_cast<sockaddr_in &>(address);
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl(everyInterface ? INADDR_ANY : INADDR_LOOPBACK);
  }
  auto *general = reinterpret_cast<sockaddr *>(&address);
  if (!fd || bind(fd.get(), general, size) != 0 || listen(fd.get(), kBacklog) != 0 ||
      getsockname(fd.get(), general, &size) != 0)
    return errnoStatus("a listening socket", errno);
  uint16_t port = address.ss_family == AF_INET6
                      ? reinterpret_cast<sockaddr_in6 &>(address).sin6_port
                      : reinterpret_cast<sockaddr_in &>(address).sin_port;
  return std::make_pair(std::move(fd), ntohs(port));
}

absl::StatusOr<std::string> ownAddress(const std::string &host) {
  // Of an interface or a name; "" for what no other machine can dial: the loopback, IPv6 addresses
  // that need an interface's name.
  auto textOf = [](const sockaddr *address) -> std::string {
    char text[INET6_ADDRSTRLEN] = "";
    if (address && address->sa_family == AF_INET)
      inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in *>(address)->sin_addr, text,
                sizeof text);
    if (address && address->sa_family == AF_INET6)
      inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6 *>(address)->sin6_addr, text,
                sizeof text);
    bool near = strncmp(text, "127.", 4) == 0 || strcmp(text, "::1") == 0 ||
                strncasecmp(text, "fe80:", 5) == 0;
    return near ? "" : text;
  };
  ifaddrs *interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0)
    return errnoStatus("this machine's network interfaces", errno);
  std::vector<std::string> own; // IPv4 first
  for (int family : {AF_INET, AF_INET6})
    for (ifaddrs *one = interfaces; one; one = one->ifa_next)
      if (one->ifa_addr && one->ifa_addr->sa_family == family && (one->ifa_flags & IFF_UP))
        if (std::string text = textOf(one->ifa_addr); !text.empty())
          own.push_back(std::move(text));
  freeifaddrs(interfaces);
  if (own.empty())
    return absl::FailedPreconditionError(
        "this machine has no network interface but the loopback; no other can reach it");
  if (auto named = resolve(host, "0", 0); named.ok())
    for (addrinfo *one = named->get(); one; one = one->ai_next)
      if (std::string text = textOf(one->ai_addr);
          std::find(own.begin(), own.end(), text) != own.end())
        return text;
  return own.front();
}

std::string joinAddress(const std::string &host, uint16_t port) {
  bool v6 = host.find(':') != std::string::npos;
  return absl::StrCat(v6 ? "[" : "", host, v6 ? "]:" : ":", port);
}

absl::StatusOr<UniqueFd> connectTcp(const std::string &address, absl::Time deadline) {
  auto [host, port] = splitAddress(address);
  GRAPHC_ASSIGN_OR_RETURN(Addresses found, resolve(host, port, 0));
  std::string why = "no address";
  for (addrinfo *one = found.get(); one; one = one->ai_next) {
    UniqueFd fd = makeSocket(one->ai_family, SOCK_STREAM);
    if (!fd && errno != EAFNOSUPPORT)
      return errnoStatus("a socket", errno);
    int error = 0;
    if (connect(fd.get(), one->ai_addr, one->ai_addrlen) != 0) {
      error = errno;
      socklen_t size = sizeof error;
      if (error == EINPROGRESS && waitFor(fd.get(), POLLOUT, deadline))
        getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error == 0) {
      setNoDelay(fd.get());
      return fd;
    }
    why = error == EINPROGRESS ? "no answer; is it another network, or a firewall?"
                               : std::strerror(error);
  }
  return absl::UnavailableError(why);
}

void setNoDelay(int socket) {
  int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

absl::Status checkSameUser(int unixSocket) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(unixSocket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return errnoStatus("SO_PEERCRED", errno);
  if (credentials.uid != geteuid())
    return absl::PermissionDeniedError(absl::StrCat("process ", credentials.pid, " of user ",
                                                    credentials.uid, " is not of this user, ",
                                                    geteuid()));
  return absl::OkStatus();
}

std::string endpoints(int socket, bool caller) {
  sockaddr_storage own{}, other{};
  socklen_t ownSize = sizeof own, otherSize = sizeof other;
  if (getsockname(socket, reinterpret_cast<sockaddr *>(&own), &ownSize) != 0 ||
      getpeername(socket, reinterpret_cast<sockaddr *>(&other), &otherSize) != 0 ||
      (own.ss_family != AF_INET && own.ss_family != AF_INET6))
    return "";
  return caller ? absl::StrCat(endText(own), " ", endText(other))
                : absl::StrCat(endText(other), " ", endText(own));
}

bool waitFor(int fd, short events, absl::Time deadline) {
  pollfd one{fd, events, 0};
  while (true) {
    int64_t left = absl::ToInt64Milliseconds(deadline - absl::Now());
    int got = left > 0 ? poll(&one, 1, static_cast<int>(std::min<int64_t>(left, 1 << 30))) : 0;
    if (got > 0 || (got < 0 && errno != EINTR))
      return true;
    if (left <= 0)
      return false;
  }
}

absl::Status sendAll(int socket, std::string_view data, absl::Time deadline) {
  while (!data.empty()) {
    ssize_t sent = send(socket, data.data(), data.size(), MSG_NOSIGNAL);
    if (sent > 0)
      data.remove_prefix(static_cast<size_t>(sent));
    else if (errno != EAGAIN && errno != EINTR)
      return absl::UnavailableError(std::strerror(errno));
    else if (!waitFor(socket, POLLOUT, deadline))
      return absl::DeadlineExceededError("no answer");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> receiveAll(int socket, size_t bytes, absl::Time deadline) {
  std::string data(bytes, '\0');
  for (size_t have = 0; have < bytes;) {
    ssize_t got = recv(socket, data.data() + have, bytes - have, 0);
    if (got > 0)
      have += static_cast<size_t>(got);
    else if (got == 0)
      return absl::UnavailableError("it closes the connection");
    else if (errno != EAGAIN && errno != EINTR)
      return absl::UnavailableError(std::strerror(errno));
    else if (!waitFor(socket, POLLIN, deadline))
      return absl::DeadlineExceededError("no answer");
  }
  return data;
}

} // namespace graphc::base
