//===- Socket.h - connections within this machine and to others ---------------------*- C++ -*-===//
//
// Addresses are "host:port", "[ipv6]:port" or "unix:PATH". Every descriptor is close-on-exec and
// non-blocking, every error says what to do.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_SOCKET_H
#define GRAPHC_RUNTIME_COMMON_BASE_SOCKET_H

#include "runtime/common/base/File.h"

#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <string>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace graphc::base {

/// "host:port" or "[ipv6]:port" in parts, without the brackets; no port: all of it is the host.
std::pair<std::string, std::string> splitAddress(const std::string &address);
bool isUnixAddress(const std::string &address);

/// A Unix socket that listens and has no name: it was bound in a folder of this user alone (mode
/// 0700), and both are gone again, so that nothing is left behind however the process ends, and no
/// other user can call it.
class UnnamedListener {
public:
  /// `type`: SOCK_STREAM or SOCK_SEQPACKET. `name`: by which /proc/PID/fd shows it, behind a folder
  /// of its own: ".../NAME (deleted)".
  static absl::StatusOr<UnnamedListener> make(int type, const std::string &name = "socket");
  UniqueFd listener;
  UniqueFd path; ///< an O_PATH descriptor of it, by which it is found
  /// For processes that have inherited `path`: "unix:/proc/self/fd/7".
  std::string inheritedAddress() const;
  /// For all processes of this user that see this one: "/proc/4711/fd/7".
  std::string procPath() const;
};

/// Unavailable: nobody listens there (yet), or too many wait.
absl::StatusOr<UniqueFd> connectUnix(const std::string &path, int type);

/// Listens on every address that `address` has ("localhost" has two); `everyInterface`: on the port
/// alone. The error says why it cannot be had.
absl::StatusOr<std::vector<UniqueFd>> listenTcp(const std::string &address, bool everyInterface);
/// Listens at a port that nobody has, on the loopback's IPv4 address or on every interface, and
/// tells which port.
absl::StatusOr<std::pair<UniqueFd, uint16_t>> listenAtAnyPort(bool everyInterface);
/// The address, without a port, by which other machines reach this one: that of its name `host`,
/// where the name leads to one of its network interfaces and not to the loopback, else that of its
/// first interface.
absl::StatusOr<std::string> ownAddress(const std::string &host);
/// "host:port", an IPv6 address in brackets.
std::string joinAddress(const std::string &host, uint16_t port);
/// Unavailable: nobody answers there.
absl::StatusOr<UniqueFd> connectTcp(const std::string &address, absl::Time deadline);

/// What is sent over a TCP connection goes at once; nothing on another socket.
void setNoDelay(int socket);
/// OK where the process at the other end of a Unix socket is one of this user.
absl::Status checkSameUser(int unixSocket);
/// The two ends of a TCP connection, the caller's first, the same text at both ends; "" for another
/// socket.
std::string endpoints(int socket, bool caller);

/// False: not ready for `events` (of poll) before the deadline.
bool waitFor(int fd, short events, absl::Time deadline);
/// All of it, or an error: Unavailable where the other end has closed, DeadlineExceeded.
absl::Status sendAll(int socket, std::string_view data, absl::Time deadline);
absl::StatusOr<std::string> receiveAll(int socket, size_t bytes, absl::Time deadline);

} // namespace graphc::base
#endif
