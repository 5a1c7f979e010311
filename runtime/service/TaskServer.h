//===- TaskServer.h - a task's one port -------------------------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SERVICE_TASKSERVER_H
#define GRAPHC_RUNTIME_SERVICE_TASKSERVER_H

#include "runtime/tls/Credentials.h"
#include "runtime/transport/GrpcOptions.h"
#include "runtime/transport/GrpcTransport.h"

#include <grpcpp/grpcpp.h>

#include <initializer_list>

namespace graphc::service {

/// Data streams on every task, control streams on the chief, one gRPC server, one address.
class TaskServer {
public:
  /// `address`: "127.0.0.1:2222" or "unix-abstract:name"; with `credentials` (null: no TLS) of any network. `control`: the
  /// chief's services, nulls left out; not owned. Errors say why the address cannot be had.
  static absl::StatusOr<std::unique_ptr<TaskServer>> start(const std::string &address,
                                                           std::initializer_list<grpc::Service *> control,
                                                           const tls::Credentials *credentials = nullptr,
                                                           absl::Duration silence = transport::kSilence);
  ~TaskServer() { shutdown(); }
  transport::DataService &data() { return data_; }
  /// Ends streams that are left after a moment. Idempotent.
  void shutdown();

private:
  TaskServer() = default;
  transport::DataService data_;
  std::unique_ptr<grpc::Server> server_;
};

/// A channel to another task's server, over mutual TLS where there are credentials.
std::shared_ptr<grpc::Channel> dial(const std::string &address, const tls::Credentials *credentials = nullptr,
                                    absl::Duration silence = transport::kSilence);

/// gRPC writes its own log on standard error; errors reach the user as ours, so it is silenced.
void silenceGrpc();

} // namespace graphc::service
#endif
