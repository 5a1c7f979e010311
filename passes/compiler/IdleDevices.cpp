//===- IdleDevices.cpp - devices of the cluster that a plan leaves without work ---------------===//
#include "passes/compiler/IdleDevices.h"

#include "runtime/common/device/DeviceKinds.h"
#include "runtime/common/plan/PlanTypes.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace graphc {

void remarkOnIdleDevices(const plan::Plan &plan, const cluster::ClusterConfig &cluster,
                         const DiagnosticSink &sink) {
  if (plan.strategy().name() == "one_device") // said by its name
    return;
  std::set<std::string> busy;
  auto name = [&](const plan::Task &task, const std::string &device) {
    return plan::taskText(plan, task) + "/device:" + device;
  };
  for (const plan::Program &program : plan.programs())
    for (uint32_t i = 0; i < (program.spread() ? program.instances() : 1); ++i)
      busy.insert(name(plan::instanceTask(plan, program, i), program.device()));
  for (const plan::Variable &variable : plan.variables())
    busy.insert(name(variable.owner(), variable.device()));
  std::string first;
  size_t idle = 0;
  const cluster::JobConfig *where = nullptr;
  auto isHost = [](const std::string &device) {
    return device::kindOf(device) == device::hostKind().name;
  };
  for (const cluster::JobConfig &job : cluster.jobs)
    for (uint32_t task = 0; task < job.tasks; ++task)
      for (const std::string &device : job.devices)
        if (isHost(device) && !llvm::all_of(job.devices, isHost))
          continue; // it feeds the others
        else if (std::string full =
                     "/job:" + job.name + "/task:" + std::to_string(task) + "/device:" + device;
                 !busy.count(full)) {
          if (idle++ == 0) {
            first = full;
            where = &job;
          }
        }
  if (!where)
    return;
  Diagnostic remark;
  remark.severity = Severity::Remark;
  remark.file = cluster.file;
  remark.line = where->position.line;
  remark.column = where->position.column;
  remark.message = "strategy " + plan.strategy().name() + " leaves " + first;
  if (idle > 1)
    remark.message +=
        " and " + std::to_string(idle - 1) + (idle > 2 ? " other devices" : " other device");
  remark.message += std::string(" without work; place something there, or leave ") +
                    (idle > 1 ? "them" : "it") + " out of the cluster";
  sink(remark);
}

} // namespace graphc
