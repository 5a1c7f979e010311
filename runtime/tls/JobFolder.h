//===- JobFolder.h ----------------------------------------------------------------------------===//
//
// Certificates for the tasks of one run, through a folder that all of them see.
//
// --job_dir DIR, on a file system that the machines share, mode 0700: who can read it is one of the
// run's. In DIR/RUN
//   ps-0.NONCE.host      a task asks: it is this task, on this host (the nonce is its own, so an answer to an earlier one is none to it)
//   ps-0.NONCE.crt .key  the chief makes its certificate, by an authority that lives as long as the chief's process
//   ps-0.NONCE.chief     and, last of all, says where it listens; or, in ps-0.NONCE.refused, why not
// The authority's key is in no file once the folder is made. The folder goes with the chief; what a
// killed one leaves is good for two days, and makes nobody wait: the next chief of that name begins
// with an empty folder, and whoever waits asks again.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TLS_JOBFOLDER_H
#define GRAPHC_RUNTIME_TLS_JOBFOLDER_H

#include "runtime/tls/CertificateAuthority.h"
#include "runtime/tls/TlsCredentials.h"

#include "runtime/common/base/Mutex.h"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace graphc::tls {

/// The chief's end: makes the folder, answers on a thread of its own, takes all away again.
class JobFolder {
public:
  struct Options {
    std::string directory; ///< DIR
    std::string run; ///< a part of a file's name
    std::vector<std::string> tasks; ///< that may ask: "/job:ps/task:0"
    std::string chief; ///< one of them
    std::string address; ///< where it listens, as the others dial it
  };
  static absl::StatusOr<std::unique_ptr<JobFolder>> make(Options options);
  ~JobFolder() { remove(); }
  /// The chief's own.
  const CredentialFiles &files() const { return files_; }
  /// Ends the thread and takes the folder away. Idempotent.
  void remove();

private:
  JobFolder(Options options, CertificateAuthority authority)
      : options_(std::move(options)), authority_(std::move(authority)) {}
  std::string path() const { return options_.directory + "/" + options_.run; }
  void serve();
  void answer(const std::string &file);

  const Options options_;
  CertificateAuthority authority_;
  CredentialFiles files_;
  base::Mutex mutex_;
  base::CondVar change_;
  bool ends_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

/// What a task finds in the folder.
struct JobFolderReply {
  CredentialFiles files;
  std::string chief; ///< where it listens
};

struct JobFolderRequest {
  std::string directory, run; ///< as the chief has them
  std::string task, host; ///< who asks, and how the others dial its machine
  std::string chief; ///< for people: "/job:worker/task:0"
  absl::Time deadline;
  /// "waiting for …": after a second, then every five
  std::function<void(const std::string &)> announce;
};
/// Any other task's end: asks, waits for the chief, and says for what.
absl::StatusOr<JobFolderReply> askChief(const JobFolderRequest &asking);

} // namespace graphc::tls
#endif
