//===- VerifyPlanTest.cpp - each rule of the verifier broken once -----------------------------===//

#include "test/runtime/common/plan/DamageCase.h"
#include "test/runtime/common/plan/PlanBuilder.h"

namespace graphc::plan {
namespace {

class Verify : public testing::TestWithParam<DamageCase> {};

TEST(VerifyPlan, GoodPlansPass) {
  for (bool async : {false, true})
    for (uint32_t servers : {1, 2})
      for (uint32_t workers : {1, 2, 3})
        EXPECT_EQ(verifyPlan(parameterServerPlan({servers, workers, 16, async})), absl::OkStatus());
}

TEST(VerifyPlan, EmptyPlanIsRefused) { EXPECT_FALSE(verifyPlan(Plan()).ok()); }

/// Kernel 0 as a product of the library, 3x4 by 4x2.
Kernel &product(Plan &plan, bool fresh = true) {
  Kernel &kernel = *plan.mutable_kernels(0);
  if (!fresh)
    return kernel;
  kernel.Clear();
  kernel.set_name("product");
  kernel.set_flops(48);
  Kernel::LibraryCall &call = *kernel.mutable_library();
  call.set_kernel("matmul");
  for (auto [name, value] : {std::pair("k", 4), std::pair("m", 3), std::pair("n", 2)}) {
    auto *attribute = call.add_attributes();
    attribute->set_name(name);
    attribute->add_integers(value);
  }
  for (auto [rows, columns] : {std::pair(3, 4), std::pair(4, 2), std::pair(3, 2)}) {
    TensorType &type = *call.add_operands()->mutable_type();
    type.set_dtype(F32);
    type.add_shape(rows), type.add_shape(columns);
    kernel.add_args()->set_bytes(uint64_t(rows) * uint64_t(columns) * 4);
  }
  kernel.mutable_args(2)->set_access(WRITE);
  return kernel;
}

// What is refused of it below is not refused for something else: the next thing wrong is that its
// callers have two buffers.
TEST(VerifyPlan, AProductOfTheLibraryIsOne) {
  Plan plan = parameterServerPlan({2, 2, 16});
  product(plan);
  EXPECT_THAT(std::string(verifyPlan(plan).message()),
              testing::Not(testing::HasSubstr("kernel product:")));
}

/// A plan whose first variable, of 16 elements, is the first or second half of w, and a second part
/// of w beside it.
Plan splitPlan() {
  Plan plan = parameterServerPlan({2, 2, 16});
  Variable second = plan.variables(0);
  TensorType whole = second.type();
  whole.set_shape(0, 32);
  for (Variable *part : {plan.mutable_variables(0), &second}) {
    part->mutable_part_of()->set_of("w");
    *part->mutable_part_of()->mutable_type() = whole;
  }
  second.set_name("second");
  second.mutable_part_of()->set_row(16);
  *plan.add_variables() = second;
  return plan;
}

TEST(VerifyPlan, PartsMakeAWhole) {
  EXPECT_EQ(verifyPlan(splitPlan()), absl::OkStatus());
  auto refusal = [](auto damage) {
    Plan plan = splitPlan();
    damage(*plan.mutable_variables(0), *plan.mutable_variables(plan.variables_size() - 1));
    return std::string(verifyPlan(plan).message());
  };
  using testing::HasSubstr;
  EXPECT_THAT(refusal([](Variable &, Variable &b) { b.mutable_part_of()->set_row(8); }),
              HasSubstr("variable second begins at row 8 of w, expected row 16"));
  EXPECT_THAT(refusal([](Variable &, Variable &b) { b.mutable_part_of()->set_row(17); }),
              HasSubstr("is not rows of"));
  EXPECT_THAT(refusal([](Variable &, Variable &b) { b.mutable_part_of()->set_row(~0ull); }),
              HasSubstr("is not rows of"));
  EXPECT_THAT(refusal([](Variable &a, Variable &) { a.mutable_part_of()->set_row(16); }),
              HasSubstr("begins at row 16 of w, expected row 0"));
  EXPECT_THAT(refusal([](Variable &, Variable &b) { b.clear_part_of(); }),
              HasSubstr("the parts of variable w end at row 16"));
  EXPECT_THAT(refusal([](Variable &a, Variable &b) {
                b.mutable_part_of()->set_of(b.name());
                a.mutable_part_of()->set_of(b.name());
              }),
              HasSubstr("which is a variable itself"));
  EXPECT_THAT(refusal([](Variable &, Variable &b) { b.mutable_part_of()->set_of(""); }),
              HasSubstr("a variable has no name"));
  EXPECT_THAT(refusal([](Variable &, Variable &b) {
                b.mutable_part_of()->mutable_type()->set_shape(0, 33);
              }),
              HasSubstr("variable second is a part of tensor<33xf32>, but w0 of tensor<32xf32>"));
  EXPECT_THAT(refusal([](Variable &, Variable &b) {
                b.mutable_part_of()->mutable_type()->set_shape(0, -1);
              }),
              HasSubstr("invalid or too large"));
  EXPECT_THAT(
      refusal([](Variable &, Variable &b) { b.mutable_part_of()->mutable_type()->set_dtype(F64); }),
      HasSubstr("is not rows of"));
}

TEST(VerifyPlan, AConflatingChannelCarriesOneMessageAStep) {
  for (int messages : {1, 2}) {
    PlanBuilder b;
    uint32_t job = b.job("t", 1), phase = b.phase("p", PREDICT, /*endsByEndOfStream=*/true);
    uint32_t from = b.program(phase, "from", 1, false, job, 0),
             to = b.program(phase, "to", 1, false, job, 0);
    uint32_t channel = b.channel("c", b.vector(), from, to);
    b.plan.mutable_channels(int(channel))->set_conflating(true);
    b.ticket(from);
    for (int i = 0; i < messages; ++i) {
      b.send(from, channel, b.arenaBuffer(from, b.vector()));
      b.receive(to, channel, b.slotBuffer(to, b.vector()));
      b.release(to, channel);
    }
    std::string message(verifyPlan(b.plan).message());
    EXPECT_EQ(message, messages == 1
                           ? ""
                           : "channel c: 2 messages a step on a conflating channel, expected 1");
  }
}

TEST_P(Verify, Refuses) {
  expectRefused(parameterServerPlan({2, 2, 16, GetParam().async}), GetParam());
}

// Program 0 is the worker, 1 and 2 are the servers. Channel 0 is w0.to_worker, 1 w0.gradient, 2
// control.ps0.
Program &worker(Plan &p) { return *p.mutable_programs(0); }
Program &server(Plan &p) { return *p.mutable_programs(1); }
/// The worker's first instruction, made to take batches of a data set of one component of f32.
Instruction::NextBatch &takeBatch(Plan &plan) {
  Dataset *set = plan.add_datasets();
  set->set_name("d");
  set->mutable_synthetic()->set_samples(1);
  set->mutable_synthetic()->add_limits(0);
  set->add_components()->mutable_sample()->set_dtype(F32);
  Instruction::NextBatch &next = *worker(plan).mutable_instructions(0)->mutable_next_batch();
  next.set_batch(1);
  next.set_micro_batches(1);
  uint32_t buffer = 0;
  while (!worker(plan).buffers(int(buffer)).has_arena())
    ++buffer;
  next.add_buffers(buffer);
  return next;
}

Instruction &find(Program &program, Instruction::KindCase kind, int nth = 0) {
  for (Instruction &i : *program.mutable_instructions())
    if (i.kind_case() == kind && nth-- == 0)
      return i;
  return *program.mutable_instructions(0);
}
void erase(Program &program, Instruction::KindCase kind) {
  auto *list = program.mutable_instructions();
  for (int i = 0; i < list->size(); ++i)
    if (list->Get(i).kind_case() == kind)
      return list->DeleteSubrange(i, 1);
}

const DamageCase cases[] = {
    {"ChiefBeyondJobs", [](Plan &p) { p.mutable_chief()->set_job(9); },
     "chief: job 9 does not exist, the plan has 2"},
    {"ChiefBeyondTasks", [](Plan &p) { p.mutable_chief()->set_index(2); },
     "task 2 of job worker does not exist"},
    {"NoTasks", [](Plan &p) { p.mutable_jobs(0)->set_tasks(0); }, "job ps has no task"},
    {"TooManyTasks", [](Plan &p) { p.mutable_jobs(0)->set_tasks(4000000000u); },
     "more than 65536 tasks"},
    {"TwoJobsOfOneName", [](Plan &p) { p.mutable_jobs(0)->set_name("worker"); },
     "'worker' exists twice"},
    {"ReplicaSize", [](Plan &p) { p.mutable_replicas()->set_size(3); },
     "its ranges hold 2 tasks, its size says 3"},
    {"ReplicaOverflow",
     [](Plan &p) { p.mutable_replicas()->mutable_ranges(0)->set_first(4294967295u); },
     "are not tasks"},
    {"SettingTwice",
     [](Plan &p) {
       for (int i = 0; i < 2; ++i) {
         p.mutable_strategy()->add_settings()->set_name("order");
         p.mutable_strategy()->mutable_settings(i)->set_value("fast");
       }
     },
     "a setting of the strategy 'order' exists twice"},
    {"SettingValue", [](Plan &p) { p.mutable_strategy()->add_settings()->set_name("order"); },
     "the value of a setting of the strategy has no name"},
    {"RuleName",
     [](Plan &p) {
       p.mutable_strategy()->add_rules()->set_device("/job:ps");
       p.mutable_strategy()->mutable_rules(0)->set_name(std::string(5000, 'w'));
     },
     "a placement rule has a name of 5000 bytes, more than 4096"},
    {"RuleDevice",
     [](Plan &p) {
       p.mutable_strategy()->add_rules()->set_name("w*");
       p.mutable_strategy()->mutable_rules(0)->set_device("/job:ps\033[2J");
     },
     "the device of a placement rule has a control character in its name"},
    {"RuleLocation",
     [](Plan &p) {
       p.mutable_strategy()->add_rules()->set_name("w*");
       p.mutable_strategy()->mutable_rules(0)->set_device("/job:ps");
       p.mutable_strategy()->mutable_rules(0)->set_location(4000000000u);
     },
     "placement rule w*: location 4000000000 does not exist"},
    {"VariableShape", [](Plan &p) { p.mutable_variables(0)->mutable_type()->set_shape(0, -1); },
     "invalid or too large"},
    {"VariableOverflow",
     [](Plan &p) {
       for (int i = 0; i < 3; ++i)
         p.mutable_variables(0)->mutable_type()->add_shape(int64_t(1) << 40);
     },
     "invalid or too large"},
    {"VariableOwner", [](Plan &p) { p.mutable_variables(0)->mutable_owner()->set_index(5); },
     "task 5 of job ps"},
    {"AverageOfNothing", [](Plan &p) { p.mutable_variables(0)->set_is_average(true); },
     "is the moving average of no variable"},
    {"SlotOfNoName", [](Plan &p) { p.mutable_variables(0)->set_slot_of("a\nb"); }, "a variable"},
    {"VariableInitializer", [](Plan &p) { p.mutable_variables(0)->clear_initializer(); },
     "has no initializer"},
    {"VariableValueSize",
     [](Plan &p) { p.mutable_variables(0)->mutable_initializer()->set_value("abc"); },
     "initial value has 3 bytes"},
    {"VariableUniformLimits",
     [](Plan &p) { p.mutable_variables(0)->mutable_initializer()->mutable_uniform()->set_low(2); },
     "finite limits in order"},
    {"UninitializedSlot",
     [](Plan &p) {
       p.mutable_variables(0)->mutable_initializer()->set_uninitialized(true);
       p.mutable_variables(0)->set_slot_of("w1");
     },
     "is uninitialized, but begins anew with each training"},
    {"VariableTwice", [](Plan &p) { p.mutable_variables(1)->set_name("w0"); }, "'w0' exists twice"},
    {"CodeHash", [](Plan &p) { (*p.mutable_code(0)->mutable_elf())[100] ^= 1; },
     "code 0: its SHA-256 does not match"},
    {"LibraryKernelsOfOneName",
     [](Plan &p) {
       product(p);
       *p.add_kernels() = product(p);
     },
     "a kernel 'product' exists twice"},
    {"KernelCode", [](Plan &p) { p.mutable_kernels(0)->mutable_compiled()->set_code(3); },
     "code 3 does not exist"},
    {"KernelEntry", [](Plan &p) { p.mutable_kernels(0)->mutable_compiled()->set_entry(1u << 30); },
     "beyond any kernel table"},
    {"KernelKind", [](Plan &p) { p.mutable_kernels(0)->clear_kind(); }, "neither compiled nor"},
    {"KernelScratch", [](Plan &p) { p.mutable_kernels(0)->set_scratch_bytes(128); },
     "is not its scratch of 128 bytes"},
    {"LibraryUnknown", [](Plan &p) { product(p).mutable_library()->set_kernel("sort"); },
     "no library has a kernel 'sort', but attention, attention_grad, convolution, convolution_filter_grad, convolution_input_grad, gpu_matmul, matmul"},
    {"LibraryOfGpus", [](Plan &p) { product(p).mutable_library()->set_kernel("gpu_matmul"); },
     "kernel product is a library's for a GPU's queue, but runs on CPU:0"},
    {"LibraryNameless", [](Plan &p) { product(p).mutable_library()->clear_kernel(); },
     "a library kernel has no name"},
    {"LibraryOperands",
     [](Plan &p) { product(p).mutable_library()->mutable_operands()->RemoveLast(); },
     "2 operands for 3 arguments"},
    {"LibraryOperandType",
     [](Plan &p) {
       product(p).mutable_library()->mutable_operands(1)->mutable_type()->set_dtype(F64);
     },
     "operand 1 is a tensor<4x2xf64>, its argument has 32 bytes"},
    {"LibraryOtherType",
     [](Plan &p) {
       product(p).mutable_library()->mutable_operands(1)->mutable_type()->set_dtype(I32);
     },
     "matmul: b is not of f32"},
    {"LibraryLayout",
     [](Plan &p) {
       product(p).mutable_library()->mutable_operands(0)->set_layout(
           Kernel::LibraryCall::Layout(1));
     },
     "operand 0 has the unknown layout 1"},
    {"LibraryAccess", [](Plan &p) { product(p).mutable_args(2)->set_access(READ); },
     "matmul: c is read"},
    {"LibraryReadWrite", [](Plan &p) { product(p).mutable_args(0)->set_access(READ_WRITE); },
     "matmul: a is written"},
    {"LibraryOrder",
     [](Plan &p) { product(p).mutable_library()->mutable_attributes()->SwapElements(0, 1); },
     "attribute k stands behind m"},
    {"LibraryTwice",
     [](Plan &p) { product(p).mutable_library()->mutable_attributes(1)->set_name("k"); },
     "attribute k stands behind k"},
    {"LibraryMissing",
     [](Plan &p) { product(p).mutable_library()->mutable_attributes()->RemoveLast(); },
     "m, n or k is missing"},
    {"LibraryNumber",
     [](Plan &p) { product(p).mutable_library()->mutable_attributes(0)->add_numbers(1); },
     "k is not one integer"},
    {"LibraryStranger",
     [](Plan &p) {
       auto *attribute = product(p).mutable_library()->add_attributes();
       attribute->set_name("stride"), attribute->add_integers(1);
     },
     "'stride' is none of m, n, k"},
    {"LibraryRange",
     [](Plan &p) { product(p).mutable_library()->mutable_attributes(1)->set_integers(0, 0); },
     "m is 0, which is out of range"},
    {"LibrarySize",
     [](Plan &p) { product(p).mutable_library()->mutable_attributes(1)->set_integers(0, 5); },
     "a has 12 elements, expected 20"},
    {"LibraryOverflow",
     [](Plan &p) {
       for (int i = 0; i < 3; ++i)
         product(p, i == 0).mutable_library()->mutable_attributes(i)->set_integers(0, int64_t(1)
                                                                                          << 31);
     },
     "a has 12 elements, expected more than there can be"},
    {"LibraryPostOp", [](Plan &p) { product(p).mutable_library()->add_post_ops("tanh"); },
     "the post-op 'tanh'"},
    {"LibraryPostOpOperand", [](Plan &p) { product(p).mutable_library()->add_post_ops("bias"); },
     "3 operands, expected 4"},
    {"LibraryFlops", [](Plan &p) { product(p).set_flops(47); },
     "counts 47 operations, a call has 48"},
    {"Threads", [](Plan &p) { p.set_intra_op_threads(2000); },
     "asks for 2000 threads of one kernel, more than 1024"},
    {"ChannelBytes", [](Plan &p) { p.mutable_channels(0)->set_bytes(60); },
     "60 bytes, but tensor<16xf32> has 64"},
    {"ChannelCapacity", [](Plan &p) { p.mutable_channels(0)->set_capacity(5000); },
     "capacity 5000"},
    {"ChannelSender", [](Plan &p) { p.mutable_channels(0)->set_sender(77); },
     "its sender or receiver is not a program"},
    {"ChannelInstances", [](Plan &p) { p.mutable_channels(0)->set_instances(3); },
     "3 instances, but its programs have 2"},
    {"ChannelToItself", [](Plan &p) { p.mutable_channels(0)->set_sender(0); },
     "program train_step.worker sends to itself"},
    {"ChannelAllToAll", [](Plan &p) { p.mutable_channels(0)->set_all_to_all(true); },
     "expected one replicated program of at least two instances"},
    {"AggregateOwn",
     [](Plan &p) {
       find(server(p), Instruction::kAggregate).mutable_aggregate()->set_has_own(true);
     },
     "has a message of its own for channel"},
    {"MirroredNotChief", [](Plan &p) { p.mutable_variables(0)->set_mirrored(true); },
     "is mirrored, but owned by /job:ps/task:0 and not by the chief"},
    {"ChannelLocation", [](Plan &p) { p.mutable_channels(0)->set_location(99); },
     "location 99 does not exist"},
    {"ChannelOtherSender", [](Plan &p) { p.mutable_channels(0)->set_sender(2); },
     "whose sender is program"},
    {"ChannelOtherReceiver", [](Plan &p) { p.mutable_channels(1)->set_receiver(2); },
     "whose receiver is program"},
    {"ChannelControlType", [](Plan &p) { p.mutable_channels(2)->mutable_type()->set_dtype(F64); },
     "a control channel carries tensor<f64>"},
    {"PhaseOfProgram", [](Plan &p) { worker(p).set_phase(3); }, "which is of another"},
    {"ProgramTwice", [](Plan &p) { p.mutable_phases(0)->add_programs(0); }, "is listed twice"},
    {"ProgramNowhere", [](Plan &p) { p.mutable_phases(0)->mutable_programs()->RemoveLast(); },
     "belongs to no phase"},
    {"PhaseDataset", [](Plan &p) { p.mutable_phases(0)->set_samples_per_step(4); },
     "dataset 0 does not exist"},
    {"ProgramInstances", [](Plan &p) { server(p).set_instances(7); }, "instances"},
    {"ProgramSpread", [](Plan &p) { server(p).set_spread(true); },
     "spread over replicas with 1 instances"},
    {"ArenaOffset", [](Plan &p) { worker(p).mutable_buffers(1)->mutable_arena()->set_offset(32); },
     "not a multiple of 64"},
    {"ArenaRange", [](Plan &p) { worker(p).set_arena_bytes(100); }, "lie outside the arena of 100"},
    {"ArenaOverflow",
     [](Plan &p) { worker(p).mutable_buffers(1)->mutable_arena()->set_offset(uint64_t(0) - 64); },
     "lie outside the arena"},
    {"BufferBytes", [](Plan &p) { worker(p).mutable_buffers(1)->set_bytes(4); },
     "4 bytes, but tensor<16xf32> has 64"},
    {"BufferVariable", [](Plan &p) { server(p).mutable_buffers(0)->set_variable(50); },
     "variable 50 does not exist"},
    {"BufferOfAnothersVariable", [](Plan &p) { server(p).mutable_buffers(0)->set_variable(1); },
     "is owned by /job:ps/task:1, but instance 0"},
    {"BufferConstant", [](Plan &p) { server(p).mutable_buffers(2)->set_constant(9); },
     "constant 9 does not exist"},
    {"ConstantSize", [](Plan &p) { *p.mutable_constants(0) = "123"; }, "but its constant has 3"},
    {"BufferStorage", [](Plan &p) { worker(p).mutable_buffers(0)->clear_storage(); },
     "has no storage"},
    {"CallKernel",
     [](Plan &p) { find(worker(p), Instruction::kCall).mutable_call()->set_kernel(99); },
     "kernel 99 does not exist"},
    {"CallArity",
     [](Plan &p) { find(worker(p), Instruction::kCall).mutable_call()->add_buffers(0); },
     "takes 2 buffers, the call gives 3"},
    {"CallBuffer",
     [](Plan &p) { find(worker(p), Instruction::kCall).mutable_call()->set_buffers(0, 1000); },
     "buffer 1000 does not exist"},
    {"CallSize",
     [](Plan &p) { find(worker(p), Instruction::kCall).mutable_call()->set_buffers(1, 2); },
     "has 64 bytes, buffer 2 has 4"},
    {"CallWritesMessage",
     [](Plan &p) { find(worker(p), Instruction::kCall).mutable_call()->set_buffers(1, 0); },
     "is a message and may not be written"},
    {"CallWritesConstant",
     [](Plan &p) { find(server(p), Instruction::kCall).mutable_call()->set_buffers(0, 2); },
     "is a constant and may not be written"},
    {"CallAlias",
     [](Plan &p) { find(server(p), Instruction::kCall, 1).mutable_call()->set_buffers(1, 0); },
     "overlap and one is written"},
    {"UseBeforeReceive", [](Plan &p) { worker(p).mutable_instructions()->SwapElements(1, 2); },
     "that no receive has bound"},
    {"UseAfterRelease", [](Plan &p) { worker(p).mutable_instructions()->SwapElements(3, 4); },
     "or that was released"},
    {"ReceiveTwice",
     [](Plan &p) { *worker(p).mutable_instructions(2) = find(worker(p), Instruction::kReceive); },
     "again before its release"},
    {"NoRelease", [](Plan &p) { erase(worker(p), Instruction::kRelease); },
     "the step ends without a release of channel"},
    {"ReleaseTwice",
     [](Plan &p) { *worker(p).mutable_instructions(5) = find(worker(p), Instruction::kRelease); },
     "of which it holds no message"},
    {"NoSendDone", [](Plan &p) { erase(worker(p), Instruction::kSendDone); },
     "without a send_done"},
    {"WriteWhileSending",
     [](Plan &p) { // the second gradient goes to the first one's buffer, which is still sent
       find(worker(p), Instruction::kCall, 2).mutable_call()->set_buffers(1, 1);
       Instruction done = find(worker(p), Instruction::kSendDone);
       erase(worker(p), Instruction::kSendDone);
       *worker(p).mutable_instructions()->Add() = done;
       int last = worker(p).instructions_size() - 1;
       worker(p).mutable_instructions()->SwapElements(last, last - 1);
     },
     "still sends from it"},
    {"ReceiveOnReplicatedChannel",
     [](Plan &p) {
       Instruction &i = find(server(p), Instruction::kAggregate);
       i.mutable_receive()->set_channel(1);
     },
     "expected an aggregate"},
    {"AggregateKernel",
     [](Plan &p) { find(server(p), Instruction::kAggregate).mutable_aggregate()->set_add(1); },
     "cannot add a message"},
    {"AggregateChunk",
     [](Plan &p) {
       for (auto &arg :
            *p.mutable_kernels(int(find(server(p), Instruction::kAggregate).aggregate().add()))
                 ->mutable_args())
         arg.set_bytes(48);
     },
     "of 64 bytes each, or of a divisor of that"},
    {"AggregateUnalignedChunk", // its second half is no 64-byte aligned buffer
     [](Plan &p) {
       for (auto &arg :
            *p.mutable_kernels(int(find(server(p), Instruction::kAggregate).aggregate().add()))
                 ->mutable_args())
         arg.set_bytes(32);
     },
     "of 64 bytes each, or of a divisor of that and multiple of 64"},
    {"AggregateNoChunk",
     [](Plan &p) {
       for (auto &arg :
            *p.mutable_kernels(int(find(server(p), Instruction::kAggregate).aggregate().add()))
                 ->mutable_args())
         arg.set_bytes(0);
     },
     "of 64 bytes each, or of a divisor of that"},
    {"ZeroCopyArena",
     [](Plan &p) {
       p.mutable_channels(int(find(worker(p), Instruction::kSendStart).send_start().channel()))
           ->set_zero_copy(true);
     },
     "is neither a variable nor a constant"},
    {"ZeroCopyControl",
     [](Plan &p) {
       p.mutable_channels(
            int(find(server(p), Instruction::kControlReceive).control_receive().channel()))
           ->set_zero_copy(true);
     },
     "is zero-copy, but carries the control message"},
    {"ZeroCopyAndFetched",
     [](Plan &p) {
       const auto &receive = find(worker(p), Instruction::kReceive).receive();
       p.mutable_channels(int(receive.channel()))->set_zero_copy(true);
       auto *fetch = worker(p).add_fetches();
       fetch->set_name("w");
       fetch->set_buffer(receive.buffer());
     },
     "shows a message of a zero-copy channel"},
    {"FetchedMessageThenAnother",
     [](Plan &p) { // it is held until the step's end, whatever the release before it says
       Instruction receive = find(worker(p), Instruction::kReceive),
                   release = find(worker(p), Instruction::kRelease),
                   control = find(worker(p), Instruction::kControlReceive);
       worker(p).mutable_fetches(0)->set_buffer(receive.receive().buffer());
       worker(p).mutable_instructions()->RemoveLast();
       for (const Instruction &more : {receive, release, control})
         *worker(p).add_instructions() = more;
     },
     "w0.to_worker again, but a fetch or metric shows its message, which is held until the step's end"},
    {"FetchedMessageReleasedTwice",
     [](Plan &p) {
       Instruction release = find(worker(p), Instruction::kRelease);
       worker(p).mutable_fetches(0)->set_buffer(
           find(worker(p), Instruction::kReceive).receive().buffer());
       *worker(p).mutable_instructions(5) = release;
     },
     "of which it holds no message"},
    {"FetchOfNoMessage",
     [](Plan &p) {
       *worker(p).add_buffers() =
           worker(p).buffers(int(find(worker(p), Instruction::kReceive).receive().buffer()));
       worker(p).mutable_fetches(0)->set_buffer(uint32_t(worker(p).buffers_size()) - 1);
     },
     "is a message slot that no receive has bound"},
    {"NoControlReceive", [](Plan &p) { server(p).mutable_instructions()->RemoveLast(); },
     "the step does not end with a control_receive"},
    {"ControlReceiveEarly",
     [](Plan &p) {
       server(p).mutable_instructions()->SwapElements(0, server(p).instructions_size() - 1);
     },
     "not the last"},
    {"ControlChannelOfAnother",
     [](Plan &p) {
       find(server(p), Instruction::kControlReceive).mutable_control_receive()->set_channel(5);
     },
     "whose receiver is program train_step.ps1"},
    {"ControlFromAnotherTask", [](Plan &p) { p.mutable_chief()->set_index(1); },
     "but the chief is /job:worker/task:1"},
    {"ControlChannelForgotten",
     [](Plan &p) {
       find(worker(p), Instruction::kControlSend)
           .mutable_control_send()
           ->mutable_channels()
           ->RemoveLast();
     },
     "never sends"},
    {"NobodyDecides", [](Plan &p) { erase(worker(p), Instruction::kControlSend); },
     "control_receive"},
    {"TicketInSync", [](Plan &p) { find(server(p), Instruction::kCall).mutable_ticket(); },
     "ends by a control message"},
    {"ByteTotals", [](Plan &p) { worker(p).set_bytes_sent_per_step(1); },
     "send 128 and receive 128 bytes a step"},
    {"FetchBuffer", [](Plan &p) { worker(p).mutable_fetches(0)->set_buffer(99); },
     "buffer 99 does not exist"},
    {"FetchTwice", [](Plan &p) { worker(p).mutable_fetches(1)->set_name("loss0"); },
     "'loss0' twice"},
    {"MetricType",
     [](Plan &p) {
       auto *m = worker(p).add_metrics();
       m->set_name("accuracy"), m->set_sum(2), m->set_count(2);
     },
     "expected (tensor<i64> or tensor<f64>, tensor<i64>)"},
    {"InstructionLocation", [](Plan &p) { worker(p).mutable_instructions(0)->set_location(99); },
     "location 99"},
    {"ProgramOnNoDevice", [](Plan &p) { server(p).clear_device(); },
     "on the device '', expected one such as CPU:0"},
    {"ProgramOnNoKind", [](Plan &p) { server(p).set_device("TPU:0"); },
     "on the device 'TPU:0', expected"},
    {"ProgramOnAKind", [](Plan &p) { server(p).set_device("CPU"); },
     "on the device 'CPU', expected"},
    {"ProgramOnSmallLetters", [](Plan &p) { server(p).set_device("cpu:0"); },
     "on the device 'cpu:0', expected"},
    {"ProgramOnNoNumber", [](Plan &p) { server(p).set_device("CPU:-1"); },
     "on the device 'CPU:-1', expected"},
    {"ProgramOnALongNumber", [](Plan &p) { server(p).set_device("CPU:00"); },
     "on the device 'CPU:00', expected"},
    {"VariableOnNoDevice", [](Plan &p) { p.mutable_variables(0)->clear_device(); },
     "is on the device '', expected"},
    {"UnknownInstruction", [](Plan &p) { worker(p).mutable_instructions(0)->clear_kind(); },
     "of no known kind"},
    {"BatchOfNoDataset",
     [](Plan &p) { worker(p).mutable_instructions(0)->mutable_next_batch()->set_batch(1); },
     "dataset 0 does not exist"},
    {"SamplesBeyondTheMicroBatch",
     [](Plan &p) {
       Instruction::NextBatch &next = takeBatch(p);
       next.set_offset(UINT32_MAX);
       next.set_stride(UINT32_MAX);
     },
     "samples 4294967295 to 4294967295 of a micro-batch of 4294967295"},
    {"SamplesWithoutAStride", [](Plan &p) { takeBatch(p).set_offset(1); },
     "samples 1 to 1 of a micro-batch of 1"},
    {"ClassesOfFloats", [](Plan &p) { takeBatch(p).mutable_classes()->Add(3); },
     "3 classes of component 0, which is of f32"},
    {"ClassesOfAnotherNumber", [](Plan &p) { takeBatch(p).mutable_classes()->Resize(2, 0); },
     "classes for 2 of 1 components"},
    {"AsyncWithoutTicket", [](Plan &p) { erase(server(p), Instruction::kTicket); },
     "it would never end", true},
    {"AsyncTicketLater", [](Plan &p) { server(p).mutable_instructions()->SwapElements(0, 1); },
     "an update ticket behind an instruction that is no receive", true},
    {"AsyncTwoTickets",
     [](Plan &p) { *server(p).add_instructions() = find(server(p), Instruction::kTicket); },
     "an update ticket behind an instruction that is no receive", true},
    {"ConflatingAcrossTasks", [](Plan &p) { p.mutable_channels(0)->set_conflating(true); },
     "a conflating channel joins two programs of one task in a phase that ends by end of stream, not"},
    {"ConflatingControl", [](Plan &p) { p.mutable_channels(2)->set_conflating(true); },
     "is a control channel and a conflating one"},
    {"ControlAllToAll", [](Plan &p) { p.mutable_channels(2)->set_all_to_all(true); },
     "is a control channel and all to all"},
    {"ConflatingAllToAll",
     [](Plan &p) {
       p.mutable_channels(0)->set_conflating(true);
       p.mutable_channels(0)->set_all_to_all(true);
     },
     "is a conflating channel, but all to all"},
    {"ConflatingZeroCopy",
     [](Plan &p) {
       p.mutable_channels(0)->set_conflating(true);
       p.mutable_channels(0)->set_zero_copy(true);
     },
     "is a conflating channel, but zero-copy"},
    {"ReceiveAllToAll",
     [](Plan &p) {
       Channel *each = p.add_channels();
       *each = p.channels(0);
       each->set_name("each");
       each->set_sender(0), each->set_receiver(0), each->set_all_to_all(true);
       find(worker(p), Instruction::kReceive)
           .mutable_receive()
           ->set_channel(uint32_t(p.channels_size()) - 1);
     },
     "which has 2 instances and is all to all; expected an aggregate"},
    {"AsyncSpreadTicket", [](Plan &p) { worker(p).mutable_instructions(0)->mutable_ticket(); },
     "an update ticket in a program that is spread over tasks", true},
    {"ChooseFromFifo",
     [](Plan &p) { find(server(p), Instruction::kAggregate).mutable_choose()->set_channel(1); },
     "which is a fifo"},
    {"SomeOfAFifo",
     [](Plan &p) {
       find(server(p), Instruction::kAggregate).mutable_aggregate()->set_has_chosen(true);
     },
     " from a set, but it is a fifo"},
    {"AsyncWithoutLocks", [](Plan &p) { server(p).set_locks_variables(false); },
     "not all of their programs lock variables", true},
};

INSTANTIATE_TEST_SUITE_P(Rules, Verify, testing::ValuesIn(cases), nameOf);

} // namespace
} // namespace graphc::plan
