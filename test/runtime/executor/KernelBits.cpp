//===- KernelBits.cpp -------------------------------------------------------------------------===//
//
// kernel-bits: the bits of each kernel of some plans, made in a given order.
//
//   kernel-bits [--seed S] [--alone] [--every N] [--threads N] [--shift BYTES] [--sweep] [PLAN]…
//
// Makes every kernel of the plans (and with --sweep products of many small shapes) in an order
// drawn from the seed, 0 for that of the plans, then runs them in another order drawn from it, on
// operands that follow from the kernel alone. One line a kernel, in the order of the plans: its
// name, the bytes of scratch that the library wants, a sum of what it wrote. --alone: each in a
// process of its own, --every Nth. --shift: operands begin so many bytes behind a page.
// test/run/test_kernel_bits.py compares what is printed.
//
//===------------------------------------------------------------------------------------------===//

#include "runtime/common/base/Crc32c.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/device/MemoryRegion.h"
#include "runtime/executor/LoadedKernels.h"
#include "runtime/kernels/KernelRegistry.h"
#include "runtime/kernels/MatmulKernel.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

namespace graphc::executor {
namespace {

struct Argument {
  uint64_t bytes;
  plan::Access access;
};

struct Kernel {
  std::string name;
  GraphcKernel compiled = nullptr; // null: `call`
  kernels::LibraryCall call;
  std::vector<Argument> arguments; // but for scratch
  // What --seed orders.
  std::unique_ptr<kernels::LibraryKernel> made;
  uint64_t scratchBytes = 0;
};

struct Options {
  uint32_t seed = 0, threads = 1, every = 1;
  uint64_t shift = 0;
  bool alone = false, sweep = false;
  std::vector<std::string> plans;
};

Kernel productKernel(const kernels::MatmulDesc &d) {
  Kernel kernel;
  kernel.name = kernels::describe(d);
  kernel.call = {"matmul", {{"k", {d.k}, {}}, {"m", {d.m}, {}}, {"n", {d.n}, {}}}, {}, {}};
  if (d.batch != 1)
    kernel.call.attributes.insert(kernel.call.attributes.begin(), {"batch", {d.batch}, {}});
  if (d.transposeA)
    kernel.call.attributes.push_back({"transpose_a", {1}, {}});
  if (d.transposeB)
    kernel.call.attributes.push_back({"transpose_b", {1}, {}});
  auto add = [&](std::vector<int64_t> shape, int64_t elements, plan::Access access) {
    kernel.call.operands.push_back(
        {GRAPHC_F32, std::move(shape), GraphcAccess(access), uint64_t(elements) * 4});
    kernel.arguments.push_back({uint64_t(elements) * 4, access});
  };
  auto matrix = [&](int64_t rows, int64_t columns, plan::Access access) {
    std::vector<int64_t> shape = {rows, columns};
    if (d.batch != 1)
      shape.insert(shape.begin(), d.batch);
    add(std::move(shape), d.batch * rows * columns, access);
  };
  matrix(d.m, d.k, plan::READ);
  matrix(d.k, d.n, plan::READ);
  if (d.bias) {
    kernel.call.postOps.push_back("bias");
    add({d.n}, d.n, plan::READ);
  }
  if (d.relu)
    kernel.call.postOps.push_back("relu");
  matrix(d.m, d.n, plan::WRITE);
  return kernel;
}

void addPlan(const std::string &path, const plan::Plan &plan, const LoadedKernels &library,
             std::vector<Kernel> &all) {
  for (int i = 0; i < plan.kernels_size(); ++i) {
    const plan::Kernel &source = plan.kernels(i);
    Kernel kernel;
    if (source.has_library())
      kernel.call = plan::libraryCallOf(source);
    else
      kernel.compiled = library.entry(uint32_t(i));
    for (int k = 0; k < source.args_size() - (source.scratch_bytes() ? 1 : 0); ++k)
      kernel.arguments.push_back({source.args(k).bytes(), source.args(k).access()});
    kernel.name = absl::StrCat(path, " ", source.name());
    all.push_back(std::move(kernel));
  }
}

/// Ones in every position, both transposes, each post-op; some shapes of more than one block.
void addSweep(std::vector<Kernel> &all) {
  std::vector<std::array<int64_t, 3>> shapes = {
      {1, 64, 2000}, {2000, 1, 64}, {64, 2000, 1},   {1, 2000, 64},   {1, 1, 4096},
      {1, 4096, 1},  {4096, 1, 1},  {300, 500, 200}, {20, 3000, 450}, {3000, 17, 500}};
  for (int64_t m : {1, 3, 64, 130})
    for (int64_t n : {1, 3, 64, 130})
      for (int64_t k : {1, 3, 64, 130})
        shapes.push_back({m, n, k});
  for (auto [m, n, k] : shapes)
    for (int flags = 0; flags < 16; ++flags)
      all.push_back(productKernel(
          {m, n, k, 1, bool(flags & 1), bool(flags & 2), bool(flags & 4), bool(flags & 8)}));
}

absl::Status make(Kernel &kernel, kernels::ThreadPool *pool) {
  if (kernel.compiled)
    return absl::OkStatus();
  GRAPHC_ASSIGN_OR_RETURN(kernel.scratchBytes, kernels::scratchBytesOf(kernel.call));
  GRAPHC_ASSIGN_OR_RETURN(kernel.made, kernels::makeKernel(kernel.call, kernel.scratchBytes, pool));
  return absl::OkStatus();
}

/// A line of what the kernel is and gives. Operands are numbers between -1 and 1, the bits of f32.
absl::StatusOr<std::string> run(Kernel &kernel, uint64_t shift) {
  std::vector<Argument> arguments = kernel.arguments;
  if (kernel.scratchBytes)
    arguments.push_back({kernel.scratchBytes, plan::WRITE});
  std::vector<device::MemoryRegion> memory;
  std::vector<void *> buffers;
  for (size_t i = 0; i < arguments.size(); ++i) {
    GRAPHC_ASSIGN_OR_RETURN(device::MemoryRegion one,
                            device::MemoryRegion::allocate(arguments[i].bytes + shift + 64,
                                                           device::MemoryRegion::Guard::None,
                                                           "an operand"));
    uint8_t *at = one.data() + shift;
    if (arguments[i].access != plan::WRITE) {
      auto *values = reinterpret_cast<float *>(at);
      uint32_t state = 2463534242 + uint32_t(i);
      for (uint64_t k = 0; k < arguments[i].bytes / 4; ++k) {
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        values[k] = float(state) / 2147483648.0f - 1;
      }
    }
    buffers.push_back(at);
    memory.push_back(std::move(one));
  }
  GraphcContext context{};
  if (int code = kernel.compiled ? kernel.compiled(buffers.data(), &context)
                                 : kernel.made->run(buffers.data()))
    return absl::InternalError(absl::StrCat(kernel.name, " failed with ", code));
  uint32_t sum = 0;
  for (size_t i = 0; i < kernel.arguments.size(); ++i)
    if (arguments[i].access != plan::READ)
      sum = base::crc32c(sum, buffers[i], arguments[i].bytes);
  return absl::StrFormat("%s scratch %d sum %08x\n", kernel.name, kernel.scratchBytes, sum);
}

/// The line of one kernel that is made and run alone.
absl::StatusOr<std::string> runAlone(Kernel &kernel, const Options &options) {
  int ends[2];
  if (pipe(ends) != 0)
    return base::errnoStatus("pipe", errno);
  pid_t child = fork();
  if (child == 0) {
    std::string text;
    kernels::ThreadPool pool(options.threads);
    absl::Status made = make(kernel, &pool);
    if (auto line = made.ok() ? run(kernel, options.shift) : absl::StatusOr<std::string>(made);
        line.ok())
      text = *line;
    else
      fprintf(stderr, "kernel-bits: %s\n", std::string(line.status().message()).c_str());
    (void)!write(ends[1], text.data(), text.size());
    _exit(text.empty());
  }
  close(ends[1]);
  std::string text(4096, 0);
  ssize_t got = read(ends[0], text.data(), text.size());
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (child < 0 || got <= 0 || status != 0)
    return absl::InternalError(absl::StrCat(kernel.name, ": its process failed"));
  text.resize(size_t(got));
  return text;
}

absl::Status runAll(const Options &options) {
  std::vector<Kernel> all;
  std::vector<std::unique_ptr<LoadedKernels>> libraries;
  for (const std::string &path : options.plans) {
    GRAPHC_ASSIGN_OR_RETURN(plan::LoadedPlan loaded, plan::loadPlan(path));
    std::vector<uint32_t> programs(size_t(loaded.plan.programs_size()));
    std::iota(programs.begin(), programs.end(), 0);
    GRAPHC_ASSIGN_OR_RETURN(libraries.emplace_back(), LoadedKernels::load(loaded.plan, programs));
    addPlan(path, loaded.plan, *libraries.back(), all);
  }
  if (options.sweep)
    addSweep(all);
  std::vector<std::string> lines(all.size());
  if (options.alone) {
    for (size_t i = options.seed % options.every; i < all.size(); i += options.every) {
      GRAPHC_ASSIGN_OR_RETURN(lines[i], runAlone(all[i], options));
    }
  } else {
    kernels::ThreadPool pool(options.threads);
    std::vector<size_t> order(all.size());
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(options.seed);
    auto mix = [&] {
      if (options.seed)
        std::shuffle(order.begin(), order.end(), random);
    };
    mix();
    for (size_t i : order)
      GRAPHC_RETURN_IF_ERROR(make(all[i], &pool));
    mix();
    for (size_t i : order) {
      GRAPHC_ASSIGN_OR_RETURN(lines[i], run(all[i], options.shift));
    }
    for (Kernel &kernel : all)
      kernel.made.reset();
  }
  for (const std::string &line : lines)
    fputs(line.c_str(), stdout);
  return absl::OkStatus();
}

} // namespace
} // namespace graphc::executor

int main(int argc, char **argv) {
  graphc::executor::Options options;
  CLI::App app("kernel-bits");
  app.add_option("plans", options.plans);
  app.add_option("--seed", options.seed);
  app.add_option("--threads", options.threads);
  app.add_option("--every", options.every)->check(CLI::PositiveNumber);
  app.add_option("--shift", options.shift);
  app.add_flag("--alone", options.alone);
  app.add_flag("--sweep", options.sweep);
  CLI11_PARSE(app, argc, argv);
  if (absl::Status status = graphc::executor::runAll(options); !status.ok()) {
    fprintf(stderr, "kernel-bits: %s\n", std::string(status.message()).c_str());
    return 1;
  }
  return 0;
}
