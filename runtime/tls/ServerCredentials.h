//===- ServerCredentials.h - what a task's server shows to who dials it -------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_TLS_SERVERCREDENTIALS_H
#define GRAPHC_RUNTIME_TLS_SERVERCREDENTIALS_H

#include "runtime/tls/TlsCredentials.h"

#include <grpcpp/security/server_credentials.h>

namespace graphc::tls {

/// Asks own->current() at each handshake.
std::shared_ptr<grpc::ServerCredentials>
makeServerCredentials(std::shared_ptr<const TlsCredentials> own);

} // namespace graphc::tls
#endif
