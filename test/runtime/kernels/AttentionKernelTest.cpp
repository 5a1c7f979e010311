#include "runtime/kernels/SimdKernels.h"
#include "test/runtime/kernels/CallRun.h"
#include "test/runtime/kernels/RandomFloats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace graphc::kernels {
namespace {

using testing::HasSubstr;

struct Case {
  int64_t heads, queries, keys, size, width;
  bool causal, masked;
};

/// The mask is a sample's, the same for all queries.
LibraryCall call(const Case &c, bool gradient) {
  const Shape q = {2, c.heads, c.queries, c.size}, k = {2, c.heads, c.keys, c.size},
              v = {2, c.heads, c.keys, c.width}, o = {2, c.heads, c.queries, c.width};
  LibraryCall made{gradient ? "attention_grad" : "attention", {{"scale", {}, {0.5}}}, {}, {}};
  if (c.causal)
    made.attributes.insert(made.attributes.begin(), {"causal", {1}, {}});
  auto add = [&](const std::vector<Shape> &shapes, GraphcAccess access) {
    for (const Shape &shape : shapes)
      made.operands.push_back(operandOf(GRAPHC_F32, shape, access));
  };
  add({q, k, v}, GRAPHC_READ);
  if (gradient)
    add({o, o}, GRAPHC_READ);
  if (c.masked)
    made.operands.push_back(operandOf(GRAPHC_I1, {2, 1, 1, c.keys}));
  if (gradient)
    add({q, k, v}, GRAPHC_WRITE);
  else
    add({o}, GRAPHC_WRITE);
  return made;
}

/// What a call's operands hold after it.
std::vector<std::vector<float>> run(const LibraryCall &call, ThreadPool *pool,
                                    uint32_t *parts = nullptr,
                                    const std::vector<float> *output = nullptr) {
  RandomFloats random(1);
  CallRun made(call, pool);
  if (parts)
    *parts = made.kernel->parts();
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const CallOperand &operand = call.operands[i];
    if (operand.element == GRAPHC_I1)
      for (uint64_t j = 0; j < operand.bytes; ++j) // the second sample's are all false
        static_cast<uint8_t *>(made.buffers[i])[j] = j < operand.bytes / 2 && j % 3 != 1;
    else if (operand.access == GRAPHC_WRITE)
      memset(made.buffers[i], 0xff, operand.bytes);
    else if (i == 3 && output)
      memcpy(made.buffers[i], output->data(), operand.bytes);
    else
      for (uint64_t j = 0; j < operand.bytes / 4; ++j)
        static_cast<float *>(made.buffers[i])[j] = random.draw();
  }
  EXPECT_EQ(made.kernel->run(made.buffers.data()), 0);
  std::vector<std::vector<float>> all;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const CallOperand &operand = call.operands[i];
    all.emplace_back(operand.bytes / 4);
    if (operand.element == GRAPHC_F32)
      memcpy(all.back().data(), made.buffers[i], operand.bytes);
    else
      all.back().assign(static_cast<uint8_t *>(made.buffers[i]),
                        static_cast<uint8_t *>(made.buffers[i]) + operand.bytes);
  }
  return all;
}

