#include "runtime/executor/LoadedKernels.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/device/DeviceKinds.h"
#include "runtime/common/plan/InstructionTable.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/kernels/KernelRegistry.h"

#include "absl/strings/str_cat.h"

#include <set>

namespace graphc::executor {
namespace {

/// The plan says what a kernel takes, and everything is checked against that; the code says what it
/// will touch.
absl::Status checkSignature(const plan::Kernel &kernel, const GraphcKernelTable &table) {
  static_assert(int(GRAPHC_READ) == int(plan::READ) && int(GRAPHC_WRITE) == int(plan::WRITE) &&
                int(GRAPHC_READ_WRITE) == int(plan::READ_WRITE));
  uint32_t index = kernel.compiled().entry();
  const GraphcKernelEntry &entry = table.kernels[index];
  auto differs = [&](const auto &...what) {
    return absl::InvalidArgumentError(
        absl::StrCat("kernel ", kernel.name(), ": ", what...,
                     "; the plan was changed after graphc wrote it, compile it again"));
  };
  if (uint64_t(entry.firstArgument) + entry.argumentCount > table.argumentCount)
    return differs("the arguments of the code's entry ", index, " are not in its table");
  if (uint32_t(kernel.args_size()) != entry.argumentCount)
    return differs("the plan gives it ", kernel.args_size(), " arguments, entry ", index,
                   " of the code takes ", entry.argumentCount);
  for (int i = 0; i < kernel.args_size(); ++i) {
    const plan::Kernel::Arg &given = kernel.args(i);
    const GraphcArgument &taken = table.arguments[entry.firstArgument + uint32_t(i)];
    auto text = [](uint64_t bytes, uint64_t access) {
      const char *name = access == GRAPHC_READ    ? "READ"
                         : access == GRAPHC_WRITE ? "WRITE"
                                                  : "READ_WRITE";
      return absl::StrCat(bytes, " bytes, ", name);
    };
    if (given.bytes() != taken.bytes || uint64_t(given.access()) != taken.access)
      return differs("the plan gives it argument ", i, " as ",
                     text(given.bytes(), uint64_t(given.access())), "; entry ", index,
                     " of the code takes ", text(taken.bytes, taken.access));
  }
  return absl::OkStatus();
}

/// The device that has a compiled kernel of a program: the program's, but all of the host's share
/// one.
std::string deviceOf(const plan::Code &code, const plan::Program &program) {
  return code.kind() == device::hostKind().name ? device::hostDevice() : program.device();
}

} // namespace

bool isOfCpu(const std::string &algorithm) {
  return algorithm.rfind(kernels::kCpuAlgorithm, 0) == 0;
}

absl::StatusOr<std::unique_ptr<LoadedKernels>>
LoadedKernels::load(const plan::Plan &plan, const std::vector<uint32_t> &programs,
                    kernels::ThreadPool *pool) {
  std::unique_ptr<LoadedKernels> library(new LoadedKernels);
  library->kernels_.resize(size_t(plan.kernels_size()));
  std::set<std::pair<uint32_t, std::string>> called; // a compiled kernel on a device
  for (uint32_t index : programs) {
    const plan::Program &program = plan.programs(int(index));
    for (const plan::Instruction &instruction : program.instructions())
      if (std::optional<uint32_t> kernel = plan::effectsOf(plan, program, instruction).kernel) {
        if (plan.kernels(int(*kernel)).has_compiled())
          called.insert(
              {*kernel,
               deviceOf(plan.code(int(plan.kernels(int(*kernel)).compiled().code())), program)});
        else
          library->libraryCalls_.insert({*kernel, program.device()});
      }
  }
  for (const auto &[index, deviceName] : called) {
    const plan::Kernel &kernel = plan.kernels(int(index));
    const uint32_t code = kernel.compiled().code(), entry = kernel.compiled().entry();
    const plan::Code &object = plan.code(int(code));
    std::unique_ptr<device::DeviceCode> &loaded = library->codes_[{code, deviceName}];
    if (!loaded) {
      GRAPHC_ASSIGN_OR_RETURN(device::Device * device, device::find(deviceName));
      device::CodeImage image{object.elf().empty() ? object.ptx() : object.elf(),
                              object.target_cpu(),
                              {object.features().begin(), object.features().end()}};
      for (const plan::Code::Cubin &cubin : object.cubins())
        image.made[cubin.arch()] = cubin.elf();
      for (const auto &[other, where] : called)
        if (const plan::Kernel &also = plan.kernels(int(other));
            where == deviceName && also.compiled().code() == code) {
          image.kernels.resize(std::max<size_t>(image.kernels.size(), also.compiled().entry() + 1));
          image.kernels[also.compiled().entry()] = also.name();
        }
      GRAPHC_ASSIGN_OR_RETURN(loaded, device->load(image));
    }
    const GraphcKernelTable &table = loaded->table();
    const bool onHost = object.kind() == device::hostKind().name;
    if (entry >= table.count || (onHost && !table.kernels[entry].run))
      return absl::InvalidArgumentError(absl::StrCat("kernel ", kernel.name(), ": entry ", entry,
                                                     " does not exist, the code has ", table.count,
                                                     " kernels"));
    GRAPHC_RETURN_IF_ERROR(checkSignature(kernel, table));
    if (onHost)
      library->kernels_[index] = table.kernels[entry];
  }
  GRAPHC_RETURN_IF_ERROR(library->choose(plan, {}, pool));
  return library;
}

/// Makes the kernel of each call once; where algorithms are told, of those alone that can be told
/// one. Lanes make theirs by the algorithm that it has told.
absl::Status LoadedKernels::choose(const plan::Plan &plan, const KernelAlgorithms &told,
                                   kernels::ThreadPool *pool) {
  KernelAlgorithms chosen;
  for (const auto &[index, name] : libraryCalls_) {
    const plan::Kernel &kernel = plan.kernels(int(index));
    if (!told.empty()) {
      auto own = taken_.find(kernel.name());
      if (own == taken_.end())
        continue;
      if (isOfCpu(own->second)) {
        chosen.insert(*own);
        continue;
      }
    }
    GRAPHC_ASSIGN_OR_RETURN(device::Device * device, device::find(name));
    auto found = told.find(kernel.name());
    GRAPHC_ASSIGN_OR_RETURN(
        std::unique_ptr<kernels::LibraryKernel> made,
        device->make(plan::libraryCallOf(kernel),
                     {kernel.scratch_bytes(), pool,
                      found == told.end() ? "" : std::string_view(found->second)}));
    if (made->algorithm().empty())
      continue;
    auto [other, isNew] = chosen.try_emplace(kernel.name(), made->algorithm());
    if (!isNew && other->second != made->algorithm())
      return absl::FailedPreconditionError(
          absl::StrCat("the devices of this task do not compute ", kernel.name(),
                       " alike: ", other->second, ", and ", made->algorithm(),
                       "; give each task GPUs of one kind, or compile with graphc --no_cublaslt"));
  }
  taken_ = std::move(chosen);
  return absl::OkStatus();
}

absl::Status LoadedKernels::take(const plan::Plan &plan, const KernelAlgorithms &told) {
  return told.empty() ? absl::OkStatus() : choose(plan, told, nullptr);
}

const device::DeviceCode &LoadedKernels::code(const plan::Plan &plan, uint32_t kernel,
                                              const plan::Program &program) const {
  const uint32_t code = plan.kernels(int(kernel)).compiled().code();
  return *codes_.at({code, deviceOf(plan.code(int(code)), program)});
}

absl::StatusOr<std::unique_ptr<LoadedKernels>>
LoadedKernels::loadFor(const plan::Plan &plan, const plan::Task &task, kernels::ThreadPool *pool) {
  std::vector<uint32_t> programs;
  for (int i = 0; i < plan.programs_size(); ++i)
    if (plan::lanesOn(plan, plan.programs(i), task))
      programs.push_back(uint32_t(i));
  return load(plan, programs, pool);
}

} // namespace graphc::executor
