//===- GrpcOptions.h - the settings that both ends of every gRPC connection share ---*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_GRPCOPTIONS_H
#define GRAPHC_RUNTIME_TRANSPORT_GRPCOPTIONS_H

#include "absl/time/time.h"
#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

namespace graphc::transport {

/// A connection whose other end has not answered for so long is broken. For ends that vanished
/// without a word; a process that merely does not answer is found sooner, by its missing
/// heartbeats, which name it. Longer where a process may be stopped for a while.
inline constexpr absl::Duration kSilence = absl::Seconds(10);

/// The largest message of either side. A data message has less than kMaxBatchBytes + kMaxChunk
/// (GrpcFrame.h), which is 4 MiB, and its credits. A part of a plan has 1 MiB, a piece of a state
/// 512 KiB, and so does a part of what a task tells its chief (service/MessageParts.h). Orders grow
/// with the number of tasks and variables, by some hundred bytes each, and a phase's first order by
/// up to 2.6 MB for each data set of which asynchronous workers have taken samples out of order
/// (ConsumedRanges::kMostRanges).
inline constexpr size_t kMostMessageBytes = size_t{8} << 20;

/// What gRPC may hold of all that has arrived on one connection. gRPC 1.51 compares a message's
/// length with kMostMessageBytes only once the whole message is there. So the limit of its memory
/// is what stops a message that is too long: beyond it gRPC ends the stream. An honest connection
/// stays below: a message under way, one that is being read (4 MiB each), and the window. The limit
/// is that of one connection alone, since gRPC ends any stream of those that share it.
inline constexpr size_t kMostConnectionBytes = size_t{24} << 20;

/// The client's side, for a channel with one connection: keepalive (off by default in gRPC, then a
/// half-open connection hangs for ever), no HTTP proxy from the environment (it would carry
/// loopback traffic off the machine), short reconnect back-off. An attempt to connect may take
/// kSilence: several round trips of a long line, or a machine with much to do.
grpc::ChannelArguments channelArguments(absl::Duration silence = kSilence);

/// The server's side: permits those pings (by default it allows one in five minutes and then ends
/// the connection) and pings by itself; refuses to share a port with another process (SO_REUSEPORT
/// is on by default and would hide "port in use"). Streams of one connection and the time for a TLS
/// handshake are bounded. A server takes one connection at a time, since its memory is limited as
/// that of one.
void configureServer(grpc::ServerBuilder &builder, absl::Duration silence = kSilence);

} // namespace graphc::transport
#endif
