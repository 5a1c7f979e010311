//===- SharedMemoryTransport.h - channels between processes of one user on one host -*- C++ -*-===//
//
// The receiver owns the memory: one memfd with all its incoming channels from one peer, passed to
// that peer over a Unix socket that has no name (base::UnnamedListener), and found by way of /proc
// (nothing is named in /dev/shm or any folder; it goes when its last process goes). Both sides
// check the other's user by SO_PEERCRED, the run, the plan's fingerprint and who the peer says it
// is. A peer can write anything into the memory, so every field read from it is checked before use;
// the segment is sealed against resizing.
//
// What a task sends zero-copy is the other way round: the sender's memory, mapped read-only by the
// receivers on this host, and a slot of the ring holds where in it the payload is.
//
// The death of a peer is not noticed here: the control plane notices it and calls abort().
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_SHAREDMEMORYTRANSPORT_H
#define GRAPHC_RUNTIME_TRANSPORT_SHAREDMEMORYTRANSPORT_H

#include "runtime/common/base/File.h"
#include "runtime/transport/Transport.h"

#include "absl/status/statusor.h"

#include <string>
#include <vector>

namespace graphc::transport {

struct SharedMemoryPeer {
  std::string task; ///< "/job:ps/task:0"
  std::vector<ChannelSpec> incoming; ///< channels that this peer sends to us
  std::vector<ChannelSpec> outgoing; ///< channels that we send to this peer
  std::string path = {}; ///< where it listens; only where something goes to it
};

struct SharedMemoryOptions {
  std::string run; ///< its name, at most 64 characters
  std::string fingerprint; ///< of the plan, 64 hexadecimal digits
  std::string self; ///< "/job:worker/task:1"
  std::vector<SharedMemoryPeer> peers;
  /// The memory (device::MemoryRegion::share) that holds what this task sends on zero-copy
  /// channels; outlives the transport.
  int zeroCopyFd = -1;
  uint8_t *zeroCopy = nullptr;
  uint64_t zeroCopyBytes = 0;
};

class SharedMemoryTransport : public Transport {
public:
  /// Makes the incoming segments and listens (a background thread answers peers until all have
  /// come). Does not wait.
  /// `listener`: where peers come to (a listening Unix socket, SOCK_SEQPACKET); only where
  /// something comes from one.
  static absl::StatusOr<std::unique_ptr<SharedMemoryTransport>>
  listen(SharedMemoryOptions options, base::UniqueFd listener = {});
  /// Where a peer listens, if `options` did not say it; before connect().
  virtual void setPath(const std::string &task, const std::string &path) = 0;
  /// Connects to every peer that we send to, trying again while it does not listen yet, and waits
  /// until every peer that sends to us has come. DeadlineExceeded names who is missing.
  virtual absl::Status connect(absl::Time deadline) = 0;
};

} // namespace graphc::transport
#endif
