//===- VerifySlotsTest.cpp - values made in the slots of their channels -----------------------===//

#include "test/runtime/common/plan/DamageCase.h"
#include "test/runtime/common/plan/PlanBuilder.h"

namespace graphc::plan {
namespace {

/// Position of the first instruction of a kind in the worker's step; the worker is program 0.
int senderAt(const Plan &plan, Instruction::KindCase kind) {
  const Program &worker = plan.programs(0);
  for (int i = 0; i < worker.instructions_size(); ++i)
    if (worker.instructions(i).kind_case() == kind)
      return i;
  return -1;
}
auto *sendersInstructions(Plan &plan) { return plan.mutable_programs(0)->mutable_instructions(); }
Instruction::Acquire &acquire(Plan &plan) {
  return *sendersInstructions(plan)
              ->Mutable(senderAt(plan, Instruction::kAcquire))
              ->mutable_acquire();
}

const DamageCase slotCases[] = {
    {"WrittenBeforeTheAcquire",
     [](Plan &p) {
       sendersInstructions(p)->SwapElements(senderAt(p, Instruction::kAcquire),
                                            senderAt(p, Instruction::kCall));
     },
     "is written before its slot is acquired"},
    {"NeverAcquired",
     [](Plan &p) { sendersInstructions(p)->DeleteSubrange(senderAt(p, Instruction::kAcquire), 1); },
     "is written before its slot is acquired"},
    {"WrittenAfterTheSend",
     [](Plan &p) { // the gradient once more, behind its send_done
       Instruction again = sendersInstructions(p)->Get(senderAt(p, Instruction::kCall));
       int done = senderAt(p, Instruction::kSendDone);
       again.mutable_call()->set_buffers(0, again.call().buffers(1));
       int kernel = p.kernels_size();
       *p.add_kernels() = p.kernels(int(again.call().kernel()));
       for (auto &arg : *p.mutable_kernels(kernel)->mutable_args())
         arg.set_access(READ_WRITE);
       p.mutable_kernels(kernel)->mutable_args()->RemoveLast();
       again.mutable_call()->mutable_buffers()->RemoveLast();
       again.mutable_call()->set_kernel(uint32_t(kernel));
       *sendersInstructions(p)->Add() = again;
       for (int i = sendersInstructions(p)->size() - 1; i > done + 1; --i)
         sendersInstructions(p)->SwapElements(i, i - 1);
     },
     "after it was sent: it is the receiver's"},
    {"NeverSent",
     [](Plan &p) {
       sendersInstructions(p)->DeleteSubrange(senderAt(p, Instruction::kSendStart), 1);
       sendersInstructions(p)->DeleteSubrange(senderAt(p, Instruction::kSendDone), 1);
     },
     "ends without a send of buffer"},
    {"AnotherBufferIsSent",
     [](Plan &p) {
       auto *send = sendersInstructions(p)
                        ->Mutable(senderAt(p, Instruction::kSendStart))
                        ->mutable_send_start();
       Buffer *buffer = p.mutable_programs(0)->add_buffers();
       *buffer = p.programs(0).buffers(int(send->buffer()));
       buffer->mutable_arena()->set_offset(0);
       p.mutable_programs(0)->set_arena_bytes(64);
       send->set_buffer(uint32_t(p.programs(0).buffers_size()) - 1);
     },
     "whose slot it has acquired for another"},
    {"SentTwice",
     [](Plan &p) { // in place of the control message, which comes last
       Instruction start = sendersInstructions(p)->Get(senderAt(p, Instruction::kSendStart));
       *sendersInstructions(p)->Mutable(sendersInstructions(p)->size() - 1) = start;
     },
     "again: it is the receiver's"},
    {"Twice",
     [](Plan &p) {
       *sendersInstructions(p)->Mutable(senderAt(p, Instruction::kCall)) =
           sendersInstructions(p)->Get(senderAt(p, Instruction::kAcquire));
     },
     "acquires a second slot"},
    {"ChannelOfAnother", [](Plan &p) { acquire(p).set_channel(0); },
     "whose sender is program train_step.ps0"},
    {"NoSuchChannel", [](Plan &p) { acquire(p).set_channel(99); }, "channel 99 does not exist"},
    {"NoSuchBuffer", [](Plan &p) { acquire(p).set_buffer(99); }, "buffer 99 does not exist"},
    {"BufferElsewhere", [](Plan &p) { acquire(p).set_buffer(0); }, "which does not lie there"},
    {"SlotOfNoChannel",
     [](Plan &p) {
       p.mutable_programs(0)->mutable_buffers(int(acquire(p).buffer()))->set_outgoing(99);
     },
     "channel 99 does not exist, the plan has"},
    {"SlotOfAControlMessage",
     [](Plan &p) {
       for (int i = 0; i < p.channels_size(); ++i)
         if (p.channels(i).control())
           p.mutable_programs(0)
               ->mutable_buffers(int(acquire(p).buffer()))
               ->set_outgoing(uint32_t(i));
     },
     "which has none to give"},
    {"SlotOfAZeroCopyChannel",
     [](Plan &p) { p.mutable_channels(int(acquire(p).channel()))->set_zero_copy(true); },
     "which has none to give"},
};

class VerifySlots : public testing::TestWithParam<DamageCase> {};

TEST(VerifySlotsPlan, GoodPlansPass) {
  for (bool async : {false, true})
    for (uint32_t workers : {1, 3})
      EXPECT_EQ(verifyPlan(parameterServerPlan({2, workers, 16, async, 0, false, true})),
                absl::OkStatus());
}

TEST_P(VerifySlots, Refuses) {
  expectRefused(parameterServerPlan({1, 2, 16, false, 0, false, true}), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Rules, VerifySlots, testing::ValuesIn(slotCases), nameOf);

} // namespace
} // namespace graphc::plan
