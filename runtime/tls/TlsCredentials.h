//===- TlsCredentials.h - who this task is, to tasks on other machines --------------*- C++ -*-===//
//
// Tasks on different machines speak mutual TLS: each side shows a certificate of the run's own
// authority and the dialling side checks that the certificate is for the host it dialled. The
// certificates take the place of the secret that tasks of one machine share
// (docs/decisions/2026-11-21-mutual-tls.md).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TLS_TLSCREDENTIALS_H
#define GRAPHC_RUNTIME_TLS_TLSCREDENTIALS_H

#include "runtime/common/base/Mutex.h"

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <grpcpp/security/credentials.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace graphc::tls {

/// Paths of PEM files; all three or none.
struct CredentialFiles {
  std::string certificate; ///< --tls_cert: the task's, then what leads from it to the authority
  std::string key; ///< --tls_key
  std::string authority; ///< --tls_ca
};

class TlsCredentials final {
public:
  /// PEM text of the three files, which belong together.
  struct Material {
    std::string certificate, key, authority;
    std::vector<std::string> hosts; ///< that the certificate is good for
    absl::Time expires; ///< the last day of the certificate
  };
  /// Reads and checks everything that can be checked alone: dates, key and certificate belong
  /// together, the authority has signed the certificate for both ends of a connection. Errors name
  /// the flag and the file.
  static absl::StatusOr<std::shared_ptr<const TlsCredentials>> load(const CredentialFiles &files);
  /// As the files are now: where they were replaced, new connections use the new ones. New ones
  /// that are not good (or only half there) are said in the log, and the old ones stay in use. Any
  /// thread.
  std::shared_ptr<const Material> current() const;

  /// Whether others, who know this task as `task` and dial `address` to reach it, will accept its
  /// certificate.
  absl::Status checkOwn(const std::string &task, const std::string &address) const;
  /// Of the moment: for a new channel each time.
  std::shared_ptr<grpc::ChannelCredentials> client() const;

private:
  /// What tells one state of the files from another: inode, size and time of each.
  using Stamp = std::array<int64_t, 12>;
  explicit TlsCredentials(CredentialFiles files) : files_(std::move(files)) {}
  static absl::StatusOr<std::shared_ptr<const Material>> read(const CredentialFiles &files);
  static Stamp stampOf(const CredentialFiles &files);

  const CredentialFiles files_;
  mutable base::Mutex mutex_;
  mutable Stamp stamp_ ABSL_GUARDED_BY(mutex_){};
  mutable std::shared_ptr<const Material> material_ ABSL_GUARDED_BY(mutex_);
};

/// Connects to a task's server and says why that fails, which gRPC keeps to itself. OK: it answers.
/// Unauthenticated: one of the two ends does not accept the other's certificate, and waiting will
/// not help. Unavailable: it cannot be reached, or one end speaks TLS and the other does not. Waits
/// at most `limit` (DNS aside).
absl::Status reach(const std::string &address, const TlsCredentials &own, absl::Duration limit);

// Names of version 0.1.0, for programs that are a task (graphc/ClusterOptions.h).
using Credentials = TlsCredentials;
using Files = CredentialFiles;

} // namespace graphc::tls
#endif
