//===- InProcessTransport.h - channels between two lanes of one process -------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_INPROCESSTRANSPORT_H
#define GRAPHC_RUNTIME_TRANSPORT_INPROCESSTRANSPORT_H

#include "runtime/transport/Transport.h"

#include "absl/status/statusor.h"

#include <vector>

namespace graphc::transport {

/// Both ends of every channel in `specs`. Keys must differ.
absl::StatusOr<std::unique_ptr<Transport>>
makeInProcessTransport(const std::vector<ChannelSpec> &specs);

} // namespace graphc::transport
#endif
