#include "runtime/transport/SegmentHandshake.h"

#include "runtime/common/base/Socket.h"
#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <span>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::transport::detail {
namespace {

constexpr char magic[] = "GRAPHCSM";
constexpr uint32_t version = 6;
constexpr char thanks = 't';

/// The sender waits for the answer, two seconds at most; then it asks again.
void setBlocking(int socket) {
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) & ~O_NONBLOCK);
  timeval limit{2, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

constexpr size_t kMostDescriptors = 2;

/// One message of `bytes` bytes with the descriptors, of which there may be none.
ssize_t sendWith(int socket, const void *data, size_t bytes, std::span<const int> descriptors) {
  iovec part{const_cast<void *>(data), bytes};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  if (!descriptors.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL);
}

/// The same way round; descriptors that did not come stay empty, and what is more than wanted is
/// closed.
ssize_t receiveWith(int socket, void *data, size_t bytes, std::span<base::UniqueFd> descriptors) {
  iovec part{data, bytes};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (cmsghdr *header = got >= 0 ? CMSG_FIRSTHDR(&message) : nullptr)
    if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
      const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (size_t i = 0; i < count; ++i) {
        int received;
        memcpy(&received, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
        base::UniqueFd descriptor(received);
        if (i < descriptors.size())
          descriptors[i] = std::move(descriptor);
      }
    }
  return got;
}

template <size_t N> void copyText(char (&to)[N], const std::string &text) {
  memcpy(to, text.data(), std::min(N, text.size()));
}

} // namespace

Hello makeHello(const std::string &run, const std::string &fingerprint, const std::string &from,
                const std::string &to) {
  Hello hello{};
  memcpy(hello.magic, magic, 8);
  hello.version = version;
  copyText(hello.fingerprint, fingerprint);
  copyText(hello.run, run);
  copyText(hello.from, from);
  copyText(hello.to, to);
  return hello;
}

absl::StatusOr<base::UniqueFd> acceptCaller(int listener) {
  base::UniqueFd socket(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket)
    return base::errnoStatus("accept", errno);
  GRAPHC_RETURN_IF_ERROR(base::checkSameUser(socket.get()));
  return socket;
}

absl::StatusOr<Request> receiveRequest(int socket) {
  Request request;
  const ssize_t got =
      receiveWith(socket, &request.hello, sizeof request.hello, {&request.zeroCopy, 1});
  if (got < 0)
    return base::errnoStatus("shared-memory request", errno);
  if (size_t(got) != sizeof request.hello || memcmp(request.hello.magic, magic, 8) != 0 ||
      request.hello.version != version)
    return absl::InvalidArgumentError(
        "a shared-memory request that is not of this version of graphrun");
  request.hello.from[sizeof request.hello.from - 1] = 0;
  request.hello.to[sizeof request.hello.to - 1] = 0;
  return request;
}

void refuse(int socket, const absl::Status &why) {
  Answer reply{};
  std::string text = base::describe(why);
  memcpy(reply.message, text.data(), std::min(text.size(), sizeof reply.message - 1));
  // A peer that has gone meanwhile asks again or is missed by connect(); nothing to do here.
  (void)sendWith(socket, &reply, sizeof reply, {});
}

bool give(int socket, int channels, int arrivals, uint32_t arrivalCounters) {
  Answer reply{};
  reply.accepted = 1;
  reply.arrivals = arrivalCounters;
  const int descriptors[] = {channels, arrivals};
  return sendWith(socket, &reply, sizeof reply,
                  {descriptors, arrivalCounters ? size_t(2) : size_t(1)}) == ssize_t(sizeof reply);
}

bool receiveThanks(int socket) {
  char said = 0;
  return ::recv(socket, &said, 1, MSG_DONTWAIT) == 1 && said == thanks;
}

/// The sender: asks the receiver's socket, gives the memory that is read in place, and gets that of
/// the channels.
absl::StatusOr<SharedSegment> requestSegment(const std::string &path, const Hello &hello,
                                             int zeroCopy) {
  const std::string task(hello.to, strnlen(hello.to, sizeof hello.to));
  if (path.empty())
    return absl::FailedPreconditionError(
        absl::StrCat(task, " listens nowhere for tasks of this host"));
  auto connected = base::connectUnix(path, SOCK_SEQPACKET);
  if (!connected.ok())
    return absl::IsUnavailable(connected.status())
               ? absl::UnavailableError(absl::StrCat(task, " does not listen yet"))
               : base::annotate(connected.status(), absl::StrCat("shared-memory socket of ", task));
  base::UniqueFd fd = *std::move(connected);
  GRAPHC_RETURN_IF_ERROR(base::annotate(base::checkSameUser(fd.get()),
                                        absl::StrCat("shared-memory socket of ", task)));
  setBlocking(fd.get());
  if (sendWith(fd.get(), &hello, sizeof hello, {&zeroCopy, zeroCopy < 0 ? size_t(0) : size_t(1)}) !=
      ssize_t(sizeof hello))
    return absl::UnavailableError(absl::StrCat(task, " closed its shared-memory socket"));

  Answer reply{};
  base::UniqueFd descriptors[2];
  ssize_t got = receiveWith(fd.get(), &reply, sizeof reply, descriptors);
  if (got != ssize_t(sizeof reply))
    return absl::UnavailableError(
        absl::StrCat(task, " did not answer on its shared-memory socket"));
  reply.message[sizeof reply.message - 1] = 0;
  if (reply.accepted != 1)
    return absl::FailedPreconditionError(absl::StrCat(task, " refused: ", reply.message));
  if (!descriptors[0] || (reply.arrivals && !descriptors[1]))
    return absl::DataLossError(absl::StrCat(task, " accepted but sent no memory"));
  if (sendWith(fd.get(), &thanks, 1, {}) != 1)
    return absl::UnavailableError(absl::StrCat(task, " was asked by another, or has gone"));
  return SharedSegment{std::move(descriptors[0]), std::move(descriptors[1]), reply.arrivals};
}

/// Memory that can neither grow nor shrink once it is handed out.
absl::StatusOr<base::UniqueFd> makeSegment(uint64_t bytes) {
  base::UniqueFd fd(::memfd_create("graphc-channels", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd)
    return base::errnoStatus("memfd_create", errno);
  if (::ftruncate(fd.get(), off_t(bytes)) != 0)
    return base::errnoStatus(absl::StrCat("shared memory of ", bytes, " bytes"), errno);
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return base::errnoStatus("sealing a memfd", errno);
  return fd;
}

/// The other side's memory has the size that both have computed, and keeps it.
absl::Status checkSegment(int memfd, uint64_t bytes, const std::string &peer) {
  struct stat info{};
  int seals = ::fcntl(memfd, F_GET_SEALS);
  if (seals < 0 || ::fstat(memfd, &info) != 0)
    return absl::DataLossError(absl::StrCat(peer, " sent a descriptor that is no memfd"));
  // Without the seals the owner could cut the memory under our feet (SIGBUS). `pages` wraps where
  // no file is that large.
  uint64_t pages = bytes / 4096 * 4096 + (bytes % 4096 ? 4096 : 0);
  if (pages < bytes || (seals & (F_SEAL_SHRINK | F_SEAL_GROW)) != (F_SEAL_SHRINK | F_SEAL_GROW) ||
      uint64_t(info.st_size) != pages)
    return absl::DataLossError(absl::StrCat(peer, " sent a segment of ", info.st_size,
                                            " bytes or without seals, expected ", bytes, " bytes"));
  return absl::OkStatus();
}

} // namespace graphc::transport::detail
