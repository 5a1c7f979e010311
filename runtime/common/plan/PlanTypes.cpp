#include "runtime/common/plan/PlanTypes.h"

#include "runtime/common/base/TextUtils.h"
#include "runtime/common/device/DeviceKinds.h"
#include "runtime/kernels/KernelRegistry.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <string_view>

namespace graphc::plan {

uint32_t elementBytes(DataType type) {
  switch (type) {
  case I1:
  case I8:
  case U8:
    return 1;
  case BF16:
    return 2;
  case I32:
  case U32:
  case F32:
    return 4;
  case I64:
  case F64:
    return 8;
  default:
    return 0;
  }
}

const char *dataTypeName(DataType type) {
  switch (type) {
  case I1:
    return "i1";
  case I8:
    return "i8";
  case U8:
    return "ui8";
  case BF16:
    return "bf16";
  case I32:
    return "i32";
  case U32:
    return "ui32";
  case F32:
    return "f32";
  case I64:
    return "i64";
  case F64:
    return "f64";
  default:
    return "invalid";
  }
}

std::optional<uint64_t> elementCount(const TensorType &type) {
  uint64_t count = 1;
  for (int64_t dimension : type.shape())
    if (dimension < 0 || __builtin_mul_overflow(count, uint64_t(dimension), &count) ||
        count > (uint64_t(1) << 62))
      return std::nullopt;
  return count;
}

std::optional<uint64_t> tensorBytes(const TensorType &type) {
  std::optional<uint64_t> count = elementCount(type);
  uint64_t bytes = elementBytes(type.dtype());
  if (!count || !bytes || __builtin_mul_overflow(*count, bytes, &bytes) ||
      bytes > (uint64_t(1) << 62))
    return std::nullopt;
  return bytes;
}

std::string typeText(const TensorType &type) {
  std::string text = "tensor<";
  for (int64_t dimension : type.shape())
    absl::StrAppend(&text, dimension, "x");
  absl::StrAppend(&text, dataTypeName(type.dtype()), ">");
  return text;
}

bool sameType(const TensorType &a, const TensorType &b) {
  if (a.dtype() != b.dtype() || a.shape_size() != b.shape_size())
    return false;
  for (int i = 0; i < a.shape_size(); ++i)
    if (a.shape(i) != b.shape(i))
      return false;
  return true;
}

kernels::LibraryCall libraryCallOf(const Kernel &kernel) {
  static_assert(
      int(GRAPHC_I1) == int(I1) && int(GRAPHC_I8) == int(I8) && int(GRAPHC_U8) == int(U8) &&
      int(GRAPHC_I32) == int(I32) && int(GRAPHC_I64) == int(I64) && int(GRAPHC_F32) == int(F32) &&
      int(GRAPHC_F64) == int(F64) && int(GRAPHC_BF16) == int(BF16) && int(GRAPHC_U32) == int(U32));
  static_assert(int(GRAPHC_READ) == int(READ) && int(GRAPHC_WRITE) == int(WRITE) &&
                int(GRAPHC_READ_WRITE) == int(READ_WRITE));
  const Kernel::LibraryCall &source = kernel.library();
  kernels::LibraryCall call;
  call.kernel = source.kernel();
  for (const Kernel::LibraryCall::Attribute &attribute : source.attributes())
    call.attributes.push_back({attribute.name(),
                               {attribute.integers().begin(), attribute.integers().end()},
                               {attribute.numbers().begin(), attribute.numbers().end()}});
  call.postOps.assign(source.post_ops().begin(), source.post_ops().end());
  for (int i = 0; i < source.operands_size(); ++i) {
    const TensorType &type = source.operands(i).type();
    call.operands.push_back({GraphcElement(type.dtype()),
                             {type.shape().begin(), type.shape().end()},
                             GraphcAccess(kernel.args(i).access()),
                             kernel.args(i).bytes()});
  }
  return call;
}

const std::string &modelName(const Variable &variable) {
  return variable.has_part_of() ? variable.part_of().of() : variable.name();
}

const TensorType &modelType(const Variable &variable) {
  return variable.has_part_of() ? variable.part_of().type() : variable.type();
}

uint64_t modelOffset(const Variable &variable) {
  return variable.has_part_of() ? partOffset(variable.type(), variable.part_of()) : 0;
}

uint64_t partOffset(const TensorType &type, const Part &part) {
  uint64_t rows = type.shape_size() ? uint64_t(type.shape(0)) : 0;
  return rows ? tensorBytes(type).value_or(0) / rows * part.row() : 0;
}

bool isPartOf(const TensorType &type, const Part &part) {
  if (type.shape_size() == 0 || type.shape(0) < 1)
    return false;
  TensorType sameRows = part.type();
  if (sameRows.shape_size() == 0 || type.shape(0) > sameRows.shape(0) ||
      part.row() > uint64_t(sameRows.shape(0) - type.shape(0)))
    return false;
  sameRows.set_shape(0, type.shape(0));
  return sameType(type, sameRows);
}

std::string taskText(const Plan &plan, const Task &task) {
  if (task.job() >= uint32_t(plan.jobs_size()))
    return "<bad task>";
  return absl::StrCat("/job:", plan.jobs(int(task.job())).name(), "/task:", task.index());
}

std::optional<uint32_t> phaseOf(const Plan &plan, Role role) {
  for (int i = 0; i < plan.phases_size(); ++i)
    if (plan.phases(i).role() == role)
      return static_cast<uint32_t>(i);
  return std::nullopt;
}

std::vector<Task> allTasks(const Plan &plan) {
  std::vector<Task> tasks;
  for (int job = 0; job < plan.jobs_size(); ++job)
    for (uint32_t index = 0; index < plan.jobs(job).tasks(); ++index) {
      Task task;
      task.set_job(uint32_t(job));
      task.set_index(index);
      tasks.push_back(task);
    }
  return tasks;
}

absl::StatusOr<uint32_t> findTask(const Plan &plan, const std::string &job, uint32_t index,
                                  const char *jobSetting, const char *indexSetting) {
  std::vector<std::string> known;
  uint32_t first = 0;
  for (const Job &one : plan.jobs()) {
    if (one.name() == job && index < one.tasks())
      return first + index;
    if (one.name() == job)
      return absl::InvalidArgumentError(
          absl::StrCat(indexSetting, " ", index, ": the plan has ", one.tasks(), " task",
                       one.tasks() == 1 ? "" : "s", " of job ", job, ", counted from 0"));
    first += one.tasks();
    known.push_back(one.name());
  }
  return absl::InvalidArgumentError(absl::StrCat(jobSetting, " ", job, ": the plan has the jobs ",
                                                 absl::StrJoin(known, ", "),
                                                 base::didYouMean(job, known)));
}

uint32_t taskNumber(const Plan &plan, const Task &task) {
  uint32_t number = task.index();
  for (int job = 0; job < int(task.job()); ++job)
    number += plan.jobs(job).tasks();
  return number;
}

std::optional<Task> replicaTask(const Plan &plan, uint32_t replica) {
  for (const ReplicaDomain::Range &range : plan.replicas().ranges()) {
    if (replica < range.count()) {
      Task task;
      task.set_job(range.job());
      task.set_index(range.first() + replica);
      return task;
    }
    replica -= range.count();
  }
  return std::nullopt;
}

bool stores(const Plan &plan, const Variable &variable, const Task &task) {
  if (sameTask(variable.owner(), task))
    return true;
  if (variable.mirrored())
    for (const ReplicaDomain::Range &range : plan.replicas().ranges())
      if (range.job() == task.job() && task.index() >= range.first() &&
          task.index() - range.first() < range.count())
        return true;
  return false;
}

std::vector<bool> stragglers(const Plan &plan, const Phase &phase) {
  std::vector<bool> all;
  for (const Task &task : allTasks(plan))
    all.push_back(phase.ends_by_end_of_stream() && !sameTask(task, plan.chief()) &&
                  std::none_of(plan.variables().begin(), plan.variables().end(),
                               [&](const Variable &one) { return stores(plan, one, task); }));
  return all;
}

Task instanceTask(const Plan &plan, const Program &program, uint32_t instance) {
  if (program.spread())
    if (std::optional<Task> task = replicaTask(plan, instance))
      return *task;
  return program.task();
}

uint32_t lanesOn(const Plan &plan, const Program &program, const Task &task) {
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < program.instances(); ++i)
    lanes += sameTask(instanceTask(plan, program, i), task);
  return lanes;
}

