//===- GrpcOptions.h - the settings that both ends of every gRPC connection share ---*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_GRPCOPTIONS_H
#define GRAPHC_RUNTIME_TRANSPORT_GRPCOPTIONS_H

#include "absl/time/time.h"
#include <grpcpp/grpcpp.h>

namespace graphc::transport {

/// A connection whose other end has not answered for so long is broken. For ends that vanished
/// without a word; a process that merely does not answer is found sooner, by its missing
/// heartbeats, which name it. Longer where a process may be stopped for a while.
inline constexpr absl::Duration kSilence = absl::Seconds(10);

/// No message of either side is longer: a data message carries kMaxBatchBytes and a chunk more at
/// most (GrpcFrame.h), a part of a plan 1 MiB, and of orders and answers the longest grow with the
/// number of tasks and variables, some hundred bytes each.
inline constexpr size_t kMostMessageBytes = size_t{16} << 20;

/// The client's side: keepalive (off by default in gRPC, then a half-open connection hangs for
/// ever), no HTTP proxy from the environment (it would carry loopback traffic off the machine),
/// short reconnect back-off. An attempt to connect may take kSilence: several round trips of a long
/// line, or a machine with much to do.
grpc::ChannelArguments channelArguments(absl::Duration silence = kSilence);

/// The server's side: permits those pings (by default it allows one in five minutes and then ends
/// the connection) and pings by itself; refuses to share a port with another process (SO_REUSEPORT
/// is on by default and would hide "port in use"). Streams of one connection and the time for a TLS
/// handshake are bounded.
void configureServer(grpc::ServerBuilder &builder, absl::Duration silence = kSilence,
                     size_t mostMessageBytes = kMostMessageBytes);

} // namespace graphc::transport
#endif
