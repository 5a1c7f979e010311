//===- TestPaths.h - where the shared-memory ends of a test listen ---------------------------------------------------===//
#ifndef GRAPHC_TEST_RUNTIME_TRANSPORT_TESTPATHS_H
#define GRAPHC_TEST_RUNTIME_TRANSPORT_TESTPATHS_H

#include "runtime/base/Sha256.h"
#include "runtime/transport/SharedMemory.h"

#include "absl/strings/str_cat.h"
#include <gtest/gtest.h>

namespace graphc::transport {

/// The same in all processes of a test; the transport removes it.
inline std::string testPath(const std::string &run, const std::string &task) {
  return absl::StrCat(testing::TempDir(), "graphc-test-",
                      base::toHex(base::sha256(absl::StrCat(run, " ", task))).substr(0, 24));
}

inline SharedMemoryOptions withPaths(SharedMemoryOptions options) {
  options.path = testPath(options.run, options.self);
  for (SharedMemoryPeer &peer : options.peers)
    peer.path = testPath(options.run, peer.task);
  return options;
}

} // namespace graphc::transport
#endif
