#include "runtime/service/TaskServer.h"

#include "runtime/common/base/Socket.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/cluster/TaskAddresses.h"
#include "runtime/tls/ServerCredentials.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include <grpc/grpc.h>

#include <algorithm>

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

/// A server takes one generic service of its own.
class ForwardedData final : public grpc::CallbackGenericService {
public:
  explicit ForwardedData(transport::DataService &data) : data_(data) {}
  grpc::ServerGenericBidiReactor *
  CreateReactor(grpc::GenericCallbackServerContext *context) override {
    return data_.CreateReactor(context);
  }

private:
  transport::DataService &data_;
};
} // namespace

struct TaskServer::Connection {
  explicit Connection(transport::DataService &service) : data(service) {}
  ForwardedData data;
  /// asked at each handshake; it answers one server
  std::shared_ptr<grpc::ServerCredentials> credentials;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor;
  std::unique_ptr<grpc::Server> server;
  AdmittedSocket socket; ///< gRPC's
};

TaskServer::TaskServer() = default;
TaskServer::~TaskServer() { shutdown(); }

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
  server->silence_ = identity.silence;
  server->credentials_ = identity.credentials;
  std::copy_if(control.begin(), control.end(), std::back_inserter(server->control_),
               [](const grpc::Service *service) { return service != nullptr; });
  if (std::unique_ptr<Connection> first = server->makeConnection())
    server->connections_.push_back(std::move(first));
  else
    return absl::InternalError(
        absl::StrCat("cannot listen on ", options.address, ": gRPC does not start"));
  server->idle_.push_back(server->connections_.front().get());
  admission.proof = !tls;
  admission.secret = identity.secret;
  admission.mostConnections = options.mostConnections;
  admission.admit = [own = server.get()](base::UniqueFd socket) { own->admit(std::move(socket)); };
  GRAPHC_ASSIGN_OR_RETURN(server->admission_, ConnectionAdmission::open(std::move(admission)));
  return server;
}

/// Null where gRPC does not start.
std::unique_ptr<TaskServer::Connection> TaskServer::makeConnection() {
  auto made = std::make_unique<Connection>(data_);
  made->credentials =
      credentials_ ? tls::makeServerCredentials(credentials_) : grpc::InsecureServerCredentials();
  grpc::ServerBuilder builder;
  transport::configureServer(builder, silence_);
  made->acceptor = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, made->credentials);
  builder.RegisterCallbackGenericService(&made->data);
  for (grpc::Service *service : control_)
    builder.RegisterService(service);
  made->server = builder.BuildAndStart();
  return made->server ? std::move(made) : nullptr;
}

/// One whose connection has ended, or a new one; null where gRPC does not start. All of them are
/// looked through only when there are twice as many as lived then, so each connection costs a
/// constant number of looks.
TaskServer::Connection *TaskServer::idleConnection() {
  if (idle_.empty() && connections_.size() >= lookAt_) {
    for (const std::unique_ptr<Connection> &one : connections_)
      if (one->socket.hasEnded())
        idle_.push_back(one.get());
    lookAt_ = 2 * (connections_.size() - idle_.size()) + 8;
  }
  if (idle_.empty()) {
    std::unique_ptr<Connection> made = makeConnection();
    if (!made)
      return nullptr;
    idle_.push_back(made.get());
    connections_.push_back(std::move(made));
  }
  Connection *one = idle_.back();
  idle_.pop_back();
  return one;
}

/// On the admission's thread. A socket that is not handed on is closed.
void TaskServer::admit(base::UniqueFd socket) {
  Connection *to = idleConnection();
  if (!to)
    return;
  to->socket = AdmittedSocket(socket.get());
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
  connection.fd = socket.release();
  to->acceptor->HandleNewConnection(&connection);
}

/// First nobody comes in any more, then gRPC ends the calls that are left.
void TaskServer::shutdown() {
  if (admission_)
    admission_->close();
  const auto until = absl::ToChronoTime(absl::Now() + absl::Milliseconds(500));
  for (const std::unique_ptr<Connection> &one : connections_)
    one->server->Shutdown(until);
  idle_.clear();
  connections_.clear();
}

} // namespace graphc::service
