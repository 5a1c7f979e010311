//===- SegmentAcceptor.h - the thread that hands out a receiver's shared memory -----*- C++ -*-===//
//
// The receiver's side of the handshake (SegmentHandshake.h), with all callers at once: one that is
// silent, slow or stopped keeps nobody else waiting. A caller counts as connected when its thanks
// have come; until then it may ask again by another connection, and the earlier one gets nothing
// any more.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_SEGMENTACCEPTOR_H
#define GRAPHC_RUNTIME_TRANSPORT_SEGMENTACCEPTOR_H

#include "runtime/transport/SegmentHandshake.h"

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace graphc::transport::detail {

class SegmentAcceptor {
public:
  /// Called on the acceptor's thread.
  struct Host {
    /// The descriptors for a caller, which stay the host's, or why it gets none.
    struct Memory {
      int channels, arrivals;
      uint32_t arrivalCounters;
    };
    std::function<absl::StatusOr<Memory>(const Request &)> give;
    /// The caller has them. True: nobody is awaited any more, and the thread ends.
    std::function<bool(const Request &)> connected;
  };

  /// ResourceExhausted: the system gives no thread or descriptor.
  static absl::StatusOr<std::unique_ptr<SegmentAcceptor>> start(base::UniqueFd listener, Host host);
  ~SegmentAcceptor(); ///< ends the thread, which may still wait for callers

private:
  struct Caller {
    base::UniqueFd socket;
    absl::Time until; ///< is not listened to any longer
    /// to which the answer is on its way; null: it has said nothing yet
    std::unique_ptr<Request> request;
  };
  SegmentAcceptor() = default;
  void serve();
  bool take(Caller &caller); ///< false: there is no more to say to it
  bool leave(Caller &caller); ///< true: its thanks have come
  /// true: another question of this caller's had its answer, and thanks have come
  bool leaveOthersOf(const Request &request);

  base::UniqueFd listener_, stop_;
  Host host_;
  std::vector<Caller> callers_; // the thread's
  bool isComplete_ = false; // the thread's
  std::thread thread_;
};

} // namespace graphc::transport::detail
#endif
