//===- PlanFetch.h ----------------------------------------------------------------------------===//
//
// A server's way to its next client's plan, and a client's to who is there already.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SERVICE_PLANFETCH_H
#define GRAPHC_RUNTIME_SERVICE_PLANFETCH_H

#include "runtime/service/service.pb.h"

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

namespace graphc::service {

struct FetchedPlan {
  std::string file; ///< as the client has it: header, sum, payload; nothing of it was checked
  std::string run, entry;
  ClientInfo client;
  bool check = false; ///< the client is graphrun check
};

/// Asks the chief behind `channel`, which is connected, for its plan; PermissionDenied: its
/// certificate is another task's than `chief`'s ("/job:worker/task:0"). AlreadyExists: it is still
/// the client whose run ended.
/// Unavailable: it went away.
absl::StatusOr<FetchedPlan> fetchPlan(const std::shared_ptr<grpc::Channel> &channel,
                                      const std::string &chief, const PlanRequest &request,
                                      absl::Duration limit);

/// "process 4711 on host, which runs model.mlir", or "" where no client of this user answers there.
std::string describeClient(const std::shared_ptr<grpc::Channel> &channel);

} // namespace graphc::service
#endif
