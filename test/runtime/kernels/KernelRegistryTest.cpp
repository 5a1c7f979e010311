#include "runtime/kernels/KernelRegistry.h"

#include "runtime/kernels/MatmulKernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

namespace graphc::kernels {
namespace {

using testing::HasSubstr;

/// The module of the tests is asked for what is not built in, from the first such question on.
const int named = ::setenv("GRAPHC_LIBRARIES", GRAPHC_POOLING_MODULE, 1);

CallOperand floats(std::vector<int64_t> shape, GraphcAccess access = GRAPHC_READ) {
  uint64_t bytes = 4;
  for (int64_t size : shape)
    bytes *= uint64_t(size);
  return {GRAPHC_F32, std::move(shape), access, bytes};
}

LibraryCall pooling(bool bias) {
  LibraryCall call{
      "average_pool", {{"scale", {}, {0.5}}, {"window", {2, 3}, {}}}, {}, {floats({2, 4, 6})}};
  if (bias) {
    call.postOps.push_back("bias");
    call.operands.push_back(floats({2}));
  }
  call.operands.push_back(floats({2, 2, 2}, GRAPHC_WRITE));
  return call;
}

std::string refusal(const LibraryCall &call) {
  return std::string(checkCall(call).status().message());
}

TEST(KernelRegistry, AModuleServesItsKernels) {
  ASSERT_EQ(named, 0);
  for (bool bias : {false, true}) {
    LibraryCall call = pooling(bias);
    absl::StatusOr<CallFacts> facts = checkCall(call);
    ASSERT_TRUE(facts.ok()) << facts.status();
    EXPECT_EQ(facts->name, "average_pool");
    EXPECT_EQ(facts->flops, 48u + 8u);
    uint64_t scratch = *scratchBytesOf(call);
    EXPECT_EQ(scratch, 128u); // 96, in whole cache lines
    auto kernel = makeKernel(call, scratch, nullptr);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    alignas(64) float in[48], add[2] = {10, 20}, out[8], plane[32];
    for (int i = 0; i < 48; ++i)
      in[i] = float(i);
    std::vector<void *> buffers{in};
    if (bias)
      buffers.push_back(add);
    buffers.push_back(out);
    buffers.push_back(plane);
    ASSERT_EQ((*kernel)->run(buffers.data()), 0);
    const float expected[] = {2, 3.5, 8, 9.5, 14, 15.5, 20, 21.5}; // half of the means 4, 7, 16, …
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(out[i], expected[i] + (bias ? add[i / 4] : 0)) << i;
  }
}

TEST(KernelRegistry, AModuleRefusesWhatIsNoCallOfIts) {
  LibraryCall call = pooling(false);
  call.attributes[1].integers = {3, 3};
  EXPECT_EQ(refusal(call), "average_pool: windows do not make the result of the input");
  call = pooling(false);
  call.operands[0].element = GRAPHC_F64;
  EXPECT_THAT(refusal(call), HasSubstr("expected operands of f32"));
  call = pooling(true);
  call.operands.erase(call.operands.begin() + 1);
  EXPECT_THAT(refusal(call), HasSubstr("the bias where there is one"));
}

TEST(KernelRegistry, TooLittleScratchIsRefused) {
  EXPECT_THAT(
      std::string(makeKernel(pooling(false), 64, nullptr).status().message()),
      HasSubstr(
          "average_pool: the library needs 128 bytes of scratch on this CPU, the plan gives 64"));
}

TEST(KernelRegistry, AKernelThatNobodyHasIsRefusedByName) {
  EXPECT_EQ(
      refusal({"sort", {}, {}, {}}),
      "no library has a kernel 'sort', but attention, attention_grad, average_pool, convolution, "
      "convolution_filter_grad, convolution_input_grad, "
      "gpu_matmul, matmul, packed_attention, packed_attention_grad; GRAPHC_LIBRARIES may name a module that does");
}

TEST(KernelRegistry, TheProductSaysWhatItComputes) {
  LibraryCall call{
      "matmul",
      {{"batch", {5}, {}},
       {"k", {4}, {}},
       {"m", {3}, {}},
       {"n", {2}, {}},
       {"transpose_a", {1}, {}}},
      {"bias", "relu"},
      {floats({5, 4, 3}), floats({5, 4, 2}), floats({2}), floats({5, 3, 2}, GRAPHC_WRITE)}};
  absl::StatusOr<CallFacts> facts = checkCall(call);
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->name, "matmul_3x2x4_batch5_ta_bias_relu");
  EXPECT_EQ(facts->flops, 240u);
  EXPECT_EQ(*scratchBytesOf(call), *matmulScratchBytes({3, 2, 4, 5, true, false, true, true}));
  std::swap(call.postOps[0], call.postOps[1]);
  EXPECT_THAT(refusal(call),
              HasSubstr("the post-op 'bias'; expected bias, relu, or relu behind bias"));
  call.postOps = {"relu"};
  EXPECT_EQ(refusal(call), "matmul: 4 operands, expected 3");
  call.operands.erase(call.operands.begin() + 2);
  EXPECT_TRUE(checkCall(call).ok());
  call.attributes[4].integers = {0};
  EXPECT_EQ(refusal(call), "matmul: transpose_a is 0, which is out of range");
}

} // namespace
} // namespace graphc::kernels
