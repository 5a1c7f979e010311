// What is refused of messages that are collected end to end, and of such that are dealt. Good plans
// of both: test/run/test_sparse_rows.py. Of messages of an actual size: RowPlans.cpp.
#include "test/runtime/common/plan/DamageCase.h"
#include "test/runtime/common/plan/PlanBuilder.h"

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

Instruction::SendStart &sent(Program &program) {
  return *first(program, Instruction::kSendStart).mutable_send_start();
}

class VerifyRows : public testing::TestWithParam<DamageCase> {};
TEST_P(VerifyRows, IsRefused) { expectRefused(parameterServerPlan({1, 2, 16, false}), GetParam()); }

const DamageCase rowCases[] = {
    {"CollectIntoOneMessage", [](Plan &p) { collectInstead(p); }, "but 2 messages of channel"},
    {"CollectInAReplicatedProgram",
     [](Plan &p) {
       Instruction &receive = first(rowWorker(p), Instruction::kReceive);
       const uint32_t channel = receive.receive().channel();
       const uint32_t buffer = sent(rowWorker(p)).buffer();
       receive.mutable_collect()->set_channel(channel);
       receive.mutable_collect()->set_buffer(buffer);
     },
     "in a program of 2 instances; expected a fifo from a replicated program to one instance"},
    {"CollectOfAConflatingChannel",
     [](Plan &p) {
       makeRoom(p, collectInstead(p));
       p.mutable_channels(int(first(rowServer(p), Instruction::kCollect).collect().channel()))
           ->set_conflating(true);
     },
     "conflating"},
    {"CollectedAndRead", [](Plan &p) { makeRoom(p, collectInstead(p)); }, "kernel"},
    {"AggregateOfActualSizes",
     [](Plan &p) {
       p.mutable_channels(int(sent(rowWorker(p)).channel()))->set_unit_bytes(4);
       sent(rowWorker(p)).set_units(uint32_t(rowWorker(p).buffers_size()));
       Buffer &units = *rowWorker(p).add_buffers();
       units.mutable_type()->set_dtype(I64);
       units.set_bytes(8);
       units.mutable_arena();
     },
     "whose messages have an actual size; expected a collect"},
    {"DealOfOneMessage", [](Plan &p) { sent(rowServer(p)).set_deal(true); }, "deals buffer"},
    {"DealOfAReplicatedProgram", [](Plan &p) { sent(rowWorker(p)).set_deal(true); },
     "deals buffer"},
};

INSTANTIATE_TEST_SUITE_P(Rules, VerifyRows, testing::ValuesIn(rowCases), nameOf);

class VerifySizes : public testing::TestWithParam<DamageCase> {};
TEST_P(VerifySizes, IsRefused) { expectRefused(rowsPlan(2), GetParam()); }
TEST(Verify, AGoodPlanOfActualSizes) { EXPECT_EQ(verifyPlan(rowsPlan(2)), absl::OkStatus()); }

Channel &up(Plan &p) { return *p.mutable_channels(0); }

const DamageCase sizeCases[] = {
    {"UnitsOfAnotherSize", [](Plan &p) { up(p).set_unit_bytes(8); },
     "units of 8 bytes, expected an entry of dimension 0 of tensor<16xf32>"},
    {"UnitsOfNoDimension",
     [](Plan &p) {
       up(p).mutable_type()->clear_shape();
       up(p).set_bytes(4);
     },
     "expected an entry of dimension 0"},
    {"TooManyUnits",
     [](Plan &p) {
       up(p).mutable_type()->set_shape(0, int64_t(1) << 31);
       up(p).set_bytes(uint64_t(4) << 31);
     },
     "of which there are at most 2147483647"},
    {"ZeroCopy", [](Plan &p) { up(p).set_zero_copy(true); },
     "messages of an actual size, but is zero-copy"},
    {"Conflating", [](Plan &p) { up(p).set_conflating(true); },
     "messages of an actual size, but is conflating"},
    {"AllToAll", [](Plan &p) { up(p).set_all_to_all(true); },
     "messages of an actual size, but is all to all"},
    {"Control", [](Plan &p) { p.mutable_channels(2)->set_unit_bytes(8); },
     "messages of an actual size, but is a control channel"},
    {"SendWithoutUnits", [](Plan &p) { sent(rowWorker(p)).clear_units(); },
     "channel rows.up has messages of an actual size, but no count is given"},
    {"ReceiveWithoutUnits",
     [](Plan &p) { first(rowWorker(p), Instruction::kReceive).mutable_receive()->clear_units(); },
     "channel rows.down has messages of an actual size, but no count"},
    {"CollectWithoutUnits",
     [](Plan &p) { first(rowServer(p), Instruction::kCollect).mutable_collect()->clear_units(); },
     "channel rows.up has messages of an actual size, but no count"},
    {"UnitsOfWholeMessages", [](Plan &p) { up(p).clear_unit_bytes(); },
     "channel rows.up has no messages of an actual size, but a count"},
    {"UnitsOfOne",
     [](Plan &p) { first(rowServer(p), Instruction::kCollect).mutable_collect()->set_units(1); },
     "expected one i64 for each of 2 instances"},
    {"UnitsThatAreNoNumber", [](Plan &p) { sent(rowWorker(p)).set_units(1); },
     "expected tensor<i64>"},
    {"UnitsThatDoNotExist", [](Plan &p) { sent(rowWorker(p)).set_units(99); },
     "buffer 99 does not exist"},
    {"UnitsInAConstant",
     [](Plan &p) {
       p.add_constants(std::string(8, '\0'));
       rowWorker(p).mutable_buffers(0)->set_constant(0);
       rowWorker(p).clear_feeds();
     },
     "which is not in the arena"},
    {"UnitsUnderTheMessages",
     [](Plan &p) {
       Instruction::Collect &collect =
           *first(rowServer(p), Instruction::kCollect).mutable_collect();
       rowServer(p)
           .mutable_buffers(int(collect.units()))
           ->mutable_arena()
           ->set_offset(rowServer(p).buffers(int(collect.buffer())).arena().offset());
     },
     "which holds how many units the messages have"},
    {"ToSeveral",
     [](Plan &p) {
       Instruction::SendStart &send = sent(rowServer(p));
       send.set_deal(false);
       send.set_units(uint32_t(rowServer(p).buffers_size()));
       *rowServer(p).add_buffers() = p.programs(0).buffers(0);
       send.set_buffer(uint32_t(rowServer(p).buffers_size()));
       *rowServer(p).add_buffers() = p.programs(0).buffers(1);
     },
     "to several instances; expected a deal"},
};

INSTANTIATE_TEST_SUITE_P(Rules, VerifySizes, testing::ValuesIn(sizeCases), nameOf);

} // namespace
} // namespace graphc::plan