/// As the ops' descriptions have it, in doubles: the output, and gradients of query, key and value.
std::vector<std::vector<double>> expected(const Case &c,
                                          const std::vector<std::vector<float>> &in) {
  const std::vector<float> &q = in[0], &k = in[1], &v = in[2], &g = in[4],
                           *mask = c.masked ? &in[5] : nullptr;
  const auto rows = size_t(c.queries), keys = size_t(c.keys), size = size_t(c.size),
             width = size_t(c.width);
  std::vector<double> o(2 * size_t(c.heads) * rows * width), dq(q.size()), dk(k.size()),
      dv(v.size());
  for (size_t unit = 0; unit < 2 * size_t(c.heads); ++unit)
    for (size_t i = 0; i < rows; ++i) {
      const size_t qi = (unit * rows + i) * size, oi = (unit * rows + i) * width;
      auto sees = [&](size_t j) {
        return (!c.causal || j <= i) && (!mask || (*mask)[unit / size_t(c.heads) * keys + j] != 0);
      };
      std::vector<double> p(keys, 0);
      double largest = -std::numeric_limits<double>::infinity(), sum = 0, inner = 0;
      for (size_t j = 0; j < keys; ++j) {
        for (size_t l = 0; l < size; ++l)
          p[j] += 0.5 * double(q[qi + l]) * double(k[(unit * keys + j) * size + l]);
        largest = sees(j) ? std::max(largest, p[j]) : largest;
      }
      for (size_t j = 0; j < keys; ++j)
        sum += p[j] = sees(j) ? std::exp(p[j] - largest) : 0;
      for (size_t l = 0; l < width; ++l) {
        for (size_t j = 0; j < keys; ++j)
          o[oi + l] += sum > 0 ? p[j] / sum * double(v[(unit * keys + j) * width + l]) : 0;
        inner += o[oi + l] * double(g[oi + l]);
      }
      for (size_t j = 0; j < keys && sum > 0; ++j) {
        double change = -inner;
        for (size_t l = 0; l < width; ++l) {
          change += double(g[oi + l]) * double(v[(unit * keys + j) * width + l]);
          dv[(unit * keys + j) * width + l] += p[j] / sum * double(g[oi + l]);
        }
        for (size_t l = 0; l < size; ++l) {
          dq[qi + l] += 0.5 * p[j] / sum * change * double(k[(unit * keys + j) * size + l]);
          dk[(unit * keys + j) * size + l] += 0.5 * p[j] / sum * change * double(q[qi + l]);
        }
      }
    }
  return {o, dq, dk, dv};
}

void expectNear(const std::vector<float> &found, const std::vector<double> &wanted,
                const char *what) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(double(found[i]), wanted[i], 2e-5) << what << " " << i;
}

constexpr Case kCases[] = {{2, 128, 128, 64, 64, true, false}, {1, 7, 13, 5, 3, false, true},
                           {3, 33, 33, 20, 17, true, true},    {1, 100, 40, 64, 32, true, false},
                           {2, 40, 100, 16, 48, true, true},   {1, 1, 1, 1, 1, true, false}};

TEST(AttentionKernel, IsItsDefinitionForwardAndBackward) {
  for (const Case &c : kCases) {
    SCOPED_TRACE((*checkCall(call(c, false))).name);
    const auto gradient = call(c, true);
    const auto forward = run(call(c, false), nullptr);
    const auto backward = run(gradient, nullptr, nullptr, &forward.back());
    const auto wanted = expected(c, backward); // query, key and value are the same in both calls
    expectNear(forward.back(), wanted[0], "output");
    for (size_t i = 0; i < 3; ++i)
      expectNear(backward[backward.size() - 3 + i], wanted[1 + i], "gradient");
  }
}

TEST(AttentionKernel, ThreadsChangeNoBit) {
  for (bool gradient : {false, true}) {
    const LibraryCall large = call({8, 100, 100, 64, 64, true, false}, gradient);
    const auto alone = run(large, nullptr);
    for (uint32_t threads : {1u, 2u, 5u}) {
      ThreadPool pool(threads);
      uint32_t parts = 0;
      const auto shared = run(large, &pool, &parts);
      EXPECT_EQ(parts > 1, threads > 1) << threads;
      for (size_t i = 0; i < alone.size(); ++i)
        EXPECT_EQ(memcmp(alone[i].data(), shared[i].data(), alone[i].size() * 4), 0)
            << threads << " threads, " << i;
    }
  }
}

