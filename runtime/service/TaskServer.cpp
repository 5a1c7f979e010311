#include "runtime/service/TaskServer.h"

#include "runtime/base/File.h"
#include "runtime/cluster/Address.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include <grpc/grpc.h>
#include <grpc/support/log.h>

#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

namespace graphc::service {
namespace {
/// Binds `address` ourselves, to learn from errno what gRPC does not say.
std::string whyNotBound(const std::string &address) {
  size_t colon = address.rfind(':');
  if (colon == std::string::npos || address.rfind("unix", 0) == 0)
    return "another process has it";
  std::string host = address.substr(0, colon), port = address.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[')
    host = host.substr(1, host.size() - 2);
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  if (int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0)
    return gai_strerror(error);
  std::string why = "gRPC could not listen there";
  for (addrinfo *one = found; one; one = one->ai_next) {
    base::UniqueFd fd(socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, 0));
    if (bind(fd.get(), one->ai_addr, one->ai_addrlen) != 0) {
      why = errno == EADDRINUSE ? "another process has this port; end it, or choose another port"
            : errno == EADDRNOTAVAIL
                ? "no network interface of this machine has this address; is this another task's machine?"
                : std::strerror(errno);
      break;
    }
  }
  freeaddrinfo(found);
  return why;
}

/// Where a task that others reach as `address` listens. A host's own name often leads to 127.0.1.1 on the host itself (Debian's
/// /etc/hosts), so a name means every interface; what keeps strangers out is TLS. An IP address means itself.
std::string listenAddress(const std::string &address) {
  std::string host = address.substr(0, address.rfind(':'));
  bool literal = host.front() == '[' || host.find_first_not_of("0123456789.") == std::string::npos;
  return literal || cluster::isLoopbackAddress(address) ? address
                                                        : absl::StrCat("[::]", address.substr(address.rfind(':')));
}
} // namespace

absl::StatusOr<std::unique_ptr<TaskServer>> TaskServer::start(const std::string &address,
                                                              std::initializer_list<grpc::Service *> control,
                                                              const tls::Credentials *credentials,
                                                              absl::Duration silence) {
  bool unixSocket = address.rfind("unix", 0) == 0;
  if (!credentials && !unixSocket && !cluster::isLoopbackAddress(address))
    return absl::FailedPreconditionError(
        absl::StrCat(address, " can be reached from other machines, and there is no TLS"));
  // Held to the end of the process: where the last channel or server goes, gRPC 1.51 joins its executor's thread, which may
  // sit in a poll of ten seconds that nothing wakes (seen at the end of runs, in grpc_shutdown).
  static const bool kept = (grpc_init(), true);
  (void)kept;
  std::unique_ptr<TaskServer> server(new TaskServer);
  grpc::ServerBuilder builder;
  transport::configureServer(builder, silence);
  int port = 0;
  builder.AddListeningPort(credentials ? listenAddress(address) : address,
                           credentials ? credentials->server() : grpc::InsecureServerCredentials(), &port);
  builder.RegisterCallbackGenericService(&server->data_);
  for (grpc::Service *service : control)
    if (service)
      builder.RegisterService(service);
  server->server_ = builder.BuildAndStart();
  if (!server->server_ || (port == 0 && !unixSocket))
    return absl::FailedPreconditionError(absl::StrCat("cannot listen on ", address, ": ", whyNotBound(address)));
  return server;
}

void TaskServer::shutdown() {
  if (server_)
    server_->Shutdown(absl::ToChronoTime(absl::Now() + absl::Milliseconds(500)));
  server_.reset();
}

std::shared_ptr<grpc::Channel> dial(const std::string &address, const tls::Credentials *credentials,
                                    absl::Duration silence) {
  return grpc::CreateCustomChannel(address, credentials ? credentials->client() : grpc::InsecureChannelCredentials(),
                                   transport::channelArguments(silence));
}

void silenceGrpc() {
  gpr_set_log_function([](gpr_log_func_args *) {});
}

} // namespace graphc::service
