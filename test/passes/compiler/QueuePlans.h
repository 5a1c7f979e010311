//===- QueuePlans.h - programs on a device with memory of its own, as graphc makes them -------===//
#ifndef GRAPHC_TEST_PASSES_COMPILER_QUEUEPLANS_H
#define GRAPHC_TEST_PASSES_COMPILER_QUEUEPLANS_H

#include "passes/compiler/Compiler.h"
#include "test/passes/compiler/TwoLayers.h"

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace graphc {

using plan::Instruction;
using plan::Plan;
using plan::Program;

inline const std::string kModel = twoLayers(4, 16);

inline Plan compiled(const std::string &config, const std::string &model = kModel) {
  auto cluster = cluster::parseCluster(config, "cluster.json");
  EXPECT_TRUE(cluster.ok()) << cluster.status();
  CompileResult result = compile(model, "model.mlir", *cluster);
  for (const Diagnostic &diagnostic : result.diagnostics)
    ADD_FAILURE() << toText(diagnostic);
  return result.plan ? *result.plan : Plan();
}

inline const std::string kServers =
    R"({"ps": 1, "worker": 2, "strategy": "parameter_server", "devices": {"ps": ["SIM:0"], "worker": ["SIM:0"]}})";
inline const Plan &servers() {
  static const Plan *plan = new Plan(compiled(kServers));
  return *plan;
}

/// On one device: its lane gives a step while the one before is done.
inline const Plan &alone() {
  static const Plan *plan = new Plan(compiled(
      R"({"worker": 1, "strategy": {"name": "one_device", "micro_batches": 2}, "devices": {"worker": ["SIM:0"]}})"));
  return *plan;
}

/// Six micro-batches on one device, of which all but the last are a loop: two leaves of three.
inline const std::string kLooped =
    R"({"worker": 1, "strategy": {"name": "one_device", "micro_batches": 6, "sum_leaves": 2}, "devices": {"worker": ["SIM:0"]}})";
inline const Plan &looped() {
  static const Plan *plan = new Plan(compiled(kLooped));
  return *plan;
}
/// Its loop once alone, of two values: two leaves, or one of two.
inline Plan loopedOnce(uint32_t perLeaf) {
  Plan once = looped();
  std::map<uint32_t, uint32_t> sums; // of two values one is kept
  for (Program &program : *once.mutable_programs())
    for (Instruction &each : *program.mutable_instructions()) {
      if (each.has_repeat())
        each.mutable_repeat()->set_count(1);
      if (each.has_accumulate()) {
        Instruction::Accumulate &sum = *each.mutable_accumulate();
        sum.set_per_leaf(perLeaf);
        sums[sum.partials(1)] = sum.partials(0);
        sum.mutable_partials()->RemoveLast();
      }
      for (int i = 0; i < each.call().buffers_size(); ++i)
        if (auto sum = sums.find(each.call().buffers(i)); sum != sums.end())
          each.mutable_call()->set_buffers(i, sum->second);
    }
  return once;
}
/// The same on each of two devices, whose loops send to each other: one deals the batches.
inline const std::string kTowers =
    R"({"worker": 2, "strategy": {"name": "mirrored", "micro_batches": 12, "sum_leaves": 4}, "devices": {"worker": ["SIM:0"]}})";
inline const Plan &towers() {
  static const Plan *plan = new Plan(compiled(kTowers));
  return *plan;
}

inline const std::string kReduced =
    R"({"worker": 2, "strategy": "all_reduce", "devices": {"worker": ["SIM:0"]}})";
/// Its gradients are so small that each replica sends all of them.
inline const Plan &reduced() {
  static const Plan *plan = new Plan(compiled(kReduced));
  return *plan;
}
/// Large enough for the replicas to sum a share each.
inline const std::string kSummedModel = twoLayers(32, 600);
inline const Plan &summed() {
  static const Plan *plan = new Plan(compiled(kReduced, kSummedModel));
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
inline bool copiesOut(const Program &p, const Instruction &i) {
  return i.has_copy() && isHosts(p, i.copy().to());
}
inline bool laneWaits(const Program &, const Instruction &i) { return i.has_wait() && !i.queue(); }
inline bool queueWaits(const Program &, const Instruction &i) { return i.has_wait() && i.queue(); }
inline Instruction &the(Program &program, const Test &test) {
  return *program.mutable_instructions(at(program, test));
}
/// The Repeat that repeats an instruction, or which it is; -1: none.
inline int loopOf(const Program &program, int index) {
  for (int i = index; i >= 0; --i)
    if (const Instruction &repeat = program.instructions(i); repeat.has_repeat())
      return index <= i + int(repeat.repeat().length()) ? i : -1;
  return -1;
}
inline void erase(Program &program, int index) {
  if (const int loop = loopOf(program, index); loop >= 0 && loop < index) {
    Instruction::Repeat &repeat = *program.mutable_instructions(loop)->mutable_repeat();
    repeat.set_length(repeat.length() - 1);
  }
  program.mutable_instructions()->DeleteSubrange(index, 1);
}
/// The last instruction of the program's first loop, or the last before that passes.
inline int lastOfLoop(const Program &program, const Test &test = nullptr) {
  const int loop = at(program, kind(Instruction::kRepeat));
  int last = loop + int(program.instructions(loop).repeat().length());
  while (test && last > loop && !test(program, program.instructions(last)))
    --last;
  return last;
}
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
