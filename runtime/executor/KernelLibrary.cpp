#include "runtime/executor/KernelLibrary.h"

#include "runtime/base/Status.h"
#include "runtime/plan/Effects.h"
#include "runtime/plan/Types.h"

#include "absl/strings/str_cat.h"

#include <map>

namespace graphc::executor {
namespace {

/// The plan says what a kernel takes, and everything is checked against that; the code says what it will touch.
absl::Status checkSignature(const plan::Kernel &kernel, const GraphcKernelTable &table) {
  static_assert(int(GRAPHC_READ) == int(plan::READ) && int(GRAPHC_WRITE) == int(plan::WRITE) &&
                int(GRAPHC_READ_WRITE) == int(plan::READ_WRITE));
  uint32_t index = kernel.compiled().entry();
  const GraphcKernelEntry &entry = table.kernels[index];
  auto differs = [&](const auto &...what) {
    return absl::InvalidArgumentError(absl::StrCat("kernel ", kernel.name(), ": ", what...,
                                                   "; the plan was changed after graphc wrote it, compile it again"));
  };
  if (uint64_t(entry.firstArgument) + entry.argumentCount > table.argumentCount)
    return differs("the arguments of the code's entry ", index, " are not in its table");
  if (uint32_t(kernel.args_size()) != entry.argumentCount)
    return differs("the plan gives it ", kernel.args_size(), " arguments, entry ", index, " of the code takes ",
                   entry.argumentCount);
  for (int i = 0; i < kernel.args_size(); ++i) {
    const plan::Kernel::Arg &given = kernel.args(i);
    const GraphcArgument &taken = table.arguments[entry.firstArgument + uint32_t(i)];
    auto text = [](uint64_t bytes, uint64_t access) {
      const char *name = access == GRAPHC_READ ? "READ" : access == GRAPHC_WRITE ? "WRITE" : "READ_WRITE";
      return absl::StrCat(bytes, " bytes, ", name);
    };
    if (given.bytes() != taken.bytes || uint64_t(given.access()) != taken.access)
      return differs("the plan gives it argument ", i, " as ", text(given.bytes(), uint64_t(given.access())),
                     "; entry ", index, " of the code takes ", text(taken.bytes, taken.access));
  }
  return absl::OkStatus();
}

void addKernels(const plan::Plan &plan, const plan::Program &program, std::vector<const plan::Program *> &callers) {
  for (const plan::Instruction &instruction : program.instructions())
    if (std::optional<uint32_t> kernel = plan::effectsOf(plan, program, instruction).kernel)
      callers[*kernel] = &program;
}

} // namespace

absl::StatusOr<std::unique_ptr<KernelLibrary>> KernelLibrary::load(const plan::Plan &plan,
                                                                   const std::vector<uint32_t> &programs) {
  std::unique_ptr<KernelLibrary> library(new KernelLibrary);
  library->kernels.resize(size_t(plan.kernels_size()));
  std::vector<const plan::Program *> callers(size_t(plan.kernels_size())); // one that calls it; null: none does
  for (uint32_t program : programs)
    addKernels(plan, plan.programs(int(program)), callers);
  std::map<std::pair<uint32_t, device::Device *>, const GraphcKernelTable *> tables; // of a code object on a device
  for (int i = 0; i < plan.kernels_size(); ++i) {
    const plan::Kernel &kernel = plan.kernels(i);
    if (!callers[size_t(i)] || !kernel.has_compiled())
      continue;
    uint32_t code = kernel.compiled().code(), entry = kernel.compiled().entry();
    GRAPHC_ASSIGN_OR_RETURN(device::Device * device, device::find(callers[size_t(i)]->device()));
    const GraphcKernelTable *&table = tables[{code, device}];
    if (!table) {
      const plan::Code &object = plan.code(int(code));
      GRAPHC_ASSIGN_OR_RETURN(
          library->codes.emplace_back(),
          device->load({object.elf(), object.target_cpu(), {object.features().begin(), object.features().end()}}));
      table = &library->codes.back()->table();
    }
    if (entry >= table->count || !table->kernels[entry].run)
      return absl::InvalidArgumentError(absl::StrCat("kernel ", kernel.name(), ": entry ", entry,
                                                     " does not exist, the code has ", table->count, " kernels"));
    GRAPHC_RETURN_IF_ERROR(checkSignature(kernel, *table));
    library->kernels[size_t(i)] = table->kernels[entry].run;
  }
  return library;
}

absl::StatusOr<std::unique_ptr<KernelLibrary>> KernelLibrary::loadFor(const plan::Plan &plan, const plan::Task &task) {
  std::vector<uint32_t> programs;
  for (int i = 0; i < plan.programs_size(); ++i)
    for (uint32_t r = 0; r < plan.programs(i).instances(); ++r)
      if (plan::sameTask(plan::instanceTask(plan, plan.programs(i), r), task)) {
        programs.push_back(uint32_t(i));
        break;
      }
  return load(plan, programs);
}

} // namespace graphc::executor
