#include "runtime/executor/KernelLibrary.h"

#include "runtime/base/Cpu.h"
#include "runtime/base/File.h"
#include "runtime/base/Log.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Effects.h"
#include "runtime/plan/Types.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <map>

namespace graphc::executor {
namespace {

absl::Status checkCpu(const plan::Code &code) {
  std::vector<std::string> features(code.features().begin(), code.features().end());
  std::vector<std::string> missing = base::missingCpuFeatures(features);
  if (missing.empty())
    return absl::OkStatus();
  std::string unknown;
  for (const std::string &name : missing)
    if (!base::isCpuFeature(name))
      absl::StrAppend(&unknown, unknown.empty() ? "; of " : ", ", name);
  if (!unknown.empty())
    absl::StrAppend(&unknown, " this graphrun does not even know");
  return absl::FailedPreconditionError(
      absl::StrCat("the plan's code was compiled with --target-cpu=", code.target_cpu(), " and needs ",
                   absl::StrJoin(missing, ", "), ", which this CPU (", base::cpuModelName(), ") does not have", unknown,
                   "; compile it again on this machine, or with a --target-cpu "
                   "that every machine of the cluster has, for example x86-64-v3"));
}

/// Where a debugger or profiler shall find the code: GRAPHC_KEPT_CODE names the kernels.so that `graphc --keep-code` wrote.
/// A memfd has no name that another process could open. Empty: none named, or not the code of this plan.
std::string keptCode(const plan::Code &code) {
  const char *path = std::getenv("GRAPHC_KEPT_CODE");
  if (!path || !*path)
    return "";
  absl::StatusOr<std::string> kept = base::readFile(path);
  if (kept.ok() && *kept == code.elf())
    return std::filesystem::absolute(path).string();
  base::logger().warn("GRAPHC_KEPT_CODE={} {}; the plan's own code is loaded", path,
                      kept.ok() ? "is not the code of this plan" : "cannot be read");
  return "";
}

// The descriptor stays open while the code is loaded: dlopen knows a loaded object by its name, and /proc/self/fd/N names
// another one as soon as N is used again.
absl::StatusOr<const GraphcKernelTable *> open(const plan::Code &code, std::vector<void *> &handles,
                                               std::vector<base::UniqueFd> &files) {
  GRAPHC_RETURN_IF_ERROR(checkCpu(code));
  GRAPHC_ASSIGN_OR_RETURN(base::UniqueFd fd, base::sealedMemfd("graphc-code", code.elf()));
  std::string path = keptCode(code);
  if (path.empty())
    path = absl::StrCat("/proc/self/fd/", fd.get());
  void *handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return absl::InvalidArgumentError(absl::StrCat("cannot load the plan's code: ", dlerror()));
  handles.push_back(handle);
  files.push_back(std::move(fd));
  auto *table = static_cast<const GraphcKernelTable *>(::dlsym(handle, "graphc_kernels"));
  if (!table)
    return absl::InvalidArgumentError("the plan's code does not export 'graphc_kernels'");
  if (table->version != GRAPHC_KERNEL_ABI_VERSION)
    return absl::FailedPreconditionError(absl::StrCat("the plan's code has kernel interface version ", table->version,
                                                      ", this graphrun has ", GRAPHC_KERNEL_ABI_VERSION));
  return table;
}

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

void addKernels(const plan::Plan &plan, const plan::Program &program, std::vector<bool> &wanted) {
  for (const plan::Instruction &instruction : program.instructions())
    if (std::optional<uint32_t> kernel = plan::effectsOf(plan, program, instruction).kernel)
      wanted[*kernel] = true;
}

} // namespace

absl::StatusOr<std::unique_ptr<KernelLibrary>> KernelLibrary::load(const plan::Plan &plan,
                                                                   const std::vector<uint32_t> &programs) {
  std::unique_ptr<KernelLibrary> library(new KernelLibrary);
  library->kernels.resize(size_t(plan.kernels_size()));
  std::vector<bool> wanted(size_t(plan.kernels_size()));
  for (uint32_t program : programs)
    addKernels(plan, plan.programs(int(program)), wanted);
  std::map<uint32_t, const GraphcKernelTable *> tables;
  for (int i = 0; i < plan.kernels_size(); ++i) {
    const plan::Kernel &kernel = plan.kernels(i);
    if (!wanted[size_t(i)] || !kernel.has_compiled())
      continue;
    uint32_t code = kernel.compiled().code(), entry = kernel.compiled().entry();
    if (!tables.contains(code)) {
      GRAPHC_ASSIGN_OR_RETURN(const GraphcKernelTable *table,
                              open(plan.code(int(code)), library->handles, library->files));
      tables[code] = table;
    }
    const GraphcKernelTable *table = tables[code];
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

KernelLibrary::~KernelLibrary() {
  for (void *handle : handles)
    ::dlclose(handle);
}

} // namespace graphc::executor
