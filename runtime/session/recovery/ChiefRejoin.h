//===- ChiefRejoin.h - lost workers come back to a phase that goes on: the chief's part -------===//
//
// Of asynchronous updates (executor/RejoinableTasks.h): who is lost while such a phase runs is
// started again by whoever started it, and brought back here, on the master's thread, while the
// barrier of `run` is open. The task's part is TaskRejoin.h.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_RECOVERY_CHIEFREJOIN_H
#define GRAPHC_RUNTIME_SESSION_RECOVERY_CHIEFREJOIN_H

#include "runtime/service/TaskCoordinator.h"
#include "runtime/session/peers/AnswerConsistency.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace graphc::session {

struct RejoinOptions {
  /// That process of a worker was lost, and whoever started it is to start it again while the
  /// others go on; empty: nobody does that.
  std::function<void(uint32_t task, int64_t process, const std::string &how)> away;
  /// that one goes on with the others; with `away`
  std::function<void(uint32_t task, int64_t process)> back;
  /// a phase begins, or has ended, in which that may be; with `away`
  std::function<void(bool)> judges;
  absl::Duration joinDeadline = absl::Minutes(1); ///< of one that is away
};

class ChiefRejoin {
public:
  /// All outlive it; `log`: a line for the user.
  ChiefRejoin(const plan::Plan &plan, service::TaskCoordinator &coordinator, RejoinOptions options,
              std::function<void(const std::string &)> log)
      : plan_(plan), coordinator_(coordinator), options_(std::move(options)), log_(std::move(log)) {
  }

  /// Hears of orders as all were given them, for who comes back, on the master's thread; and then
  /// `told`, which may be empty.
  std::function<void(const service::Order &)>
  hearing(std::function<void(const service::Order &)> told);
  /// Before the order that begins a phase: it says whether anybody may come back.
  void mark(service::Order::Begin &begin);
  /// The phase runs from here on, to close().
  void open();
  void close();
  /// Those who are away, one after the other. What goes wrong with that ends the session in their
  /// name, and all go back to the checkpoint.
  /// `samples`: what data sets had at the start.
  absl::Status bringBack(const DatasetSizes &samples);

private:
  using Orders = std::map<uint32_t, service::Order>;
  void ordered(const service::Order &order);
  absl::Status bringBack(uint32_t task, const DatasetSizes &samples);
  absl::StatusOr<uint64_t> stopLanes(uint32_t task);
  absl::StatusOr<bool> connect(uint32_t task, const std::vector<service::Peer> &peers,
                               const DatasetSizes &samples);
  absl::StatusOr<bool> prepare(uint32_t task, uint64_t step);
  absl::StatusOr<std::map<uint32_t, service::Done>> give(Orders orders);
  Orders toPeers(uint32_t task, const std::function<void(service::Order &)> &fill) const;

  const plan::Plan &plan_;
  service::TaskCoordinator &coordinator_;
  const RejoinOptions options_;
  const std::function<void(const std::string &)> log_;
  std::vector<service::Order> checks_;
  service::Order prepare_, connect_, initialize_, begin_;
  std::optional<service::TaskIncarnation> comer_; ///< the process that comes back
  std::vector<std::string> why_; ///< of the phase, by task: why it cannot come back
  std::map<uint32_t, std::set<uint32_t>>
      peers_; ///< of the phase, by task that can: who serves it or has a channel with it
};

} // namespace graphc::session
#endif
