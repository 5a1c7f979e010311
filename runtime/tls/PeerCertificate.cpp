#include "runtime/tls/PeerCertificate.h"

#include "runtime/common/base/Socket.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/tls/OpenSsl.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include <grpc/grpc_security_constants.h>

namespace graphc::tls {
namespace {
constexpr char kWhat[] = "the certificate at the other end";
} // namespace

absl::Status PeerCertificate::checkTask(const std::string &task) const {
  if (pem_.empty())
    return absl::OkStatus();
  GRAPHC_ASSIGN_OR_RETURN(auto chain, parseCertificates(pem_, kWhat));
  std::string other = otherTaskOf(*chain.front(), task);
  return other.empty() ? absl::OkStatus()
                       : absl::PermissionDeniedError(
                             absl::StrCat(kWhat, " is of ", other, ", and not of ", task,
                                          "; give each task its own --tls_cert and --tls_key"));
}

absl::Status PeerCertificate::check(const std::string &task, const std::string &address) const {
  if (pem_.empty())
    return absl::OkStatus();
  GRAPHC_RETURN_IF_ERROR(checkTask(task));
  GRAPHC_ASSIGN_OR_RETURN(auto chain, parseCertificates(pem_, kWhat));
  if (matchesHost(*chain.front(), base::splitAddress(address).first))
    return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat(kWhat, " is for ",
                                                  absl::StrJoin(hostsOf(*chain.front()), ", "),
                                                  ", and ", task, " is at ", address));
}

PeerCertificate certificateOf(const grpc::AuthContext &context) {
  if (!context.IsPeerAuthenticated())
    return {};
  auto pem = context.FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  // Text that is no certificate fails every check: one that is authenticated must show one.
  return PeerCertificate(pem.empty() ? "none"
                                     : std::string(pem.front().data(), pem.front().size()));
}

} // namespace graphc::tls
