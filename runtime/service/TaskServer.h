//===- TaskServer.h - a task's one port ---------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SERVICE_TASKSERVER_H
#define GRAPHC_RUNTIME_SERVICE_TASKSERVER_H

#include "runtime/service/ConnectionAdmission.h"
#include "runtime/service/TaskDialer.h"
#include "runtime/transport/GrpcTransport.h"

#include <initializer_list>

namespace graphc::service {

/// Data streams on every task, control streams on the chief: one address and one admission. Each
/// connection has a gRPC server of its own, since gRPC limits memory by server: what one peer sends
/// takes transport::kMostConnectionBytes at most, and costs that peer alone its streams. Such a
/// server takes 10 KiB and no thread, and serves the next connection after its own has ended.
class TaskServer {
public:
  struct Options {
    std::string address; ///< "127.0.0.1:2222"; with certificates of any network
    /// where it is listened already: a Unix socket; `address` is for errors then
    base::UniqueFd listener;
    TaskIdentity identity;
    size_t mostConnections = 256; ///< with TLS
    /// For a run of so many tasks. Each other one: a control stream, streams of data both ways, a
    /// look whether it can be reached, and again while it restarts.
    static size_t connectionsOf(size_t tasks) { return 64 + 8 * tasks; }
  };
  /// `control`: the chief's services, nulls left out; not owned. Errors say why the address cannot
  /// be had.
  static absl::StatusOr<std::unique_ptr<TaskServer>>
  start(Options options, std::initializer_list<grpc::Service *> control);
  ~TaskServer();
  transport::DataService &data() { return data_; }
  /// Ends streams that are left after a moment. Idempotent.
  void shutdown();

private:
  struct Connection;
  TaskServer();
  std::unique_ptr<Connection> makeConnection();
  Connection *idleConnection();
  void admit(base::UniqueFd socket);

  transport::DataService data_;
  std::vector<grpc::Service *> control_;
  absl::Duration silence_;
  std::shared_ptr<const tls::TlsCredentials> credentials_; ///< null: none
  // Of the admission's thread while that runs.
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<Connection *> idle_; ///< those of them whose connection has ended
  size_t lookAt_ = 0; ///< with so many connections they are looked through again
  std::unique_ptr<ConnectionAdmission> admission_;
};

} // namespace graphc::service
#endif
