//===- GrpcPair.h - two ends of the gRPC transport in one process, for tests ------------------------------*- C++ -*-===//
#ifndef GRAPHC_TEST_RUNTIME_SERVICE_GRPCPAIR_H
#define GRAPHC_TEST_RUNTIME_SERVICE_GRPCPAIR_H

#include "runtime/service/TaskServer.h"
#include "runtime/service/Token.h"
#include "runtime/transport/GrpcOptions.h"

#include <gtest/gtest.h>

namespace graphc::service {

/// Task 0 sends on every channel of `down` to task 1, and the other way round on `up`. connect() sets up both ends.
struct GrpcPair {
  explicit GrpcPair(std::vector<transport::ChannelSpec> down, std::vector<transport::ChannelSpec> up = {},
                    uint64_t largeBytes = transport::kLargeBytes) {
    silenceGrpc();
    for (uint32_t task : {0u, 1u}) {
      address[task] = "unix-abstract:graphc-test-" + randomHex(8);
      auto started = TaskServer::start(address[task], {});
      EXPECT_TRUE(started.ok()) << started.status();
      server[task] = *std::move(started);
      identity[task] = {task, "/job:test/task:" + std::to_string(task), incarnation[task], "plan", "token"};
      end[task] = std::make_unique<transport::GrpcTransport>(identity[task], largeBytes);
    }
    for (uint32_t task : {0u, 1u}) {
      end[task]->addPeer(1 - task, identity[1 - task].name, incarnation[1 - task]);
      for (auto &spec : down)
        task == 0 ? (void)end[0]->addSend(1, spec) : (void)end[1]->addRecv(0, spec);
      for (auto &spec : up)
        task == 1 ? (void)end[1]->addSend(0, spec) : (void)end[0]->addRecv(1, spec);
      server[task]->data().serve(end[task].get());
    }
  }
  absl::Status connect() {
    end[0]->connect(1, [&] { return dial(address[1]); });
    for (uint32_t task : {0u, 1u})
      if (absl::Status status = end[task]->waitConnected(absl::Now() + absl::Seconds(5)); !status.ok())
        return status;
    return absl::OkStatus();
  }
  ~GrpcPair() {
    for (uint32_t task : {0u, 1u}) {
      server[task]->data().serve(nullptr);
      end[task]->shutdown();
    }
  }
  uint64_t incarnation[2] = {11, 22};
  std::string address[2];
  transport::GrpcIdentity identity[2];
  std::unique_ptr<TaskServer> server[2];
  std::unique_ptr<transport::GrpcTransport> end[2];
};

} // namespace graphc::service
#endif
