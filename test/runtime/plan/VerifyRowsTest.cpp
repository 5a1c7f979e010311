// What is refused of messages that are collected end to end, and of such that are dealt. Good plans of both: test/run/test_sparse_rows.py.
#include "test/runtime/plan/DamageCase.h"
#include "test/runtime/plan/PlanBuilder.h"

namespace graphc::plan {
namespace {

Program &rowWorker(Plan &p) { return *p.mutable_programs(0); }
Program &rowServer(Plan &p) { return *p.mutable_programs(1); }

Instruction &first(Program &program, Instruction::KindCase kind) {
  for (Instruction &instruction : *program.mutable_instructions())
    if (instruction.kind_case() == kind)
      return instruction;
  ADD_FAILURE() << "there is none";
  return *program.add_instructions();
}

/// In place of the server's sum; the buffer of that sum has room for one message.
uint32_t collectInstead(Plan &p) {
  Instruction &sum = first(rowServer(p), Instruction::kAggregate);
  const uint32_t channel = sum.aggregate().channel(), buffer = sum.aggregate().buffer();
  sum.mutable_collect()->set_channel(channel);
  sum.mutable_collect()->set_buffer(buffer);
  return buffer;
}

/// Such a buffer with room for two.
void makeRoom(Plan &p, uint32_t buffer) {
  Buffer &room = *rowServer(p).mutable_buffers(int(buffer));
  room.mutable_type()->clear_shape();
  room.mutable_type()->add_shape(int64_t(room.bytes()) / 4 * 2);
  room.set_bytes(room.bytes() * 2);
  room.mutable_arena()->set_offset(rowServer(p).arena_bytes());
  rowServer(p).set_arena_bytes(rowServer(p).arena_bytes() + (room.bytes() + 63) / 64 * 64);
}

Instruction::SendStart &sent(Program &program) { return *first(program, Instruction::kSendStart).mutable_send_start(); }

class VerifyRows : public testing::TestWithParam<DamageCase> {};
TEST_P(VerifyRows, IsRefused) { expectRefused(parameterServerPlan({1, 2, 16, false}), GetParam()); }

const DamageCase rowCases[] = {
    {"CollectIntoOneMessage", [](Plan &p) { collectInstead(p); }, "but 2 messages of channel"},
    {"CollectInAFamily",
     [](Plan &p) {
       Instruction &receive = first(rowWorker(p), Instruction::kReceive);
       const uint32_t channel = receive.receive().channel();
       const uint32_t buffer = sent(rowWorker(p)).buffer();
       receive.mutable_collect()->set_channel(channel);
       receive.mutable_collect()->set_buffer(buffer);
     },
     "in a program of 2 instances; expected a fifo from a family to one instance"},
    {"CollectOfAConflatingChannel",
     [](Plan &p) {
       makeRoom(p, collectInstead(p));
       p.mutable_channels(int(first(rowServer(p), Instruction::kCollect).collect().channel()))->set_conflating(true);
     },
     "conflating"},
    {"CollectedAndRead", [](Plan &p) { makeRoom(p, collectInstead(p)); }, "kernel"},
    {"DealOfOneMessage", [](Plan &p) { sent(rowServer(p)).set_deal(true); }, "deals buffer"},
    {"DealOfAFamily", [](Plan &p) { sent(rowWorker(p)).set_deal(true); }, "deals buffer"},
};

INSTANTIATE_TEST_SUITE_P(Rules, VerifyRows, testing::ValuesIn(rowCases), nameOf);

} // namespace
} // namespace graphc::plan