/// Query, key and value of all heads in one operand: what each head has alone, bit for bit, and
/// nothing beside it.
TEST(AttentionKernel, HeadsSideBySideHaveTheBitsOfEachAlone) {
  for (const Case &c :
       {Case{4, 128, 128, 64, 64, true, false}, Case{3, 33, 33, 20, 20, false, true},
        Case{2, 65, 65, 32, 32, false, false}}) {
    const int64_t size = c.size, width = c.heads * size, rows = c.queries;
    auto packed = [&](bool gradient) {
      LibraryCall made = call(c, gradient);
      made.kernel = "packed_" + made.kernel;
      made.attributes.insert(made.attributes.end() - 1, {"heads", {c.heads}, {}});
      std::vector<CallOperand> operands = {operandOf(GRAPHC_F32, {2, rows, 3 * width})};
      for (int i = 0; i < (gradient ? 2 : 0); ++i)
        operands.push_back(operandOf(GRAPHC_F32, {2, rows, width}));
      if (c.masked)
        operands.push_back(operandOf(GRAPHC_I1, {2, 1, 1, c.keys}));
      operands.push_back(
          operandOf(GRAPHC_F32, {2, rows, gradient ? 3 * width : width}, GRAPHC_WRITE));
      made.operands = operands;
      return made;
    };
    SCOPED_TRACE((*checkCall(packed(true))).name);
    /// The columns of [2, rows, count * width] that are each head's, as [2, heads, rows, size], for
    /// each of `count`.
    auto split = [&](const std::vector<float> &all, int64_t count) {
      std::vector<std::vector<float>> parts(size_t(count),
                                            std::vector<float>(size_t(2 * c.heads * rows * size)));
      for (int64_t i = 0; i < int64_t(all.size()); ++i) {
        const int64_t column = i % (count * width), row = i / (count * width) % rows,
                      sample = i / (count * width * rows);
        const int64_t head = column % width / size;
        parts[size_t(column / width)]
             [size_t(((sample * c.heads + head) * rows + row) * size + column % size)] =
                 all[size_t(i)];
      }
      return parts;
    };
    auto alone = [&](bool gradient, const std::vector<std::vector<float>> &given) {
      const LibraryCall each = call(c, gradient);
      CallRun made(each, nullptr);
      for (size_t i = 0, next = 0; i < each.operands.size(); ++i)
        if (each.operands[i].element == GRAPHC_I1)
          for (uint64_t j = 0; j < each.operands[i].bytes; ++j) // as run() has it
            static_cast<uint8_t *>(made.buffers[i])[j] =
                j < each.operands[i].bytes / 2 && j % 3 != 1;
        else if (each.operands[i].access == GRAPHC_READ)
          memcpy(made.buffers[i], given[next].data(), given[next].size() * 4), ++next;
      EXPECT_EQ(made.kernel->run(made.buffers.data()), 0);
      std::vector<std::vector<float>> results;
      for (size_t i = 0; i < each.operands.size(); ++i)
        if (const CallOperand &operand = each.operands[i]; operand.access == GRAPHC_WRITE)
          results.emplace_back(static_cast<float *>(made.buffers[i]),
                               static_cast<float *>(made.buffers[i]) + operand.bytes / 4);
      return results;
    };
    for (uint32_t threads : {1u, 3u}) {
      ThreadPool pool(threads);
      const auto forward = run(packed(false), &pool), backward = run(packed(true), &pool);
      EXPECT_EQ(split(forward.back(), 1), alone(false, split(forward[0], 3)));
      auto given = split(backward[0], 3);
      given.push_back(split(backward[1], 1)[0]);
      given.push_back(split(backward[2], 1)[0]);
      EXPECT_EQ(split(backward.back(), 3), alone(true, given));
    }
  }
}

/// What a process takes for an older CPU; bits may differ between them, and nothing else.
TEST(AttentionKernel, EachKindOfCpuComputesTheSame) {
  constexpr int64_t rows = 37, size = 24;
  RandomFloats random(1);
  std::vector<float> q(rows * size), result(rows * size), first;
  for (float &x : q)
    x = random.draw();
  const AttentionShape shape{rows, rows, size, size, true, 0.2f, 16, size, size, size, size};
  auto scratch = *device::MemoryRegion::allocate(attentionScratchBytes(shape),
                                                 device::MemoryRegion::Guard::Pages, "test");
  for (const SimdKernels *kind : {&kSimdBase, &kSimdAvx2, &kSimdAvx512}) {
    kind->attention(shape, {q.data(), q.data(), q.data(), {nullptr, 0, 0}, result.data()},
                    scratch.data());
    if (first.empty())
      first = result;
    for (size_t i = 0; i < result.size(); ++i)
      ASSERT_NEAR(result[i], first[i], 1e-5) << kind->name << " " << i;
    if (kind == &simdKernels())
      break; // this CPU has no more
  }
}

TEST(AttentionKernel, NoScoreOfAllQueriesHasMemory) {
  for (bool gradient : {false, true}) {
    const uint64_t bytes = *scratchBytesOf(call({4, 1024, 1024, 64, 64, true, false}, gradient));
    EXPECT_LT(bytes, 1024u * 1024 * 4 / 4); // of one head's scores
  }
}

