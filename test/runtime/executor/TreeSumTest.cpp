//===- TreeSumTest.cpp - sums of messages have the tree's shape and its memory ----------------===//

#include "runtime/executor/TreeSum.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

namespace graphc::executor {
namespace {

constexpr uint64_t kFloats = 3; // a part of 12 bytes: the next partial sum begins at 64

int addFloats(void *const *arguments, const GraphcContext *) {
  auto *sum = static_cast<float *>(arguments[0]);
  const auto *message = static_cast<const float *>(arguments[1]);
  for (uint64_t i = 0; i < kFloats; ++i)
    sum[i] += message[i];
  return 0;
}

int refuse(void *const *, const GraphcContext *) { return 17; }

float expected(const std::vector<std::vector<float>> &messages, uint64_t first, uint64_t count,
               uint64_t element) {
  if (count == 1)
    return messages[first][element];
  const uint64_t left = plan::leftLeaves(count);
  return expected(messages, first, left, element) +
         expected(messages, first + left, count - left, element);
}

TEST(TreeSum, HasTheBitsOfTheTreeAndNoMorePartialSums) {
  std::mt19937 random(5);
  std::normal_distribution<float> value;
  GraphcContext context{};
  bool unlikeFold = false;
  for (uint64_t count = 1; count <= 40; ++count) {
    std::vector<std::vector<float>> messages(count, std::vector<float>(2 * kFloats));
    std::vector<const uint8_t *> begins;
    for (std::vector<float> &message : messages) {
      for (float &element : message)
        element = value(random);
      begins.push_back(reinterpret_cast<const uint8_t *>(message.data()));
    }
    auto check = [&](const std::vector<float> &sum, uint64_t part) {
      for (uint64_t i = 0; i < kFloats; ++i) {
        const uint64_t element = part * kFloats + i;
        ASSERT_EQ(std::bit_cast<uint32_t>(sum[i]),
                  std::bit_cast<uint32_t>(expected(messages, 0, count, element)))
            << count;
        float fold = messages[0][element];
        for (uint64_t r = 1; r < count; ++r)
          fold += messages[r][element];
        unlikeFold |= fold != sum[i];
      }
    };
    constexpr uint64_t bytes = kFloats * sizeof(float);
    for (uint64_t part : {0, 1}) {
      // One byte more would be a heap overflow, which the address sanitizer finds, and a changed
      // guard.
      std::vector<uint8_t> partials(plan::partialSums(count) * plan::partialStride(bytes) + 16,
                                    0xAB);
      std::vector<float> sum(kFloats);
      TreeSum tree{addFloats, &context, bytes, begins.data(), partials.data()};
      auto *to = reinterpret_cast<uint8_t *>(sum.data());
      ASSERT_EQ(tree.make(to, 0, count, part * bytes), 0);
      check(sum, part);
      // As messages arrive: one subtree after another.
      for (uint64_t done = 0; done < count;) {
        const uint64_t next = plan::nextSubtree(done, count);
        ASSERT_EQ(done ? tree.add(to, done, next - done, part * bytes)
                       : tree.make(to, 0, next, part * bytes),
                  0);
        done = next;
      }
      check(sum, part);
      for (size_t i = partials.size() - 16; i < partials.size(); ++i)
        ASSERT_EQ(partials[i], 0xAB);
      for (uint64_t self = 0; self < count; ++self) {
        std::vector<uint8_t> others(plan::partialSumsOfAny(count) * plan::partialStride(bytes) + 16,
                                    0xAB);
        tree.partials = others.data();
        for (uint64_t i = 0; i < kFloats; ++i)
          sum[i] = messages[self][part * kFloats + i];
        ASSERT_EQ(tree.addOthers(to, self, count, part * bytes), 0);
        check(sum, part);
        for (size_t i = others.size() - 16; i < others.size(); ++i)
          ASSERT_EQ(others[i], 0xAB);
      }
    }
  }
  EXPECT_TRUE(unlikeFold) << "the values must tell a tree from a left fold";
}

TEST(TreeSum, SaysWhatAKernelThatFailsSays) {
  float sum = 0, message = 1;
  GraphcContext context{};
  const uint8_t *begins[] = {reinterpret_cast<uint8_t *>(&message),
                             reinterpret_cast<uint8_t *>(&message)};
  TreeSum tree{refuse, &context, sizeof sum, begins, nullptr};
  auto *to = reinterpret_cast<uint8_t *>(&sum);
  EXPECT_EQ(tree.make(to, 0, 2, 0), 17);
  EXPECT_EQ(tree.add(to, 0, 1, 0), 17);
  EXPECT_EQ(tree.addOthers(to, 1, 2, 0), 17);
}

} // namespace
} // namespace graphc::executor
