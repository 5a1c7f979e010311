//===- OrderValidator.h - which orders a task obeys ---------------------------------*- C++ -*-===//
//
// A chief is somebody who may give orders, which does not make them good ones. Each is checked
// here, and nowhere else, against the plan and against what was ordered before, so that what obeys
// it need not ask again:
//
//   prepare, connect, check…, initialize, then any of (begin, run), save, dump, and end
//
// Shards are written into a folder that was checked with a nonce, variables dumped into one that
// was checked.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_TASK_ORDERVALIDATOR_H
#define GRAPHC_RUNTIME_SESSION_TASK_ORDERVALIDATOR_H

#include "runtime/common/plan/plan.pb.h"
#include "runtime/service/service.pb.h"

#include "absl/status/status.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace graphc::session {

/// "begin", for messages.
std::string orderName(const service::Order &order);

/// Those of a run.
class OrderValidator {
public:
  /// `task`: own number. The plan is verified and outlives this.
  OrderValidator(const plan::Plan &plan, uint32_t task, uint64_t incarnation);
  /// OK: it may be obeyed, and counts as obeyed.
  absl::Status take(const service::Order &order);
  /// What this task found of a data set; orders have to agree.
  void reads(uint32_t dataset, uint64_t samples) { samples_[dataset] = samples; }

private:
  enum class State { Joined, Prepared, Connected, Ready, Begun, Ended };
  absl::Status check(const service::Order &order) const;
  absl::Status checkContent(const service::Order &order) const;
  absl::Status checkPrepare(const service::Order::Prepare &prepare) const;
  absl::Status checkOther(uint32_t task) const;
  absl::Status checkPhase(uint32_t phase) const;
  absl::Status checkBegin(const service::Order::Begin &begin) const;

  const plan::Plan &plan_;
  const uint32_t task_;
  const uint64_t incarnation_;
  State state_ = State::Joined;
  std::set<uint32_t> phases_; ///< that the run executes, by connect
  uint64_t id_ = 0, generation_ = 0; ///< of the last order, of the last phase
  std::map<uint32_t, uint64_t> samples_; ///< by data set that this task reads
  std::set<std::string> checked_, shared_; ///< folders; those of `shared_` with a nonce
};

/// Those of graphrun check: look, reach, prepare, connect, measure…, end; each may be left out, and
/// end comes at any time.
class CheckOrderValidator {
public:
  CheckOrderValidator(const plan::Plan &plan, uint32_t task);
  absl::Status take(const service::CheckOrder &order);

private:
  absl::Status checkPeers(const google::protobuf::RepeatedPtrField<service::Peer> &peers,
                          bool named) const;
  absl::Status check(const service::CheckOrder &order) const;

  const plan::Plan &plan_;
  const uint32_t task_;
  int stage_ = 0; ///< the last one's place in the list
  uint64_t id_ = 0;
  std::set<uint32_t> linked_; ///< the peers of prepare
};

} // namespace graphc::session
#endif
