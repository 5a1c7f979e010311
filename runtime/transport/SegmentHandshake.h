//===- SegmentHandshake.h - how two tasks on one host come to share a segment -------*- C++ -*-===//
//
// The sender connects to the receiver's Unix socket (SOCK_SEQPACKET, base::UnnamedListener) and
// says who it is, with the memfd of its zero-copy memory where a channel needs it; the receiver
// answers with a memfd for the channels. Both check the other's user id as the kernel tells it
// (SO_PEERCRED), so another user's process can neither take a segment nor offer one. The sender
// thanks for what it has got, and the socket is closed. Without the thanks nothing was given: a
// sender that was late, or has died on the way, may ask again.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_SEGMENTHANDSHAKE_H
#define GRAPHC_RUNTIME_TRANSPORT_SEGMENTHANDSHAKE_H

#include "runtime/common/base/File.h"

#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <cstdint>
#include <string>

namespace graphc::transport::detail {

/// What the connecting side sends; fixed size, zero padded.
struct Hello {
  char magic[8]; // "GRAPHCSM"
  uint32_t version;
  uint32_t reserved;
  char fingerprint[64];
  char run[64]; // its name
  char from[128], to[128]; // tasks
  uint64_t layout; // hash of the channels that the segment holds
  uint64_t zeroCopyBytes; // of the memory whose memfd comes with this message; 0: none does
};

struct Answer {
  // 1: the memfd of the channels comes with this message, and that of the arrivals where there are
  // any
  uint32_t accepted;
  uint32_t arrivals; // so many
  char message[248]; // otherwise why not
};

/// Fills everything but `layout` and `zeroCopyBytes`; the tasks' names must be shorter than 128
/// bytes.
Hello makeHello(const std::string &run, const std::string &fingerprint, const std::string &from,
                const std::string &to);

/// What a caller says first.
struct Request {
  Hello hello;
  base::UniqueFd zeroCopy; ///< where hello.zeroCopyBytes is not 0
};
/// The receiver: one connection, which does not block, of a process of this user.
absl::StatusOr<base::UniqueFd> acceptCaller(int listener);
/// The receiver, of a caller's socket that is readable.
absl::StatusOr<Request> receiveRequest(int socket);
/// What a receiver hands out.
struct SharedSegment {
  base::UniqueFd channels;
  /// ArrivalCounter.h, one a channel of the plan; where `arrivalCounters` is not 0
  base::UniqueFd arrivals;
  uint32_t arrivalCounters = 0;
};
void refuse(int socket, const absl::Status &why);
/// Gives memory that stays the caller's, too. False: the caller has gone.
bool give(int socket, int channels, int arrivals, uint32_t arrivalCounters);
/// Whether the thanks have come; false where the caller has gone, or says anything else.
bool receiveThanks(int socket);

/// Asks `hello.to`, which listens at `path`, for its segment, and passes `zero_copy` (-1: nothing)
/// on. Unavailable: it does not listen yet, or is late. FailedPrecondition: it refused, with its
/// words.
absl::StatusOr<SharedSegment> requestSegment(const std::string &path, const Hello &hello,
                                             int zeroCopy = -1);

/// A sealed-size memfd of `bytes` zeros.
absl::StatusOr<base::UniqueFd> makeSegment(uint64_t bytes);
/// Has a received descriptor exactly this size, rounded up to whole pages, and the seals that keep
/// it so?
absl::Status checkSegment(int memfd, uint64_t bytes, const std::string &peer);

} // namespace graphc::transport::detail
#endif
