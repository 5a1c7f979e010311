// schedule on random phases: the same values in the same memory as before, whatever the timing, and
// no step that hangs.
#include "RandomPhase.h"
#include "Simulator.h"

#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"
#include "passes/schedule/PhaseLiveness.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace graphc::test {

namespace {

struct Schedule : testing::Test {
  Schedule() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  MLIRContext context;
};

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

TEST_F(Schedule, KeepsValuesOfRandomPhases) {
  uint64_t arena = 0, buffers = 0, zeroCopy = 0, large = 0, inSlots = 0, ahead = 0, loops = 0,
           talks = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    std::string text = makeRandomPhase(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    Outcome expected = simulate(*module, 3, seed);
    ASSERT_EQ(expected.error, "");
    for (auto buffer : module->getOps<dist::ProgramOp>())
      buffer.walk([&](dist::BufferOp op) {
        buffers += uint64_t(cast<MemRefType>(op.getBuffer().getType()).getNumElements()) * 4;
      });

    PassManager manager(&context);
    manager.addPass(createSchedulePrograms());
    manager.addPass(createVerifyLiveness());
    ASSERT_TRUE(succeeded(manager.run(*module)));
    for (auto program : module->getOps<dist::ProgramOp>())
      arena += *program.getArenaBytes();
    module->walk([&](dist::AcquireOp) { ++inSlots; });
    module->walk([&](dist::RepeatOp loop) { ++(dist::isTalkingLoop(loop) ? talks : loops); });
    module->walk([&](dist::SendStartOp send) { ahead += send.getAhead(); });
    for (auto channel : module->getOps<dist::ChannelOp>()) {
      zeroCopy += channel.getZeroCopy();
      large += channel.getMessageBytes() >= 4096;
    }
    for (uint64_t timing = 0; timing < 5; ++timing) {
      Outcome outcome = simulate(*module, 3, seed * 100 + timing);
      ASSERT_EQ(outcome.error, "") << print(*module);
      ASSERT_EQ(outcome.results, expected.results) << print(*module);
    }
  }
  EXPECT_LT(arena, buffers) << "buffers never share memory";
  EXPECT_GT(zeroCopy, 20u) << "the phases send too little without a copy to show anything";
  EXPECT_GT(large, zeroCopy);
  EXPECT_GT(inSlots, 20u) << "too few values are made in slots to show anything";
  EXPECT_GT(loops, 100u) << "too few values are summed in loops to show anything";
  EXPECT_GT(talks, 200u) << "too few loops send to each other to show anything";
  EXPECT_GT(ahead, 100u) << "too little is sent ahead to show anything";
}

// The oracle must see what it is there for.
TEST_F(Schedule, SimulatorSeesOverwrittenMemory) {
  const char *text = R"(
    dist.phase @p {role = #graph.role<predict>}
    func.func private @k1(memref<?xf32> {dist.access = "read"}, memref<?xf32> {dist.access = "write"})
    graph.variable @v : tensor<16xf32> = #graph.zeros
    dist.program @p.a of @p on "/job:worker/task:0/device:CPU:0" attributes {arena_bytes = 64 : i64} {
      %v = dist.variable_buffer @v : memref<16xf32>
      %a = dist.buffer {offset = 0} : memref<16xf32>
      %b = dist.buffer {offset = OFFSET} : memref<1xf32>
      dist.control_send []
      dist.call @k1(%v, %a) : memref<16xf32>, memref<16xf32>
      dist.call @k1(%a, %b) : memref<16xf32>, memref<1xf32>
      dist.fetch "y", %a : memref<16xf32>
      dist.control_receive local
      dist.end
    })";
  std::string apart = text, together = text;
  apart.replace(apart.find("64 :"), 2, "128").replace(apart.find("OFFSET"), 6, "64");
  together.replace(together.find("OFFSET"), 6, "0");
  OwningOpRef<ModuleOp> good = parseSourceString<ModuleOp>(apart, &context);
  OwningOpRef<ModuleOp> bad = parseSourceString<ModuleOp>(together, &context);
  ASSERT_TRUE(good && bad);
  EXPECT_NE(simulate(*good, 1, 1).results, simulate(*bad, 1, 1).results);
}

TEST_F(Schedule, IsDeterministic) {
  std::string first;
  for (int run = 0; run < 2; ++run) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(makeRandomPhase(42), &context);
    ASSERT_TRUE(module);
    PassManager manager(&context);
    manager.addPass(createSchedulePrograms());
    ASSERT_TRUE(succeeded(manager.run(*module)));
    if (run == 0)
      first = print(*module);
    else
      EXPECT_EQ(first, print(*module));
  }
}

} // namespace
} // namespace graphc::test
