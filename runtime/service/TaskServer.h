//===- TaskServer.h - a task's one port ---------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SERVICE_TASKSERVER_H
#define GRAPHC_RUNTIME_SERVICE_TASKSERVER_H

#include "runtime/service/ConnectionAdmission.h"
#include "runtime/service/TaskDialer.h"
#include "runtime/transport/GrpcTransport.h"

#include <initializer_list>

namespace graphc::service {

/// Data streams on every task, control streams on the chief, one gRPC server behind one admission,
/// one address.
class TaskServer {
public:
  struct Options {
    std::string address; ///< "127.0.0.1:2222"; with certificates of any network
    /// where it is listened already: a Unix socket; `address` is for errors then
    base::UniqueFd listener;
    TaskIdentity identity;
    /// Of one message: the largest that a caller may send.
    size_t mostMessageBytes = transport::kMostMessageBytes;
    size_t mostConnections = 256; ///< with TLS
    /// For a run of so many tasks. Each other one: a control stream, streams of data both ways, a
    /// look whether it can be reached, and again while it restarts.
    static size_t connectionsOf(size_t tasks) { return 64 + 8 * tasks; }
  };
  /// `control`: the chief's services, nulls left out; not owned. Errors say why the address cannot
  /// be had.
  static absl::StatusOr<std::unique_ptr<TaskServer>>
  start(Options options, std::initializer_list<grpc::Service *> control);
  ~TaskServer() { shutdown(); }
  transport::DataService &data() { return data_; }
  /// Ends streams that are left after a moment. Idempotent.
  void shutdown();

private:
  TaskServer() = default;
  transport::DataService data_;
  std::shared_ptr<grpc::ServerCredentials> credentials_; ///< asked at each handshake
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<ConnectionAdmission> admission_;
};

} // namespace graphc::service
#endif
