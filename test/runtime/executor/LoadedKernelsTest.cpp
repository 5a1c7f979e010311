#include "runtime/executor/LoadedKernels.h"

#include "runtime/common/base/Sha256.h"
#include "runtime/executor/LaneProgram.h"
#include "runtime/executor/VariableStore.h"
#include "test/runtime/common/plan/PlanBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace graphc::executor {
namespace {

using testing::HasSubstr;

std::string loadError(const plan::Plan &plan) {
  return std::string(LoadedKernels::load(plan, {0, 1}).status().message());
}

TEST(LoadedKernels, LoadsOnlyWhatThePrograms) {
  plan::Plan plan = plan::parameterServerPlan({1, 2});
  auto all = LoadedKernels::load(plan, {0, 1}), worker = LoadedKernels::load(plan, {0});
  ASSERT_TRUE(all.ok() && worker.ok());
  int inAll = 0, inWorker = 0;
  for (int i = 0; i < plan.kernels_size(); ++i) {
    inAll += (*all)->entry(uint32_t(i)) != nullptr;
    inWorker += (*worker)->entry(uint32_t(i)) != nullptr;
  }
  EXPECT_EQ(inAll, plan.kernels_size());
  EXPECT_EQ(inWorker, 2);
}

// dlopen tells objects apart by name: two codes loaded one after the other must not be taken for
// one.
TEST(LoadedKernels, TwoCodesAreTwoObjects) {
  plan::Plan plan = plan::parameterServerPlan({1, 2});
  *plan.add_code() = plan.code(0);
  plan::Kernel again = plan.kernels(0);
  again.mutable_compiled()->set_code(1);
  *plan.add_kernels() = again;
  plan::Instruction *call = plan.mutable_programs(0)->add_instructions();
  call->mutable_call()->set_kernel(uint32_t(plan.kernels_size()) - 1);
  auto library = LoadedKernels::load(plan, {0, 1});
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_NE((*library)->entry(0), (*library)->entry(uint32_t(plan.kernels_size()) - 1));
}

TEST(LoadedKernels, MissingCpuFeatureNamesTheFlag) {
  plan::Plan plan = plan::parameterServerPlan({1, 2});
  plan.mutable_code(0)->set_target_cpu("futuretron");
  plan.mutable_code(0)->add_features("+avx4096");
  EXPECT_THAT(loadError(plan),
              HasSubstr("compiled with --target_cpu=futuretron and needs avx4096, which this CPU"));
}

TEST(LoadedKernels, ADeviceThatIsNotHereIsNamed) {
  plan::Plan plan = plan::parameterServerPlan({1, 2});
  plan.mutable_programs(0)->set_device("TPU:0");
  plan.mutable_code(0)->set_kind("TPU");
  EXPECT_THAT(loadError(plan),
              HasSubstr("the plan has work for the device TPU:0; this program runs CPU, GPU"));
}

TEST(LoadedKernels, EntryBeyondTheTable) {
  plan::Plan plan = plan::parameterServerPlan({1, 2});
  plan.mutable_kernels(0)->mutable_compiled()->set_entry(35);
  EXPECT_THAT(loadError(plan), HasSubstr("entry 35 does not exist, the code has 35 kernels"));
}

// Buffers are checked against what the plan says of a kernel, so the code has to say the same.
TEST(LoadedKernels, AnotherKernelsEntryIsRefused) {
  const plan::Plan good = plan::parameterServerPlan({1, 2});
  auto named = [](plan::Plan &plan, const std::string &name) -> plan::Kernel & {
    for (plan::Kernel &kernel : *plan.mutable_kernels())
      if (kernel.name() == name)
        return kernel;
    return *plan.mutable_kernels(0);
  };
  auto swapped = [&](const std::string &kernel, const std::string &with) {
    plan::Plan plan = good;
    named(plan, kernel).mutable_compiled()->set_entry(named(plan, with).compiled().entry());
    return loadError(plan);
  };
  EXPECT_THAT(
      swapped("add", "increment"),
      HasSubstr(
          "kernel add: the plan gives it 2 arguments, entry 11 of the code takes 1; the plan was changed"));
  EXPECT_THAT(swapped("add", "gradient"),
              HasSubstr("kernel add: the plan gives it argument 0 as 64 bytes, READ_WRITE; "
                        "entry 8 of the code takes 64 bytes, READ; the plan was changed"));
  EXPECT_THAT(swapped("add", "divide"),
              HasSubstr("argument 1 as 64 bytes, READ; entry 10 of the code takes 4 bytes, READ;"));
  EXPECT_EQ(swapped("add", "apply"), ""); // takes the same
  plan::Plan larger = good; // the entry stays, and what the plan says of it changes
  named(larger, "add").mutable_args(0)->set_bytes(128);
  EXPECT_THAT(loadError(larger),
              HasSubstr("as 128 bytes, READ_WRITE; entry 7 of the code takes 64 bytes"));
  plan::Plan readOnly = good;
  named(readOnly, "apply").mutable_args(0)->set_access(plan::READ);
  EXPECT_THAT(loadError(readOnly),
              HasSubstr("as 64 bytes, READ; entry 9 of the code takes 64 bytes, READ_WRITE"));
}

// A checkpoint of GPUs tells algorithms: what a CPU said of its own kernels, which tasks and
// checkpoints compare, stays.
TEST(LoadedKernels, WhatIsToldLeavesTheCpusOwn) {
  plan::Plan plan = plan::parameterServerPlan({1, 2});
  const uint32_t index = uint32_t(plan.kernels_size());
  plan::Kernel &kernel = *plan.add_kernels();
  kernel.set_name("product");
  kernel.set_flops(48);
  kernel.mutable_library()->set_kernel("matmul");
  for (auto [name, value] : {std::pair("k", 4), std::pair("m", 3), std::pair("n", 2)}) {
    auto *attribute = kernel.mutable_library()->add_attributes();
    attribute->set_name(name);
    attribute->add_integers(value);
  }
  for (auto [rows, columns] : {std::pair(3, 4), std::pair(4, 2), std::pair(3, 2)}) {
    plan::TensorType &type = *kernel.mutable_library()->add_operands()->mutable_type();
    type.set_dtype(plan::F32);
    type.add_shape(rows), type.add_shape(columns);
    kernel.add_args()->set_bytes(uint64_t(rows) * uint64_t(columns) * 4);
  }
  kernel.mutable_args(2)->set_access(plan::WRITE);
  kernel.set_scratch_bytes(1 << 20); // more than any version of the library wants
  kernel.add_args()->set_bytes(kernel.scratch_bytes());
  kernel.mutable_args(3)->set_access(plan::WRITE);
  plan.mutable_programs(0)->add_instructions()->mutable_call()->set_kernel(index);
  auto library = LoadedKernels::load(plan, {0, 1});
  ASSERT_TRUE(library.ok()) << library.status();
  const KernelAlgorithms before = (*library)->algorithms();
  ASSERT_EQ(before.size(), 1u);
  ASSERT_TRUE(isOfCpu(before.at("product"))) << before.at("product");
  for (const KernelAlgorithms &told :
       {KernelAlgorithms{}, {{"another", "of a GPU"}}, {{"product", "of a GPU"}}}) {
    ASSERT_EQ((*library)->take(plan, told), absl::OkStatus());
    EXPECT_EQ((*library)->algorithms(), before);
  }
}

TEST(LoadedKernels, CodeThatIsNoLibrary) {
  plan::Plan plan = plan::parameterServerPlan({1, 2});
  plan.mutable_code(0)->mutable_elf()->resize(64);
  EXPECT_THAT(loadError(plan), HasSubstr("cannot load the plan's code"));
}

plan::Variable variable(plan::DataType type, int64_t count) {
  plan::Variable v;
  v.set_name("w");
  v.mutable_type()->set_dtype(type);
  v.mutable_type()->add_shape(count);
  return v;
}
std::vector<float> floatsOf(const plan::Variable &v, int64_t count) {
  std::vector<float> data(size_t(count), -9.0f);
  initializeVariable(v, {reinterpret_cast<uint8_t *>(data.data()), data.size() * 4});
  return data;
}

/// Each row of a whole by itself, and in parts of other sizes, has the elements of the whole.
template <typename T> void expectParts(plan::Variable v, int64_t rows, int64_t width) {
  v.mutable_type()->set_shape(0, rows);
  v.mutable_type()->add_shape(width);
  auto bytesOf = [](std::vector<T> &data, int64_t begin, int64_t count) {
    return std::span<uint8_t>(reinterpret_cast<uint8_t *>(data.data() + begin),
                              size_t(count) * sizeof(T));
  };
  std::vector<T> whole(size_t(rows * width), T(-9)), parts = whole;
  initializeVariable(v, bytesOf(whole, 0, rows * width));
  for (int64_t step : {1, 3, 4})
    for (int64_t row = 0; row < rows; row += step) {
      int64_t count = std::min(step, rows - row);
      plan::Variable part = v;
      part.set_name("w/part_" + std::to_string(row));
      part.mutable_type()->set_shape(0, count);
      part.mutable_part_of()->set_of("w");
      *part.mutable_part_of()->mutable_type() = v.type();
      part.mutable_part_of()->set_row(uint64_t(row));
      initializeVariable(part, bytesOf(parts, row * width, count * width));
      if (row + count == rows)
        EXPECT_EQ(parts, whole) << "parts of " << step << " rows";
    }
}

TEST(VariableStore, PartsHaveTheElementsOfTheWhole) {
  for (plan::DataType type : {plan::F32, plan::F64}) {
    auto check = [&](const plan::Variable &v) {
      type == plan::F32 ? expectParts<float>(v, 11, 5) : expectParts<double>(v, 11, 5);
    };
    plan::Variable v = variable(type, 11);
    v.mutable_initializer()->mutable_uniform()->set_high(1);
    check(v);
    v.mutable_initializer()->mutable_normal()->set_stddev(2);
    check(v);
    v.mutable_initializer()->mutable_normal()->set_truncated(true);
    check(v);
  }
}

TEST(VariableStore, UniformIsAFunctionOfSeedNameAndElement) {
  plan::Variable v = variable(plan::F32, 1000);
  auto *uniform = v.mutable_initializer()->mutable_uniform();
  uniform->set_low(-0.5), uniform->set_high(0.25), uniform->set_seed(3);
  std::vector<float> full = floatsOf(v, 1000), prefix = floatsOf(v, 37);
  EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), full.begin()));
  double sum = 0;
  for (float x : full) {
    EXPECT_GE(x, -0.5f);
    EXPECT_LE(x, 0.25f);
    sum += x;
  }
  EXPECT_NEAR(sum / 1000, -0.125, 0.03);
  v.set_name("w2");
  EXPECT_NE(floatsOf(v, 1000), full);
}

