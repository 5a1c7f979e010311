//===- QueuePlans.h - programs on a device with memory of its own, as graphc makes them --------------------------*- C++ -*-===//
#ifndef GRAPHC_TEST_PASSES_COMPILER_QUEUEPLANS_H
#define GRAPHC_TEST_PASSES_COMPILER_QUEUEPLANS_H

#include "passes/compiler/Compiler.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>

namespace graphc {

using plan::Instruction;
using plan::Plan;
using plan::Program;

// Two layers, so that gradients leave while others are still computed; the second weight's gradient needs a buffer again.
inline constexpr char kModel[] =
    R"(graph.variable @w : tensor<4x16xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 3>
graph.variable @v : tensor<16x1xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 4>
graph.dataset @d : (tensor<4xf32>, tensor<1xf32>) = #graph.synthetic<samples = 96, seed = 7>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %t = graph.next_batch @d {batch = 8} : tensor<8x4xf32>, tensor<8x1xf32>
  %w = graph.read @w : tensor<4x16xf32>
  %v = graph.read @v : tensor<16x1xf32>
  %h = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %a = graph.tanh %h : tensor<8x16xf32>
  %y = graph.matmul %a, %v : (tensor<8x16xf32>, tensor<16x1xf32>) -> tensor<8x1xf32>
  %e = graph.subtract %y, %t : tensor<8x1xf32>
  %square = graph.multiply %e, %e : tensor<8x1xf32>
  %loss = graph.reduce_mean %square dimensions = [0, 1] : (tensor<8x1xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
)";

inline Plan compiled(const std::string &config) {
  auto cluster = cluster::parseCluster(config, "cluster.json");
  EXPECT_TRUE(cluster.ok()) << cluster.status();
  CompileResult result = compile(kModel, "model.mlir", *cluster);
  for (const Diagnostic &diagnostic : result.diagnostics)
    ADD_FAILURE() << toText(diagnostic);
  return result.plan ? *result.plan : Plan();
}

inline const Plan &servers() {
  static const Plan *plan = new Plan(compiled(
      R"({"ps": 1, "worker": 2, "strategy": "parameter_server", "devices": {"ps": ["SIM:0"], "worker": ["SIM:0"]}})"));
  return *plan;
}

inline const Plan &reduced() {
  static const Plan *plan =
      new Plan(compiled(R"({"worker": 2, "strategy": "all_reduce", "devices": {"worker": ["SIM:0"]}})"));
  return *plan;
}

inline Program &programOf(Plan &plan, const std::string &part) {
  for (Program &program : *plan.mutable_programs())
    if (program.name().find(part) != std::string::npos)
      return program;
  ADD_FAILURE() << "no program " << part;
  return *plan.mutable_programs(0);
}
inline Program &worker(Plan &plan) { return programOf(plan, "worker"); }
inline Program &server(Plan &plan) { return programOf(plan, "ps"); }

using Test = std::function<bool(const Program &, const Instruction &)>;

/// The first instruction that passes.
inline int at(const Program &program, const Test &test, int from = 0) {
  for (int i = from; i < program.instructions_size(); ++i)
    if (test(program, program.instructions(i)))
      return i;
  ADD_FAILURE() << program.name() << " has none";
  return 0;
}
inline Test kind(Instruction::KindCase wanted) {
  return [wanted](const Program &, const Instruction &i) { return i.kind_case() == wanted; };
}
inline bool isHosts(const Program &program, uint32_t buffer) {
  return program.buffers(int(buffer)).space() == plan::HOST;
}
inline bool copiesIn(const Program &p, const Instruction &i) {
  return i.has_copy() && isHosts(p, i.copy().from()) && p.buffers(int(i.copy().from())).has_arena();
}
inline bool copiesOut(const Program &p, const Instruction &i) { return i.has_copy() && isHosts(p, i.copy().to()); }
inline bool laneWaits(const Program &, const Instruction &i) { return i.has_wait() && !i.queue(); }
inline bool queueWaits(const Program &, const Instruction &i) { return i.has_wait() && i.queue(); }
inline Instruction &the(Program &program, const Test &test) { return *program.mutable_instructions(at(program, test)); }
inline void erase(Program &program, int index) { program.mutable_instructions()->DeleteSubrange(index, 1); }
/// The first wait of the lane that stands in front of such an instruction.
inline int waitBefore(const Program &program, Instruction::KindCase next) {
  for (int i = at(program, kind(next)); i > 0; i = at(program, kind(next), i + 1)) {
    int wait = i;
    while (wait > 0 && !laneWaits(program, program.instructions(wait)))
      --wait;
    if (laneWaits(program, program.instructions(wait)))
      return wait;
  }
  return 0;
}

} // namespace graphc
#endif
