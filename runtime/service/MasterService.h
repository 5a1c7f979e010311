//===- MasterService.h - the coordinator over gRPC ----------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SERVICE_MASTERSERVICE_H
#define GRAPHC_RUNTIME_SERVICE_MASTERSERVICE_H

#include "runtime/common/base/Mutex.h"
#include "runtime/service/MessageParts.h"
#include "runtime/service/TaskCoordinator.h"
#include "runtime/service/service.grpc.pb.h"

namespace graphc::service {

/// What a client has for the servers of its cluster. Owned by the caller, constant while the
/// service lives.
struct PlanOffer {
  std::string file; ///< the plan, header and all
  std::string run;
  std::string entry; ///< --entry
  std::vector<JobSize> jobs; ///< of the plan
  ClientInfo client;
  bool check = false; ///< the client is graphrun check
};

/// Takes the control streams of the other tasks. A caller's certificate, where there is TLS, must
/// be the task's that it says it is.
class MasterService final : public Master::CallbackService {
public:
  /// `offer`: null where each task brings its own plan. `addresses`: of the tasks as the chief
  /// knows them, by number; empty where it does not: a task's certificate must be good for the host
  /// there, besides the one where it says that it is. `mostBytes`: of a message that a task sends
  /// in parts.
  explicit MasterService(TaskCoordinator &coordinator, const PlanOffer *offer = nullptr,
                         std::vector<std::string> addresses = {},
                         size_t mostBytes = kMostWholeBytes)
      : coordinator_(coordinator), offer_(offer), addresses_(std::move(addresses)),
        mostBytes_(mostBytes) {}
  grpc::ServerBidiReactor<FromTask, ToTask> *Join(grpc::CallbackServerContext *context) override;
  grpc::ServerWriteReactor<PlanPart> *FetchPlan(grpc::CallbackServerContext *context,
                                                const PlanRequest *request) override;
  grpc::ServerUnaryReactor *Describe(grpc::CallbackServerContext *context,
                                     const DescribeRequest *request, ClientInfo *answer) override;
  /// Ends every stream once what is queued for it was written. The server's shutdown waits for
  /// them.
  void close();

private:
  class Stream;
  void gone(Stream *stream);
  grpc::Status check(const PlanRequest &request);

  TaskCoordinator &coordinator_;
  const PlanOffer *const offer_;
  const std::vector<std::string> addresses_;
  const size_t mostBytes_;
  base::Mutex mutex_;
  std::vector<std::shared_ptr<Stream>> streams_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::service
#endif
