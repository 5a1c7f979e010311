//===- CheckDriver.h - the script of graphrun check ---------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_CHECK_CHECKDRIVER_H
#define GRAPHC_TOOLS_GRAPHRUN_CHECK_CHECKDRIVER_H

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/service/CheckService.h"
#include "tools/graphrun/TaskMain.h"
#include "tools/graphrun/check/CheckReport.h"

namespace graphc::graphrun {

/// One a check, on the chief's thread. Every wait ends after --timeout at the latest.
class CheckChief {
public:
  CheckChief(const RunFlags &flags, const plan::LoadedPlan &plan, const TaskSetup &setup,
             service::CheckService &service);
  /// Asks all tasks for everything; ends with the order End for those that are left. `elsewhere`
  /// (may be null) tells what went wrong with servers that were sent away.
  void run(const std::function<std::string()> &elsewhere);
  const CheckReport &report() const { return report_; }

private:
  /// One pair of tasks that the run has channels between; `low` dials.
  struct Link {
    uint32_t low, high;
    bool sharedMemory = false;
    bool good = true;
  };
  void gather(const std::function<std::string()> &elsewhere);
  absl::Status lookAt(uint32_t task) const;
  void compareSelves();
  void look();
  void reach();
  void measure();
  bool atAll(const std::string &what, const std::function<service::CheckOrder(uint32_t)> &order);
  void openCheckpoints(service::CheckOrder::Reach *order);
  void readInitFrom(service::CheckOrder::Reach *order); ///< behind that
  void closeCheckpoints();
  void wrong(uint32_t task, const std::string &line);
  void drop(uint32_t task, const std::string &why);
  std::optional<service::CheckReport> collect(uint32_t task, const service::CheckOrder &order,
                                              absl::Time deadline);
  std::vector<uint32_t> left() const;
  bool canLink(const Link &link) const;
  std::string ends(const Link &link) const;
  void say(const std::string &line) const;

  const RunFlags &flags_;
  const plan::LoadedPlan &loaded_;
  const plan::Plan &plan_;
  const TaskSetup &setup_;
  service::CheckService &service_;
  const absl::Duration timeout_;
  const std::vector<plan::Task> tasks_;
  std::vector<std::string> names_;
  std::vector<cluster::LinkConfig> said_; ///< of cluster.json
  std::vector<std::optional<service::CheckReport>>
      reports_; ///< the first of each task; none: it did not come or was dropped
  std::vector<std::optional<service::CheckReport>> answers_; ///< to the last order
  std::vector<Link> links_;
  std::string checkpoints_; ///< of a folder that was made for this check
  bool goesOn_ = false; ///< from a checkpoint of the run's own
  std::optional<checkpoint::CheckpointDirectory> directory_; ///< held while the tasks look for it
  CheckReport report_;
};

/// The pairs of tasks (lower number first) between which the plan has channels.
std::vector<std::pair<uint32_t, uint32_t>> linkedTasks(const plan::Plan &plan);

} // namespace graphc::graphrun
#endif
