//===- CheckService.h - the two ends of graphrun check's control plane --------------*- C++ -*-===//
//
// A check must go on where a run ends: a task that does not come, has another plan or stops
// answering is one more line, not the end. So it has a table of its own, and each task one call
// open to the chief: a report there, an order back. One thread of the chief, the script's, gives
// orders and collects; calls come on gRPC's threads.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SERVICE_CHECKSERVICE_H
#define GRAPHC_RUNTIME_SERVICE_CHECKSERVICE_H

#include "runtime/common/base/Mutex.h"
#include "runtime/service/service.grpc.pb.h"

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include <grpcpp/grpcpp.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace graphc::service {

class CheckService final : public Check::CallbackService {
public:
  /// `tasks`: names by number.
  explicit CheckService(std::vector<std::string> tasks);
  grpc::ServerUnaryReactor *Next(grpc::CallbackServerContext *context, const CheckReport *report,
                                 CheckOrder *answer) override;

  /// The first report of each task that has come by now, none for the others; returns early when
  /// all have, or at `until`.
  std::vector<std::optional<CheckReport>> waitForTasks(absl::Time until);
  /// Gives a task its next order.
  void giveOrder(uint32_t task, CheckOrder order);
  /// The answer to a task's last order; none where it did not come by `deadline`.
  std::optional<CheckReport> collect(uint32_t task, absl::Time deadline);
  /// Callers that were sent away, a line each.
  std::vector<std::string> refused();
  /// Answers every call that is still open; later ones are refused. Before the server goes.
  void close();

private:
  struct Slot {
    uint64_t incarnation = 0; ///< 0: nobody has come
    std::optional<CheckReport> first, last;
    uint64_t orderId = 0;
    std::optional<CheckOrder> next; ///< not fetched yet
    grpc::ServerUnaryReactor *call = nullptr; ///< open, waits for the next order
    CheckOrder *answer = nullptr;
    absl::Time since; ///< when it was opened
  };
  using Finish = std::pair<grpc::ServerUnaryReactor *, grpc::Status>;
  absl::Status admit(const CheckReport &report) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  template <class Done> void wait(absl::Time until, Done done);

  const std::vector<std::string> tasks_;
  base::Mutex mutex_;
  base::CondVar changed_;
  std::vector<Slot> slots_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> refused_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

/// A task's call: reports and returns the next order that is not Wait. Unavailable: the chief went
/// away or is silent.
absl::StatusOr<CheckOrder> nextCheckOrder(Check::Stub &stub, CheckReport report);

} // namespace graphc::service
#endif
