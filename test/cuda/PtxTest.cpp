// PTX on the CPU does what the manual of PTX says, and says what is wrong with code that a GPU
// would run to some result.
#include "test/cuda/Ptx.h"

#include "absl/strings/str_replace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace graphc::ptx {
namespace {

using testing::HasSubstr;

/// Two allocations, a (of 1,024 bytes, at 4096) and b (at 8192).
class TwoBuffers final : public Memory {
public:
  uint8_t *find(uint64_t address, uint64_t bytes) override {
    for (uint64_t start : {4096, 8192})
      if (address >= start && address + bytes <= start + sizeof a)
        return (start == 4096 ? a : b) + (address - start);
    return nullptr;
  }
  template <typename T> T &at(uint8_t *buffer, size_t index) {
    return reinterpret_cast<T *>(buffer)[index];
  }
  alignas(64) uint8_t a[1024] = {}, b[1024] = {};
};

/// A function k(a, b) with this body; %rd1 and %rd2 are global addresses, %r1 is the thread, %r2
/// the block.
std::string functionOf(const std::string &body) {
  return R"(
.version 8.3
.target sm_80
.address_size 64
.visible .entry k(
  .param .u64 .ptr .align 64 k_param_0,
  .param .u64 .ptr .align 64 k_param_1
)
{
  .reg .pred %p<9>;
  .reg .b16 %rs<9>;
  .reg .b32 %r<40>;
  .reg .b64 %rd<40>;
  .shared .align 16 .b8 memory[1024];
  ld.param.b64 %rd3, [k_param_0];
  ld.param.b64 %rd4, [k_param_1];
  cvta.to.global.u64 %rd1, %rd3;
  cvta.to.global.u64 %rd2, %rd4;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
)" + body +
         "\n  ret;\n}\n";
}

absl::Status run(TwoBuffers &memory, const std::string &body, uint32_t threads = 1,
                 uint32_t blocks = 1) {
  absl::StatusOr<Module> module = parse(functionOf(body));
  if (!module.ok())
    return module.status();
  uint64_t a = 4096, b = 8192;
  void *params[] = {&a, &b};
  return Machine(memory).launch(module->functions.at("k"), {blocks, 1, 1}, {threads, 1, 1}, params);
}

/// `instruction` of %r3, %r4, %r5 into %r6, or of %rd13, … where it is of 64 bits.
template <typename Out, typename In>
Out result(const std::string &instruction, In x, In y = In(), In z = In()) {
  TwoBuffers memory;
  memory.at<In>(memory.a, 0) = x;
  memory.at<In>(memory.a, 1) = y;
  memory.at<In>(memory.a, 2) = z;
  const std::string in = sizeof(In) == 8 ? "b64" : "b32", reg = sizeof(In) == 8 ? "%rd1" : "%r";
  const std::string out = sizeof(Out) == 8 ? "b64" : "b32", to = sizeof(Out) == 8 ? "%rd16" : "%r6";
  std::string body;
  for (int i = 0; i < 3; ++i)
    body += "  ld.global." + in + " " + reg + std::to_string(3 + i) + ", [%rd1+" +
            std::to_string(i * int(sizeof(In))) + "];\n";
  const std::string text = absl::StrReplaceAll(
      instruction, {{"$x", reg + "3"}, {"$y", reg + "4"}, {"$z", reg + "5"}, {"$d", to}});
  body += "  " + text + ";\n  st.global." + out + " [%rd2], " + to + ";\n";
  EXPECT_EQ(run(memory, body), absl::OkStatus()) << instruction;
  return memory.at<Out>(memory.b, 0);
}

constexpr float kInf = std::numeric_limits<float>::infinity(),
                kNan = std::numeric_limits<float>::quiet_NaN();
uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

TEST(Ptx, FloatsAreRoundedOnce) {
  EXPECT_EQ(result<float>("add.rn.f32 $d, $x, $y", 1.0f, 0x1p-24f), 1.0f);
  EXPECT_EQ(result<float>("mul.rn.f32 $d, $x, $y", 0x1p-100f, 0x1p-45f), 0x1p-145f)
      << "subnormals stay";
  EXPECT_EQ(result<float>("div.rn.f32 $d, $x, $y", 1.0f, 3.0f), 1.0f / 3);
  EXPECT_EQ(result<float>("sqrt.rn.f32 $d, $x", 2.0f), std::sqrt(2.0f));
  EXPECT_EQ(result<float>("fma.rn.f32 $d, $x, $y, $z", 1 + 0x1p-12f, 1 + 0x1p-12f, -1 - 0x1p-11f),
            0x1p-24f);
  EXPECT_EQ(result<double>("fma.rn.f64 $d, $x, $y, $z", 1 + 0x1p-30, 1 + 0x1p-30, -1 - 0x1p-29),
            0x1p-60);
}

TEST(Ptx, SinglePrecisionMakesTheCanonicalNan) {
  EXPECT_EQ(bits(result<float>("add.rn.f32 $d, $x, $y", kInf, -kInf)), 0x7fffffffu);
  EXPECT_EQ(bits(result<float>("mul.rn.f32 $d, $x, $y", std::bit_cast<float>(0xffc12345u), 1.0f)),
            0x7fffffffu);
  EXPECT_EQ(bits(result<float>("neg.f32 $d, $x", std::bit_cast<float>(0x7fc12345u))), 0xffc12345u)
      << "a sign is no arithmetic";
}

TEST(Ptx, MaximumAndMinimum) {
  EXPECT_EQ(result<float>("max.f32 $d, $x, $y", kNan, 1.0f), 1.0f);
  EXPECT_EQ(bits(result<float>("max.NaN.f32 $d, $x, $y", kNan, 1.0f)), 0x7fffffffu);
  EXPECT_EQ(bits(result<float>("max.f32 $d, $x, $y", -0.0f, 0.0f)), 0u);
  EXPECT_EQ(bits(result<float>("min.f32 $d, $x, $y", 0.0f, -0.0f)), 0x80000000u);
}

TEST(Ptx, ConversionsClampAndANanIsZeroOrTheHighestBit) {
  EXPECT_EQ(result<int32_t>("cvt.rzi.s32.f32 $d, $x", -1.9f), -1);
  EXPECT_EQ(result<int32_t>("cvt.rzi.s32.f32 $d, $x", 1e20f), INT32_MAX);
  EXPECT_EQ(result<int32_t>("cvt.rzi.s32.f32 $d, $x", -kInf), INT32_MIN);
  EXPECT_EQ(result<int32_t>("cvt.rzi.s32.f32 $d, $x", kNan), 0);
  EXPECT_EQ(result<int64_t>("cvt.rzi.s64.f32 $d, $x", kNan), INT64_MIN);
  EXPECT_EQ(result<int64_t>("cvt.rzi.s64.f64 $d, $x", double(kNan)), INT64_MIN);
  EXPECT_EQ(result<int32_t>("cvt.rzi.s32.f64 $d, $x", double(kNan)), INT32_MIN);
  EXPECT_EQ(result<uint32_t>("cvt.rzi.u32.f32 $d, $x", -5.0f), 0u);
  EXPECT_EQ(result<float>("cvt.rmi.f32.f32 $d, $x", -1.5f), -2.0f);
  EXPECT_EQ(result<float>("cvt.rni.f32.f32 $d, $x", 2.5f), 2.0f);
  EXPECT_EQ(result<float>("cvt.rn.f32.s32 $d, $x", int32_t(16777217)), 16777216.0f);
  EXPECT_EQ(result<int64_t>("cvt.s64.s32 $d, $x", int32_t(-3)), -3);
  EXPECT_EQ(result<uint64_t>("cvt.u64.u32 $d, $x", int32_t(-3)), 0xfffffffdu);
}

TEST(Ptx, IntegersAndShifts) {
  EXPECT_EQ(result<uint32_t>("shl.b32 $d, $x, $y", 1u, 32u), 0u);
  EXPECT_EQ(result<int32_t>("shr.s32 $d, $x, $y", int32_t(-8), int32_t(100)), -1);
  EXPECT_EQ(result<uint32_t>("shr.u32 $d, $x, $y", 0x80000000u, 31u), 1u);
  EXPECT_EQ(result<uint32_t>("mul.hi.u32 $d, $x, $y", 0xffffffffu, 0xffffffffu), 0xfffffffeu);
  EXPECT_EQ(result<int64_t>("mul.wide.s32 $d, $x, $y", int32_t(-70000), int32_t(70000)),
            -4900000000);
  EXPECT_EQ(result<int32_t>("rem.s32 $d, $x, $y", int32_t(-7), int32_t(3)), -1);
  EXPECT_EQ(result<uint32_t>("prmt.b32 $d, $x, $y, 0x7610U", 0x44332211u, 0x88776655u),
            0x88772211u);
  EXPECT_EQ(result<uint32_t>("shf.l.wrap.b32 $d, $x, $y, 8", 0x44332211u, 0x88776655u),
            0x77665544u);
  EXPECT_EQ(result<uint32_t>("bfe.u32 $d, $x, 8, 4", 0x12345678u), 6u);
  EXPECT_EQ(result<uint32_t>("popc.b32 $d, $x", 0xf0f0u), 8u);
  EXPECT_EQ(result<uint32_t>("clz.b32 $d, $x", 1u), 31u);
}

TEST(Ptx, ComparisonsOfNans) {
  auto is = [](const std::string &how, float x, float y) {
    return result<uint32_t>("setp." + how + ".f32 %p1, $x, $y;\n  selp.b32 $d, 1, 0, %p1", x, y) !=
           0;
  };
  EXPECT_FALSE(is("eq", kNan, kNan));
  EXPECT_FALSE(is("ne", kNan, 1));
  EXPECT_TRUE(is("neu", kNan, 1));
  EXPECT_TRUE(is("ltu", kNan, 1));
  EXPECT_FALSE(is("lt", kNan, 1));
  EXPECT_TRUE(is("nan", kNan, 1));
  EXPECT_TRUE(is("num", 2, 1));
}

TEST(Ptx, AScopeHasRegistersOfItsOwn) {
  EXPECT_EQ(
      result<uint32_t>(
          "{ .reg .b32 tmp; mov.b64 {tmp, %r6}, $x; }\n  { .reg .b32 tmp; mov.b64 {%r7, tmp}, $x; "
          "}\n  add.s32 %r6, %r6, %r7",
          uint64_t(0x0000000500000007)),
      12u);
}

TEST(Ptx, WhatIsNotKnownIsAnErrorWithItsLine) {
  auto refused = [](const std::string &body) {
    return std::string(parse(functionOf(body)).status().message());
  };
  EXPECT_THAT(refused("  frobnicate.b32 %r1, %r2;"),
              HasSubstr("PTX line 21: unknown instruction: frobnicate.b32"));
  EXPECT_THAT(refused("  add.rn.ftz.f32 %r1, %r2, %r3;"), HasSubstr("unknown modifier .ftz"));
  EXPECT_THAT(refused("  sin.approx.f32 %r1, %r2;"), HasSubstr("unknown instruction"));
  EXPECT_THAT(refused("  mov.b32 %q1, 0;"), HasSubstr("unknown register: %q1"));
  EXPECT_THAT(refused("  mov.b32 %r99, 0;"), HasSubstr("unknown register: %r99"));
  EXPECT_THAT(refused("  bra $NOWHERE;"), HasSubstr("branches to $NOWHERE"));
  EXPECT_THAT(std::string(parse(".version 8.3\n.visible .entry k(\n").status().message()),
              HasSubstr("ends in the middle"));
}

TEST(Ptx, AccessesAreInsideAndAligned) {
  TwoBuffers memory;
  EXPECT_THAT(std::string(run(memory, "  ld.global.b32 %r3, [%rd1+1024];").message()),
              HasSubstr("outside of every allocation"));
  EXPECT_THAT(std::string(run(memory, "  st.global.b32 [%rd1+-4], %r1;").message()),
              HasSubstr("outside of every allocation"));
  EXPECT_THAT(std::string(run(memory, "  ld.global.b32 %r3, [%rd1+2];").message()),
              HasSubstr("not aligned"));
  EXPECT_THAT(
      std::string(run(memory, "  ld.global.v4.b32 {%r3, %r4, %r5, %r6}, [%rd1+8];").message()),
      HasSubstr("not aligned"));
  EXPECT_THAT(
      std::string(
          run(memory, "  mov.b32 %r3, memory;\n  ld.shared.b32 %r4, [%r3+1024];").message()),
      HasSubstr("of the block's memory of 1024 bytes"));
  EXPECT_THAT(std::string(run(memory, "  ld.shared.b32 %r4, [memory];").message()),
              HasSubstr("read before anybody wrote it"));
  EXPECT_THAT(std::string(run(memory, "  div.u32 %r3, %r1, 0;").message()),
              HasSubstr("division by zero"));
}

const char *const kOwnWord = "  mul.wide.u32 %rd5, %r1, 4;\n  add.s64 %rd6, %rd1, %rd5;\n";

TEST(Ptx, ThreadsThatMeetInMemoryNeedABarrier) {
  const std::string neighbour =
      "  add.s32 %r4, %r1, 1;\n  and.b32 %r5, %r4, 63;\n  mul.wide.u32 %rd7, %r5, 4;\n  add.s64 %rd8, %rd1, %rd7;\n";
  const std::string write = "  st.global.b32 [%rd6], %r1;\n",
                    read = "  ld.global.b32 %r6, [%rd8];\n  st.global.b32 [%rd9], %r6;\n";
  const std::string place = "  add.s64 %rd9, %rd2, %rd5;\n";
  TwoBuffers memory;
  ASSERT_EQ(run(memory, kOwnWord + neighbour + place + write + "  bar.sync 0;\n" + read, 64),
            absl::OkStatus());
  EXPECT_EQ(memory.at<uint32_t>(memory.b, 63), 0u);
  EXPECT_EQ(memory.at<uint32_t>(memory.b, 5), 6u);
  EXPECT_THAT(std::string(run(memory, kOwnWord + neighbour + place + write + read, 64).message()),
              HasSubstr("without a barrier between"));
  EXPECT_THAT(
      std::string(
          run(memory, kOwnWord + neighbour + place + write + "  bar.sync 0;\n" + read, 32, 2)
              .message()),
      HasSubstr("of block"))
      << "no barrier is between blocks";
}

TEST(Ptx, ThreadsThatMeetInAByteNeedABarrierToo) {
  const std::string own =
      "  cvt.u64.u32 %rd5, %r1;\n  add.s64 %rd6, %rd1, %rd5;\n  st.global.b8 [%rd6], %r1;\n";
  const std::string neighbour = "  ld.global.b8 %rs1, [%rd6+1];\n";
  TwoBuffers memory;
  ASSERT_EQ(run(memory, own, 64), absl::OkStatus()) << "four threads in a word, a byte each";
  EXPECT_EQ(memory.a[63], 63);
  ASSERT_EQ(run(memory, own + "  bar.sync 0;\n" + neighbour, 64), absl::OkStatus());
  EXPECT_THAT(std::string(run(memory, own + neighbour, 64).message()),
              HasSubstr("without a barrier between"));
  EXPECT_THAT(std::string(run(memory, own + "  bar.sync 0;\n" + neighbour, 32, 2).message()),
              HasSubstr("of block"));
  const std::string word = "  and.b64 %rd7, %rd6, -4;\n  ld.global.b32 %r3, [%rd7];\n";
  EXPECT_THAT(std::string(run(memory, own + word, 64).message()),
              HasSubstr("without a barrier between"))
      << "bytes and the word that they are in";
  EXPECT_THAT(
      std::string(run(memory, kOwnWord + std::string("  st.global.b32 [%rd6], %r1;\n") + own, 64)
                      .message()),
      HasSubstr("without a barrier between"))
      << "a word, and then a byte of it";
}

TEST(Ptx, ThreadsThatMeetInTheMemoryOfABlockNeedABarrier) {
  const std::string
      own = "  mov.b32 %r3, memory;\n  shl.b32 %r4, %r1, 2;\n  add.s32 %r5, %r3, %r4;\n",
      neighbour = "  xor.b32 %r6, %r4, 4;\n  add.s32 %r7, %r3, %r6;\n",
      write = "  st.shared.b32 [%r5], %r1;\n", read = "  ld.shared.b32 %r8, [%r7];\n",
      keep = "  st.global.b32 [%rd6], %r8;\n", barrier = "  bar.sync 0;\n";
  const std::string begin = kOwnWord + own + neighbour;
  TwoBuffers memory;
  ASSERT_EQ(run(memory, begin + write + barrier + read + keep, 64), absl::OkStatus());
  EXPECT_EQ(memory.at<uint32_t>(memory.a, 6), 7u);
  // Two blocks have memory of their own each; both write the same words of what all share.
  ASSERT_EQ(run(memory, begin + write + barrier + read, 64, 2), absl::OkStatus());
  EXPECT_THAT(std::string(run(memory, begin + write + barrier + read + write, 64).message()),
              HasSubstr("without a barrier between"))
      << "written again while another may still read";
  EXPECT_THAT(std::string(run(memory, begin + "  st.shared.b32 [%r3], %r1;\n", 64).message()),
              HasSubstr("without a barrier between"))
      << "all write one word";
  // Each reads what another thread of its warp has written: that the warp's threads happen to go
  // together is no barrier.
  EXPECT_THAT(std::string(run(memory, begin + write + barrier + write + read, 32).message()),
              HasSubstr("without a barrier between"));
}

TEST(Ptx, ManyReadersAreAllRemembered) {
  TwoBuffers memory;
  const std::string body =
      "  ld.global.b32 %r3, [%rd1];\n  setp.ne.u32 %p1, %r1, 7;\n  @%p1 bra $END;\n  "
      "st.global.b32 [%rd1], %r3;\n$END:\n";
  EXPECT_THAT(std::string(run(memory, body, 32).message()), HasSubstr("is read by thread"));
  EXPECT_EQ(run(memory, "  ld.global.b32 %r3, [%rd1];\n", 64, 3), absl::OkStatus());
}

TEST(Ptx, BarriersAreForAllThreads) {
  TwoBuffers memory;
  const std::string skip = "  setp.gt.u32 %p1, %r1, 3;\n  @%p1 bra $END;\n  bar.sync 0;\n$END:\n";
  EXPECT_THAT(std::string(run(memory, skip, 64).message()), HasSubstr("threads never reach"));
  const std::string other =
      "  setp.gt.u32 %p1, %r1, 3;\n  @%p1 bra $ELSE;\n  bar.sync 0;\n  bra $END;\n$ELSE:\n  bar.sync 0;\n$END:\n";
  EXPECT_THAT(std::string(run(memory, other, 64).message()),
              HasSubstr("another barrier than that of line"));
}

TEST(Ptx, ShufflesAreOfWholeWarps) {
  TwoBuffers memory;
  const std::string shuffle = "  shfl.sync.down.b32 %r3|%p1, %r1, 4, 31, -1;\n";
  ASSERT_EQ(run(memory, kOwnWord + shuffle + "  st.global.b32 [%rd6], %r3;\n", 64),
            absl::OkStatus());
  EXPECT_EQ(memory.at<uint32_t>(memory.a, 3), 7u);
  EXPECT_EQ(memory.at<uint32_t>(memory.a, 30), 30u) << "beyond the warp its own";
  EXPECT_EQ(memory.at<uint32_t>(memory.a, 32), 36u);
  const std::string half = "  setp.gt.u32 %p2, %r1, 3;\n  @%p2 bra $END;\n" + shuffle + "$END:\n";
  EXPECT_THAT(std::string(run(memory, half, 64).message()),
              HasSubstr("a shuffle that not all threads of the warp reach"));
}

TEST(Ptx, ThreadsMeetAgainBehindALoopOfTheirOwn) {
  TwoBuffers memory;
  const std::string body =
      "  mov.b32 %r3, 0;\n$LOOP:\n  add.s32 %r3, %r3, 1;\n  setp.le.u32 %p1, %r3, %r1;\n  @%p1 "
      "bra $LOOP;\n  bar.sync 0;\n";
  ASSERT_EQ(run(memory, kOwnWord + body + "  st.global.b32 [%rd6], %r3;\n", 64), absl::OkStatus());
  for (uint32_t t = 0; t < 64; ++t)
    EXPECT_EQ(memory.at<uint32_t>(memory.a, t), t + 1);
}

TEST(Ptx, LaunchesAreWithinTheLimits) {
  TwoBuffers memory;
  EXPECT_THAT(std::string(run(memory, "", 1025).message()), HasSubstr("1 blocks of 1025 threads"));
  EXPECT_THAT(std::string(run(memory, "", 0).message()), HasSubstr("of 0 threads"));
}

} // namespace
} // namespace graphc::ptx
