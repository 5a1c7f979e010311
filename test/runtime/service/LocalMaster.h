//===- LocalMaster.h - a chief's services behind a socket of their own --------------*- C++ -*-===//
#ifndef GRAPHC_TEST_RUNTIME_SERVICE_LOCALMASTER_H
#define GRAPHC_TEST_RUNTIME_SERVICE_LOCALMASTER_H

#include "runtime/service/MasterService.h"
#include "runtime/service/TaskServer.h"

namespace graphc::service {

/// The chief of a run of one task, /job:worker/task:0, which listens on a Unix socket without a
/// name. `server` is to be checked before dial().
struct LocalMaster {
  LocalMaster() {
    silenceGrpc();
    server = TaskServer::start({socket.inheritedAddress(), std::move(socket.listener), known},
                               {&master});
  }
  auto dial() const {
    return TaskDialer(socket.inheritedAddress(), known).start(absl::Seconds(10));
  }

  const TaskIdentity known{"secret", nullptr};
  TaskCoordinator coordinator{[] {
    TaskCoordinator::Options options;
    options.taskNames = {"/job:worker/task:0"};
    return options;
  }()};
  MasterService master{coordinator};
  base::UnnamedListener socket = *base::UnnamedListener::make(SOCK_STREAM); ///< its path is kept
  absl::StatusOr<std::unique_ptr<TaskServer>> server;
};

} // namespace graphc::service
#endif