bool isDevice(const std::string &device) {
  const device::DeviceKind *kind = device::findKind(device::kindOf(device));
  uint32_t index;
  return kind && kind->name.size() < device.size() &&
         absl::SimpleAtoi(device.substr(kind->name.size() + 1), &index) &&
         absl::StrCat(std::string(kind->name), ":", index) == device;
}

bool hasOwnMemory(const std::string &device) {
  return device::hasOwnMemory(device::kindOf(device));
}

std::set<uint32_t> releasedChannels(const Program &program) {
  std::set<uint32_t> released;
  for (const Instruction &instruction : program.instructions())
    if (instruction.has_release())
      released.insert(instruction.release().channel());
  return released;
}

std::set<uint32_t> shownBuffers(const Program &program) {
  std::set<uint32_t> shown;
  for (const Port &fetch : program.fetches())
    shown.insert(fetch.buffer());
  for (const Metric &metric : program.metrics())
    shown.insert({metric.sum(), metric.count()});
  return shown;
}

std::string strategyText(const Plan &plan) {
  const Strategy &strategy = plan.strategy();
  if (strategy.name() == "parameter_server")
    return strategy.name() + (strategy.in_graph() ? " (in-graph)"
                              : strategy.async()  ? " (async)"
                                                  : " (sync)");
  return strategy.name();
}

std::vector<std::string> devicesOf(const Plan &plan, const Task &task) {
  std::set<std::string> devices;
  for (const Variable &variable : plan.variables())
    if (stores(plan, variable, task))
      devices.insert(variable.device());
  for (const Program &program : plan.programs())
    if (lanesOn(plan, program, task) > 0)
      devices.insert(program.device());
  return {devices.begin(), devices.end()};
}

const std::string &locationText(const Plan &plan, uint32_t location) {
  static const std::string *none = new std::string;
  return location < uint32_t(plan.locations_size()) ? plan.locations(int(location)) : *none;
}

} // namespace graphc::plan
