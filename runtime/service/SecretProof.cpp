#include "runtime/service/SecretProof.h"

#include "runtime/common/base/Sha256.h"
#include "runtime/common/base/Socket.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/service/RunSecret.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <sys/socket.h>

namespace graphc::service {
namespace {
constexpr char kMagicText[] = "graphc-3"; // the number rises with the proof
constexpr std::string_view kMagic(kMagicText, sizeof kMagicText - 1);
constexpr size_t kRandomBytes = 32, kMacBytes = 32;
constexpr size_t kCallBytes = kMagic.size() + kRandomBytes, kAnswerBytes = kCallBytes + kMacBytes;

constexpr char kNotOurs[] =
    "does it want --tls_cert, --tls_key and --tls_ca here as well, is it of another version, or has it much to do?";

std::string mac(const std::string &secret, const char *who, const std::string &randoms,
                const std::string &ends) {
  return std::string(
      base::asBytes(base::hmacSha256(secret, absl::StrCat("graphc ", who, "\n", randoms, ends))));
}

/// In a time that does not depend on where they differ.
bool same(std::string_view a, std::string_view b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}
} // namespace

/// The caller's side of SecretProof.h, message by message.
absl::Status prove(int socket, const std::string &secret, absl::Time deadline) {
  std::string own = randomBytes(kRandomBytes);
  GRAPHC_RETURN_IF_ERROR(base::sendAll(socket, absl::StrCat(base::view(kMagic), own), deadline));
  auto answer = base::receiveAll(socket, kAnswerBytes, deadline);
  if (absl::IsDeadlineExceeded(answer.status()))
    return absl::UnavailableError("something listens there that does not answer");
  if (!answer.ok())
    return absl::UnavailableError(
        absl::StrCat("something listens there that closes the connection; ", kNotOurs));
  std::string ends = base::endpoints(socket, /*caller=*/true);
  std::string randoms = own + answer->substr(kMagic.size(), kRandomBytes);
  if (answer->substr(0, kMagic.size()) != kMagic)
    return absl::UnavailableError(absl::StrCat("something else listens there; ", kNotOurs));
  if (!same(answer->substr(kCallBytes), mac(secret, "listener", randoms, ends)))
    return absl::UnauthenticatedError(
        "what listens there does not know this run's secret: it is another user's process, "
        "or one that was started with another HOME or XDG_STATE_HOME, or something between passes connections on (ssh "
        "-L)");
  GRAPHC_RETURN_IF_ERROR(base::sendAll(socket, mac(secret, "caller", randoms, ends), deadline));
  // A listener that many call may have given this place to another meanwhile: then this is to be
  // tried again.
  auto welcome = base::receiveAll(socket, 1, deadline);
  return welcome.ok() ? absl::OkStatus()
                      : absl::UnavailableError("what listens there has much to do");
}

/// The listener's proof; what the caller has to say now is known from here on.
ProofExaminer::State ProofExaminer::answer() {
  if (received_.substr(0, kMagic.size()) != kMagic)
    return State::Refused;
  std::string own = randomBytes(kRandomBytes), ends = base::endpoints(socket_, /*caller=*/false);
  randoms_ = received_.substr(kMagic.size()) + own;
  expected_ = mac(secret_, "caller", randoms_, ends);
  std::string reply =
      absl::StrCat(base::view(kMagic), own, mac(secret_, "listener", randoms_, ends));
  // The first that is sent here: it fits into the socket's buffer, or somebody plays with it.
  return send(socket_, reply.data(), reply.size(), MSG_NOSIGNAL) ==
                 static_cast<ssize_t>(reply.size())
             ? State::NeedsMore
             : State::Refused;
}

bool ProofExaminer::welcome() { return send(socket_, "", 1, MSG_NOSIGNAL) == 1; }

/// The listener's side: the call first, then the caller's proof; never a byte beyond the one that
/// is expected.
ProofExaminer::State ProofExaminer::readable() {
  while (true) {
    const size_t whole = expected_.empty() ? kCallBytes : kMacBytes;
    char buffer[kCallBytes];
    ssize_t got = recv(socket_, buffer, whole - received_.size(), 0);
    if (got <= 0)
      return got < 0 && (errno == EAGAIN || errno == EINTR) ? State::NeedsMore : State::Refused;
    received_.append(buffer, static_cast<size_t>(got));
    if (received_.size() < whole) { // a stranger need not be read to the end
      size_t known = std::min(received_.size(), kMagic.size());
      if (expected_.empty() && received_.substr(0, known) != kMagic.substr(0, known))
        return State::Refused;
      continue;
    }
    if (!expected_.empty())
      return same(received_, expected_) ? State::Proven : State::Refused;
    if (State state = answer(); state == State::Refused)
      return state;
    received_.clear();
  }
}

} // namespace graphc::service
