//===- CertificateAuthority.h - a development authority and the tasks' certificates -*- C++ -*-===//
//
// What `graphrun certs` makes: an authority of one's own (ca.crt, ca.key) and for each task a
// certificate for its host with a key of its own. P-256 keys, PEM files, private keys mode 0600.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TLS_CERTIFICATEAUTHORITY_H
#define GRAPHC_RUNTIME_TLS_CERTIFICATEAUTHORITY_H

#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <memory>
#include <string>
#include <vector>

namespace graphc::tls {

/// One certificate file as the user hears of it.
struct IssuedCertificate {
  std::string file; ///< "certs/ps-0.crt"
  absl::Time expires;
  bool kept = false; ///< was there already and is still good
};

class CertificateAuthority {
public:
  /// The authority in `directory`, made where there is none. One that is there is used again, so
  /// that a task can be added later without touching the others; half of one, or an expired one, is
  /// an error.
  static absl::StatusOr<CertificateAuthority> openOrMake(const std::string &directory,
                                                         absl::Duration validity);
  CertificateAuthority(CertificateAuthority &&) noexcept;
  ~CertificateAuthority();

  const IssuedCertificate &issued() const { return issued_; }
  /// DIRECTORY/name.crt and name.key, for the task `task` ("/job:ps/task:0") at `host`. A pair that
  /// is there, of this authority, for this host and with 30 days to go, is kept.
  absl::StatusOr<IssuedCertificate> issue(const std::string &name, const std::string &task,
                                          const std::string &host, absl::Duration validity);

private:
  struct State; // OpenSSL's objects
  CertificateAuthority(std::string directory, std::unique_ptr<State> state);
  std::string directory_;
  std::unique_ptr<State> state_;
  IssuedCertificate issued_;
};

} // namespace graphc::tls
#endif