TEST(AttentionKernel, ANaNIsNotLost) {
  constexpr int64_t rows = 20;
  std::vector<float> q(rows * 4, 0.5f), v(rows * 4, 0.5f), result(rows * 4);
  q[7 * 4] = std::numeric_limits<float>::quiet_NaN();
  const AttentionShape shape{rows, rows, 4, 4, true, 1, 8, 4, 4, 4, 4};
  auto scratch = *device::MemoryRegion::allocate(attentionScratchBytes(shape),
                                                 device::MemoryRegion::Guard::Pages, "test");
  simdKernels().attention(shape, {q.data(), q.data(), v.data(), {nullptr, 0, 0}, result.data()},
                          scratch.data());
  EXPECT_EQ(result[6 * 4], 0.5f);
  EXPECT_TRUE(std::isnan(result[7 * 4]));
  EXPECT_TRUE(std::isnan(result[9 * 4])); // looks at key 7
}

std::string refusal(LibraryCall call, void (*damage)(LibraryCall &)) {
  damage(call);
  return std::string(checkCall(call).status().message());
}

TEST(AttentionKernel, ACallThatIsNoneIsRefused) {
  const LibraryCall good = call({2, 32, 32, 8, 8, true, true}, false);
  EXPECT_EQ((*checkCall(good)).name, "attention_2x2x32x32_by_8_causal_mask");
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.postOps = {"relu"}; }),
              HasSubstr("attention has none"));
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.operands.resize(2); }),
              HasSubstr("2 operands, expected 4"));
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.attributes.clear(); }),
              HasSubstr("scale is missing"));
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.attributes[0].integers = {2}; }),
              HasSubstr("neither causal"));
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.operands[0].shape = {8}; }),
              HasSubstr("1, 4 and 4 dimensions"));
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.operands[1].shape[3] = 9; }),
              HasSubstr("operand 1 has the shape 2x2x32x9, expected 2x2x32x8"));
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.operands[2].bytes -= 4; }),
              HasSubstr("operand 2 has"));
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.operands[3].shape = {2, 3, 1, 32}; }),
              HasSubstr("the mask has the shape"));
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.operands[3].element = GRAPHC_F32; }),
              HasSubstr("not of i1"));
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.operands[4].access = GRAPHC_READ; }),
              HasSubstr("operand 4 is read"));
  EXPECT_THAT(refusal(good,
                      [](LibraryCall &c) {
                        for (CallOperand &operand : c.operands)
                          operand.shape[0] = int64_t(1) << 62;
                      }),
              HasSubstr("expected 1 to 2147483647"));
}

TEST(AttentionKernel, APackedCallThatIsNoneIsRefused) {
  LibraryCall good{"packed_attention", {{"heads", {4}, {}}, {"scale", {}, {0.5}}}, {}, {}};
  good.operands = {operandOf(GRAPHC_F32, {2, 32, 96}),
                   operandOf(GRAPHC_F32, {2, 32, 32}, GRAPHC_WRITE)};
  EXPECT_EQ((*checkCall(good)).name, "packed_attention_2x4x32x32_by_8");
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.attributes.erase(c.attributes.begin()); }),
              HasSubstr("heads is missing"));
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.attributes[0].integers = {0}; }),
              HasSubstr("nor heads, a number"));
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.attributes[0].integers = {5}; }),
              HasSubstr("3 times 5 heads"));
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.operands[0].shape = {96}; }),
              HasSubstr("3 times 4 heads"));
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.operands[0].shape[2] = -96; }),
              HasSubstr("operand 0 has the shape"));
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.operands[0].shape[2] = 0; }),
              HasSubstr("operand 0 has the shape"));
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.operands[1].shape[1] = 31; }),
              HasSubstr("operand 1 has the shape 2x31x32, expected 2x32x32"));
  EXPECT_THAT(refusal(good, [](LibraryCall &c) { c.operands[0].bytes -= 4; }),
              HasSubstr("operand 0 has"));
}

TEST(AttentionKernel, TooLittleScratchIsRefused) {
  const LibraryCall good = call({2, 32, 32, 8, 8, true, false}, true);
  EXPECT_THAT(std::string(makeKernel(good, 64, nullptr).status().message()),
              HasSubstr("the plan gives 64"));
}

} // namespace
} // namespace graphc::kernels
