#include "test/runtime/kernels/CallRun.h"
#include "test/runtime/kernels/RandomFloats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace graphc::kernels {
namespace {

using testing::HasSubstr;

/// Features last, 3x3 windows with a padding of 1 on each side.
LibraryCall call(const char *kernel, int64_t batch, int64_t size, int64_t inputs, int64_t outputs) {
  const CallOperand input = operandOf(GRAPHC_F32, {batch, size, size, inputs}),
                    filter = operandOf(GRAPHC_F32, {3, 3, inputs, outputs});
  const CallOperand result = operandOf(GRAPHC_F32, {batch, size, size, outputs});
  LibraryCall made{kernel,
                   {{"hwio", {1}, {}},
                    {"nhwc", {1}, {}},
                    {"padding_high", {1, 1}, {}},
                    {"padding_low", {1, 1}, {}},
                    {"rhs_dilation", {1, 1}, {}},
                    {"window_strides", {1, 1}, {}}},
                   {},
                   {input, filter, result}};
  if (made.kernel == "convolution_input_grad")
    made.operands = {result, filter, input};
  if (made.kernel == "convolution_filter_grad")
    made.operands = {input, result, filter};
  made.operands[2].access = GRAPHC_WRITE;
  return made;
}

std::vector<float> run(const LibraryCall &call, ThreadPool *pool, uint32_t *parts = nullptr) {
  RandomFloats random(1);
  CallRun made(call, pool);
  if (parts)
    *parts = made.kernel->parts();
  for (size_t i = 0; i < call.operands.size(); ++i)
    for (uint64_t j = 0; j < call.operands[i].bytes / 4; ++j)
      static_cast<float *>(made.buffers[i])[j] = random.draw();
  EXPECT_EQ(made.kernel->run(made.buffers.data()), 0);
  std::vector<float> out(call.operands[2].bytes / 4);
  memcpy(out.data(), made.buffers[2], out.size() * 4);
  return out;
}

constexpr const char *kKernels[] = {"convolution", "convolution_input_grad",
                                    "convolution_filter_grad"};

/// However many threads there are, a call is the same blocks of its batch.
TEST(ConvolutionKernel, ThreadsChangeNoBit) {
  for (const char *kernel : kKernels) {
    const LibraryCall large = call(kernel, 6, 16, 32, 32);
    const std::vector<float> alone = run(large, nullptr);
    for (uint32_t threads : {1u, 2u, 5u}) {
      ThreadPool pool(threads);
      uint32_t parts = 0;
      std::vector<float> shared = run(large, &pool, &parts);
      // a block has two samples, more than 4 Mi multiply-adds
      EXPECT_EQ(parts, threads == 1 ? 1u : 3u) << kernel;
      EXPECT_EQ(memcmp(shared.data(), alone.data(), alone.size() * 4), 0)
          << kernel << " by " << threads;
    }
  }
}

TEST(ConvolutionKernel, BatchesThatAreOneBlock) {
  uint32_t parts = 0;
  ThreadPool pool(2);
  run(call("convolution", 7, 8, 16, 16), &pool, &parts);
  EXPECT_EQ(parts, 1u); // too little work
  run(call("convolution_filter_grad", 13, 16, 32, 32), &pool, &parts);
  EXPECT_EQ(parts, 1u); // a prime number of samples, more than there are blocks
}

std::string refusal(const LibraryCall &call) {
  return std::string(checkCall(call).status().message());
}

TEST(ConvolutionKernel, WhatACallIs) {
  for (const char *kernel : kKernels) {
    absl::StatusOr<CallFacts> facts = checkCall(call(kernel, 2, 8, 16, 32));
    ASSERT_TRUE(facts.ok()) << facts.status();
    EXPECT_EQ(facts->name, std::string(kernel) + "_2x8x8x16_to_32_by_3x3_nhwc_hwio");
    EXPECT_EQ(facts->flops, 2u * 2 * 64 * 9 * 16 * 32);
  }
}

TEST(ConvolutionKernel, WhatIsNoCallIsRefused) {
  const LibraryCall good = call("convolution", 2, 8, 16, 32);
  auto broken = [&](auto change) {
    LibraryCall bad = good;
    change(bad);
    return refusal(bad);
  };
  EXPECT_EQ(broken([](LibraryCall &c) { c.operands.pop_back(); }),
            "convolution: 2 operands, expected 3");
  EXPECT_EQ(broken([](LibraryCall &c) { c.postOps = {"relu"}; }),
            "convolution: the post-op 'relu'; a convolution has none");
  EXPECT_EQ(broken([](LibraryCall &c) { c.operands[0].element = GRAPHC_F64; }),
            "convolution: operand 0 is not of f32");
  EXPECT_EQ(broken([](LibraryCall &c) { c.operands[2].access = GRAPHC_READ; }),
            "convolution: operand 2 is read, expected the other");
  EXPECT_EQ(broken([](LibraryCall &c) { c.operands[1].bytes += 4; }),
            "convolution: operand 1 has 18436 bytes, expected 18432");
  EXPECT_THAT(broken([](LibraryCall &c) { c.operands[1].shape = {3, 3, 1 << 30, 1 << 30}; }),
              HasSubstr("operand 1 has the shape 3x3x1073741824x1073741824"));
  EXPECT_THAT(broken([](LibraryCall &c) { c.operands[0].shape = {2, -8, 8, 16}; }),
              HasSubstr("has the shape 2x-8x8x16"));
  EXPECT_EQ(broken([](LibraryCall &c) { c.operands[0] = operandOf(GRAPHC_F32, {2, 1024}); }),
            "convolution: an operand of 2 dimensions, expected 3 to 5");
  EXPECT_EQ(broken([](LibraryCall &c) { c.operands[1] = operandOf(GRAPHC_F32, {3, 3, 8, 32}); }),
            "convolution: 1 groups of 16 and 32 features with a filter of 8");
  EXPECT_EQ(broken([](LibraryCall &c) {
              c.operands[2] = operandOf(GRAPHC_F32, {3, 8, 8, 32}, GRAPHC_WRITE);
            }),
            "convolution: the result has 3 samples of 32 features, expected 2 of 32");
  EXPECT_EQ(broken([](LibraryCall &c) {
              c.operands[2] = operandOf(GRAPHC_F32, {2, 8, 7, 32}, GRAPHC_WRITE);
            }),
            "convolution: windows do not make the result of the input along dimension 1 of space");
  EXPECT_EQ(broken([](LibraryCall &c) { c.attributes[3].integers = {1}; }),
            "convolution: padding_low has 1 entries, expected 2");
  EXPECT_EQ(broken([](LibraryCall &c) { c.attributes[2].integers = {1, 3}; }),
            "convolution: a padding of 3 where a window reaches 2");
  EXPECT_EQ(broken([](LibraryCall &c) { c.attributes[5].integers = {0, 1}; }),
            "convolution: window_strides has the entry 0, which is out of range");
  EXPECT_EQ(broken([](LibraryCall &c) { c.attributes[0].integers = {2}; }),
            "convolution: hwio is 2, which is out of range");
  EXPECT_EQ(broken([](LibraryCall &c) { c.attributes.pop_back(); }),
            "convolution: window_strides or rhs_dilation is missing");
  EXPECT_THAT(broken([](LibraryCall &c) { c.attributes[0].name = "horse"; }),
              HasSubstr("'horse' is none of feature_group_count, hwio,"));
  EXPECT_THAT(std::string(makeKernel(good, 0, nullptr).status().message()),
              HasSubstr("of scratch on this CPU, the plan gives 0"));
}

} // namespace
} // namespace graphc::kernels
