//===- LocalProcesses.h - which processes of this host are which tasks --------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_PEERS_LOCALPROCESSES_H
#define GRAPHC_RUNTIME_SESSION_PEERS_LOCALPROCESSES_H

#include "runtime/common/base/Mutex.h"
#include "runtime/observe/ProcessInfo.h"
#include "runtime/service/service.pb.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace graphc::session {

/// Any thread.
class LocalProcesses {
public:
  /// This process is that task, where it is of this host; another one may have been before.
  void add(const service::Peer &peer) {
    base::MutexLock lock(mutex_);
    if (peer.host_id() == here_)
      processes_[peer.name()] = peer.pid();
  }
  std::optional<int64_t> find(const std::string &task) const {
    base::MutexLock lock(mutex_);
    auto found = processes_.find(task);
    return found == processes_.end() ? std::nullopt : std::optional(found->second);
  }

private:
  const std::string here_ = observe::hostId();
  mutable base::Mutex mutex_; ///< a leaf
  std::map<std::string, int64_t> processes_ ABSL_GUARDED_BY(mutex_); ///< by task
};

} // namespace graphc::session
#endif