TEST(VariableStore, TruncatedNormalStaysInside) {
  plan::Variable v = variable(plan::F32, 20000);
  auto *normal = v.mutable_initializer()->mutable_normal();
  normal->set_mean(1), normal->set_stddev(2), normal->set_seed(3), normal->set_truncated(true);
  int outer = 0;
  for (float x : floatsOf(v, 20000)) {
    EXPECT_LE(std::fabs(x - 1), 4.0f);
    outer += std::fabs(x - 1) > 3;
  }
  EXPECT_GT(outer, 100);
}

TEST(VariableStore, ValueIsSplatOrWhole) {
  plan::Variable v = variable(plan::F32, 3);
  float splat = 2.5f, whole[3] = {1, 2, 3};
  v.mutable_initializer()->set_value(&splat, 4);
  EXPECT_EQ(floatsOf(v, 3), (std::vector<float>{2.5f, 2.5f, 2.5f}));
  v.mutable_initializer()->set_value(whole, 12);
  EXPECT_EQ(floatsOf(v, 3), (std::vector<float>{1, 2, 3}));
  v.mutable_initializer()->set_zeros(true);
  EXPECT_EQ(floatsOf(v, 3), (std::vector<float>{0, 0, 0}));
}

TEST(VariableStore, OwnsItsTasksVariablesAlone) {
  plan::Plan plan = plan::parameterServerPlan({2, 2});
  plan::Task ps1;
  ps1.set_index(1);
  auto store = VariableStore::create(plan, ps1);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ((*store)->owned(), std::vector<uint32_t>{1});
  EXPECT_EQ((*store)->globalStep(), nullptr);
  EXPECT_EQ((*VariableStore::create(plan, plan::Task()))->owned(), (std::vector<uint32_t>{0, 2}));
}

} // namespace
} // namespace graphc::executor
