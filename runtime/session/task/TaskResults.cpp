#include "runtime/session/task/TaskResults.h"

#include "runtime/common/plan/PlanTypes.h"

#include <utility>

namespace graphc::session {

void TaskResults::add(const executor::LaneInfo &lane, uint32_t fetch, uint64_t step,
                      const void *data) {
  const plan::Port &port = lane.program->fetches(static_cast<int>(fetch));
  const plan::Buffer &buffer = lane.program->buffers(static_cast<int>(port.buffer()));
  base::MutexLock lock(mutex_);
  Value &value = values_[port.name()];
  value.plan = lane.plan;
  value.program = lane.program;
  value.task = lane.task;
  value.port = &port;
  value.step = step;
  value.byInstance[lane.instance].assign(static_cast<const char *>(data), buffer.bytes());
}

std::map<std::string, FetchedTensor> TaskResults::take() {
  std::map<std::string, Value> values;
  {
    base::MutexLock lock(mutex_);
    values.swap(values_);
  }
  std::map<std::string, FetchedTensor> results;
  for (auto &[name, value] : values) {
    FetchedTensor &tensor = results[name];
    tensor.task = plan::taskText(*value.plan, value.task);
    tensor.name = name;
    tensor.step = value.step;
    tensor.type = value.program->buffers(static_cast<int>(value.port->buffer())).type();
    tensor.phase = value.program->phase();
    std::vector<std::string> replicas;
    for (auto &[instance, bytes] : value.byInstance)
      replicas.push_back(std::move(bytes));
    tensor.data = reduceOverReplicas(*value.port, *value.program, replicas);
  }
  return results;
}

} // namespace graphc::session
