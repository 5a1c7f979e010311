#include "runtime/service/TaskServer.h"

#include "runtime/common/base/Socket.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/cluster/TaskAddresses.h"
#include "runtime/tls/ServerCredentials.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include <grpc/grpc.h>

namespace graphc::service {
namespace {
/// Where a task that others reach as `address` listens. A host's own name often leads to 127.0.1.1
/// on the host itself (Debian's /etc/hosts), so a name means every interface; what keeps strangers
/// out is TLS. An IP address means itself.
bool everyInterface(const std::string &address) {
  bool literal =
      address.front() == '[' || address.find_first_not_of("0123456789.:") == std::string::npos;
  return !literal && !cluster::isLoopbackAddress(address);
}
} // namespace

absl::StatusOr<std::unique_ptr<TaskServer>>
TaskServer::start(Options options, std::initializer_list<grpc::Service *> control) {
  const TaskIdentity &identity = options.identity;
  const bool tls = identity.credentials != nullptr;
  if (!tls && identity.secret.empty())
    return absl::InternalError("a server without certificates and without a secret");
  if (!tls && !options.listener && !cluster::isLoopbackAddress(options.address))
    return absl::FailedPreconditionError(
        absl::StrCat(options.address, " can be reached from other machines, and there is no TLS"));
  // Held to the end of the process: where the last channel or server goes, gRPC 1.51 joins its
  // executor's thread, which may sit in a poll of ten seconds that nothing wakes (seen at the end
  // of runs, in grpc_shutdown).
  static const bool kept = (grpc_init(), true);
  (void)kept;
  ConnectionAdmission::Options admission;
  if (options.listener) {
    admission.listeners.push_back(std::move(options.listener));
  } else {
    auto listeners = base::listenTcp(options.address, tls && everyInterface(options.address));
    if (!listeners.ok())
      return base::annotate(listeners.status(), absl::StrCat("cannot listen on ", options.address));
    admission.listeners = *std::move(listeners);
  }
  std::unique_ptr<TaskServer> server(new TaskServer);
  grpc::ServerBuilder builder;
  transport::configureServer(builder, identity.silence, options.mostMessageBytes);
  server->credentials_ =
      tls ? tls::makeServerCredentials(identity.credentials) : grpc::InsecureServerCredentials();
  server->acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
      server->credentials_);
  builder.RegisterCallbackGenericService(&server->data_);
  for (grpc::Service *service : control)
    if (service)
      builder.RegisterService(service);
  server->server_ = builder.BuildAndStart();
  if (!server->server_)
    return absl::InternalError(
        absl::StrCat("cannot listen on ", options.address, ": gRPC does not start"));
  admission.proof = !tls;
  admission.secret = identity.secret;
  admission.mostConnections = options.mostConnections;
  admission.admit = [acceptor = server->acceptor_.get()](base::UniqueFd socket) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
    connection.fd = socket.release();
    acceptor->HandleNewConnection(&connection);
  };
  GRAPHC_ASSIGN_OR_RETURN(server->admission_, ConnectionAdmission::open(std::move(admission)));
  return server;
}

/// First nobody comes in any more, then gRPC ends the calls that are left.
void TaskServer::shutdown() {
  if (admission_)
    admission_->close();
  if (server_)
    server_->Shutdown(absl::ToChronoTime(absl::Now() + absl::Milliseconds(500)));
  server_.reset();
  acceptor_.reset();
}

} // namespace graphc::service
