#include "runtime/http/HttpClient.h"

#include "runtime/common/base/Socket.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/tls/ByteStream.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <poll.h>

namespace graphc::http {
namespace {
/// `step` until it is true, or an error.
template <class Step> absl::Status repeat(int fd, absl::Time deadline, Step step) {
  while (true) {
    const tls::ByteStream::Moved moved = step();
    if (moved.ended)
      return moved.why.empty() ? absl::OutOfRangeError("it has closed the connection")
                               : absl::UnavailableError(base::foreignText(moved.why));
    if (moved.bytes)
      return absl::OkStatus();
    if (!base::waitFor(fd, moved.events, deadline))
      return absl::DeadlineExceededError("it does not answer");
  }
}
} // namespace

absl::StatusOr<std::string> bodyOf(std::string_view answer) {
  const size_t end = answer.find("\r\n\r\n");
  int status = 0;
  if (!answer.starts_with("HTTP/1.1 ") || end == std::string_view::npos ||
      !absl::SimpleAtoi(std::string(answer.substr(9, 3)), &status))
    return absl::InvalidArgumentError("what answers there speaks no HTTP/1.1");
  std::string_view body = answer.substr(end + 4);
  for (std::string_view head = answer.substr(0, end);
       head.find("\r\n") != std::string_view::npos;) {
    head.remove_prefix(head.find("\r\n") + 2);
    const std::string line(head.substr(0, head.find("\r\n")));
    uint64_t length = 0;
    if (absl::StartsWithIgnoreCase(line, "content-length:") &&
        (!absl::SimpleAtoi(absl::StripAsciiWhitespace(line.substr(15)), &length) ||
         length != body.size()))
      return absl::DataLossError("its answer is cut off");
  }
  if (status == 200)
    return std::string(body);
  const std::string why = base::foreignText(
      std::string(absl::StripAsciiWhitespace({body.data(), std::min<size_t>(body.size(), 500)})));
  return status == 401
             ? absl::PermissionDeniedError(why)
             : absl::FailedPreconditionError(absl::StrCat("it answers ", status, ": ", why));
}

absl::StatusOr<std::string> get(const HttpDestination &target, const std::string &path,
                                absl::Time deadline) {
  const bool isSocket = absl::StartsWith(target.address, "/");
  GRAPHC_ASSIGN_OR_RETURN(base::UniqueFd fd, isSocket
                                                 ? base::connectUnix(target.address, SOCK_STREAM)
                                                 : base::connectTcp(target.address, deadline));
  const std::string host = isSocket ? "localhost" : base::splitAddress(target.address).first;
  GRAPHC_ASSIGN_OR_RETURN(
      auto stream, tls::ByteStream::connect(fd.get(), host, isSocket ? nullptr : target.tls));
  const std::string request = absl::StrCat(
      "GET ", path, " HTTP/1.1\r\nHost: ", isSocket ? host : target.address,
      "\r\nConnection: close\r\n",
      target.secret.empty() ? "" : absl::StrCat("Authorization: Bearer ", target.secret, "\r\n"),
      "\r\n");
  for (size_t sent = 0; sent < request.size();)
    GRAPHC_RETURN_IF_ERROR(repeat(fd.get(), deadline, [&] {
      const tls::ByteStream::Moved moved =
          stream->write(request.data() + sent, request.size() - sent);
      sent += moved.bytes;
      return moved;
    }));
  std::string answer;
  while (true) {
    char piece[1 << 14];
    absl::Status status = repeat(fd.get(), deadline, [&] {
      const tls::ByteStream::Moved moved = stream->read(piece, sizeof piece);
      answer.append(piece, moved.bytes);
      return moved;
    });
    if (absl::IsOutOfRange(status) || (!status.ok() && bodyOf(answer).ok())) // all of it has come
      return answer.empty()
                 ? absl::UnavailableError(
                       "it closes the connection without a word: does it want TLS, or another certificate?")
                 : bodyOf(answer);
    GRAPHC_RETURN_IF_ERROR(status);
    if (answer.size() > kMostAnswerBytes)
      return absl::ResourceExhaustedError("its answer has no end");
  }
}

} // namespace graphc::http
