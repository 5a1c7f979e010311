//===- AnswerValidator.h - which answers of a task the master believes --------------*- C++ -*-===//
//
// The other side of OrderValidator.h. Everything that a task says is checked here against the plan
// and against the order that it answers, so that the driver can add, index and print it. Numbers
// that a task computed are its own affair; their ranges are not.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_MASTER_ANSWERVALIDATOR_H
#define GRAPHC_RUNTIME_SESSION_MASTER_ANSWERVALIDATOR_H

#include "runtime/common/plan/plan.pb.h"
#include "runtime/service/TaskCoordinator.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace graphc::session {

/// Those of a run. Called by the coordinator, one call at a time.
class AnswerValidator final : public service::AnswerRules {
public:
  /// The plan is verified and outlives this. `told`: hears of each order, under the coordinator's
  /// lock; may be empty.
  explicit AnswerValidator(const plan::Plan &plan,
                           std::function<void(const service::Order &)> told = {});
  void ordered(const service::Order &order) override;
  absl::Status check(uint32_t task, const service::Done &done) override;
  absl::Status check(uint32_t task, const service::Progress &progress) override;
  absl::Status checkOwn(uint32_t task, const service::Order &order,
                        const service::Done &done) override;
  void rejoins(uint32_t task) override { rejoined_.insert(task); }
  bool isRepeated(uint32_t task, const service::Fetched &value) const override;
  absl::Status check(uint32_t task, const service::Fetched &value) override;
  absl::Status check(uint32_t task, const service::Traced &trace) override;

private:
  struct PhaseOfTask {
    int lanes = 0;
    int tickets = 0; ///< lanes that take an update ticket each step
    std::set<std::string> metrics;
    std::set<uint32_t> datasets; ///< that it reads
  };
  struct OfTask {
    plan::Task task;
    std::vector<uint32_t> owned; ///< variables that it saves
    bool mirrors = false, globalStep = false; ///< has a mirrored variable, the global step
    std::vector<PhaseOfTask> phases;
  };
  absl::Status checkAnswer(uint32_t task, const service::Order &order,
                           const service::Done &done) const;
  absl::Status checkDatasets(const OfTask &task, const service::Order::Connect &order,
                             const service::Done &done) const;
  absl::Status checkRun(const OfTask &task, const service::Done &done) const;
  absl::Status checkShard(const OfTask &task, const service::Done &done) const;
  absl::Status checkGlobalStep(const OfTask &task, const service::Done &done) const;
  absl::Status checkReport(const plan::Program &program, const service::Fetched &value);
  absl::Status checkStep(const std::string &what, uint32_t fetch, const service::Fetched &value);

  const plan::Plan &plan_;
  const std::function<void(const service::Order &)> told_;
  std::vector<OfTask> tasks_; ///< by number
  service::Order order_; ///< under way, or the last
  service::Order::Begin begin_; ///< of the last phase
  std::set<std::string> wanted_; ///< --fetch
  bool nanStops_ = false; ///< --nan stop
  std::set<uint32_t> rejoined_; ///< tasks of the running phase that make some steps again
  std::vector<bool> answered_; ///< the order, by task
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint64_t>
      next_; ///< (program, fetch, instance): the least step that may come
  std::vector<uint64_t> traced_; ///< bytes of the running phase, by task
  /// lanes of it that had nothing to record: program, instance
  std::set<std::pair<uint32_t, uint32_t>> emptyTraces_;
};

/// The same for graphrun check: the answer of `task` to `order`.
absl::Status checkAnswer(const plan::Plan &plan, uint32_t task, const service::CheckOrder &order,
                         const service::CheckReport &report);

} // namespace graphc::session
#endif
