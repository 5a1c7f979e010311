//===- GrpcPair.h - two ends of the gRPC transport in one process, for tests --------*- C++ -*-===//
#ifndef GRAPHC_TEST_RUNTIME_SERVICE_GRPCPAIR_H
#define GRAPHC_TEST_RUNTIME_SERVICE_GRPCPAIR_H

#include "runtime/common/base/Socket.h"
#include "runtime/service/RunSecret.h"
#include "runtime/service/TaskServer.h"
#include "runtime/transport/GrpcOptions.h"

#include <gtest/gtest.h>

namespace graphc::service {

/// Task 0 sends on every channel of `down` to task 1, and the other way round on `up`. connect()
/// sets up both ends.
struct GrpcPair {
  explicit GrpcPair(std::vector<transport::ChannelSpec> down,
                    std::vector<transport::ChannelSpec> up = {},
                    uint64_t largeBytes = transport::kLargeBytes) {
    silenceGrpc();
    for (uint32_t task : {0u, 1u}) {
      socket[task] = *base::UnnamedListener::make(SOCK_STREAM);
      address[task] = socket[task].inheritedAddress();
      auto started =
          TaskServer::start({address[task], std::move(socket[task].listener), known}, {});
      EXPECT_TRUE(started.ok()) << started.status();
      server[task] = *std::move(started);
      identity[task] = {task, "/job:test/task:" + std::to_string(task), incarnation[task], "plan",
                        "run"};
      end[task] = std::make_unique<transport::GrpcTransport>(identity[task], largeBytes);
    }
    for (uint32_t task : {0u, 1u}) {
      end[task]->addPeer(1 - task, identity[1 - task].name, incarnation[1 - task]);
      for (auto &spec : down)
        task == 0 ? end[0]->addSend(1, spec) : expectOk(end[1]->addRecv(0, spec));
      for (auto &spec : up)
        task == 1 ? end[1]->addSend(0, spec) : expectOk(end[0]->addRecv(1, spec));
      server[task]->data().serve(end[task].get());
    }
  }
  static void expectOk(const absl::Status &status) { EXPECT_TRUE(status.ok()) << status; }
  absl::Status connect() {
    if (absl::Status status = end[0]->connect(1, [&] { return dial(); }); !status.ok())
      return status;
    for (uint32_t task : {0u, 1u})
      if (absl::Status status = end[task]->waitConnected(absl::Now() + absl::Seconds(5));
          !status.ok())
        return status;
    return absl::OkStatus();
  }
  /// A channel to the second end.
  absl::StatusOr<std::shared_ptr<grpc::Channel>> dial() const {
    return TaskDialer(address[1], known).start(absl::Seconds(10));
  }
  ~GrpcPair() {
    for (uint32_t task : {0u, 1u}) {
      server[task]->data().serve(nullptr);
      end[task]->shutdown();
    }
  }
  uint64_t incarnation[2] = {11, 22};
  const TaskIdentity known{randomHex(32), nullptr};
  base::UnnamedListener socket[2];
  std::string address[2];
  transport::GrpcIdentity identity[2];
  std::unique_ptr<TaskServer> server[2];
  std::unique_ptr<transport::GrpcTransport> end[2];
};

} // namespace graphc::service
#endif
