//===- TestPaths.h - shared-memory ends of tests, which find each other without a chief -------===//
#ifndef GRAPHC_TEST_RUNTIME_TRANSPORT_TESTPATHS_H
#define GRAPHC_TEST_RUNTIME_TRANSPORT_TESTPATHS_H

#include "runtime/common/base/Mutex.h"
#include "runtime/common/base/Sha256.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/transport/SharedMemoryTransport.h"

#include "absl/strings/str_cat.h"
#include <gtest/gtest.h>

#include <filesystem>
#include <sys/socket.h>
#include <sys/un.h>

namespace graphc::transport {

/// The same in all processes of a test.
inline std::string testPath(const std::string &run, const std::string &task) {
  return absl::StrCat(testing::TempDir(), "graphc-test-",
                      base::toHex(base::sha256(absl::StrCat(run, " ", task))).substr(0, 24));
}

/// An end that listens at the path of its run and task; the file is replaced by a later one of the
/// same, and gone with the process that began the test.
inline absl::StatusOr<std::unique_ptr<SharedMemoryTransport>>
listenAtTestPath(SharedMemoryOptions options) {
  struct Files {
    ~Files() {
      for (const std::string &file : made)
        std::filesystem::remove(file);
    }
    base::Mutex mutex;
    std::vector<std::string> made;
  };
  static Files files;
  const std::string path = testPath(options.run, options.self);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  std::filesystem::remove(path);
  base::UniqueFd listener(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (bind(listener.get(), reinterpret_cast<sockaddr *>(&address), sizeof address) != 0 ||
      listen(listener.get(), 128) != 0)
    return base::errnoStatus(path, errno);
  {
    base::MutexLock lock(files.mutex);
    files.made.push_back(path);
  }
  for (SharedMemoryPeer &peer : options.peers)
    peer.path = testPath(options.run, peer.task);
  return SharedMemoryTransport::listen(std::move(options), std::move(listener));
}

} // namespace graphc::transport
#endif
