//===- MasterService.h - the coordinator over gRPC --------------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SERVICE_MASTERSERVICE_H
#define GRAPHC_RUNTIME_SERVICE_MASTERSERVICE_H

#include "runtime/service/Coordinator.h"
#include "runtime/service/service.grpc.pb.h"

namespace graphc::service {

/// Takes the control streams of the other tasks. Every call must carry the run's token as metadata.
class MasterService final : public Master::CallbackService {
public:
  static constexpr char kTokenKey[] = "graphc-token";

  MasterService(Coordinator &coordinator, std::string token) : coordinator_(coordinator), token_(std::move(token)) {}
  grpc::ServerBidiReactor<FromTask, ToTask> *Join(grpc::CallbackServerContext *context) override;
  /// Ends every stream once what is queued for it was written. The server's shutdown waits for them.
  void close();

private:
  class Stream;
  void gone(Stream *stream);

  Coordinator &coordinator_;
  const std::string token_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Stream>> streams_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::service
#endif
