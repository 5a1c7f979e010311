// The table of effects names everything that an instruction names: fields are found by reflection,
// so that neither a new kind of instruction nor a new field of one can be left out of it.
#include "runtime/common/plan/InstructionTable.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace graphc::plan {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

/// What an instruction's numbers mean; a name that is in none of these fails the test.
/// StandalonePlan.cpp renumbers channels, kernels and data sets by these names: one more name has
/// to go there as well.
const std::set<std::string> buffers = {"buffer", "buffers",  "scratch", "own",
                                       "chosen", "version",  "valid",   "from",
                                       "to",     "partials", "units"};
const std::set<std::string> channels = {"channel", "channels"};
const std::set<std::string> kernels = {"kernel", "add"};
const std::set<std::string> others = {"ahead",       "deal",          "has_own",  "has_chosen",
                                      "has_valid",   "dataset",       "batch",    "local",
                                      "micro_batch", "micro_batches", "take",     "max_staleness",
                                      "offset",      "stride",        "pad_last", "queue",
                                      "n",           "count",         "length",   "per_leaf"};
/// Sets every field: numbers to ones that occur once, flags to `flags`.
struct Filled {
  std::multiset<uint32_t> buffers, channels, kernels;

  void fill(google::protobuf::Message &message, bool flags) {
    const Reflection &reflection = *message.GetReflection();
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor *field = message.GetDescriptor()->field(i);
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
        reflection.SetBool(&message, field, flags && field->name() != "local");
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32) {
        const std::string &kind = message.GetDescriptor()->name();
        const bool optional =
            field->name() == "own" || field->name() == "valid" ||
            (kind == "Aggregate" && (field->name() == "chosen" || field->name() == "scratch"));
        for (int n = 0; n < (field->is_repeated() ? 2 : 1); ++n) {
          ++next_;
          if (field->is_repeated())
            reflection.AddUInt32(&message, field, next_);
          else
            reflection.SetUInt32(&message, field, next_);
          if (optional && !flags)
            continue;
          note(field->name(), next_);
        }
      }
    }
  }

private:
  void note(const std::string &name, uint32_t number) {
    if (plan::buffers.contains(name))
      buffers.insert(number);
    else if (plan::channels.contains(name))
      channels.insert(number);
    else if (plan::kernels.contains(name))
      kernels.insert(number);
    else
      EXPECT_TRUE(others.contains(name)) << "is " << name << " a buffer, a channel or a kernel?";
  }
  uint32_t next_ = 100;
};

TEST(Effects, EveryKindNamesAllThatItTouches) {
  Plan plan; // has none of what is named
  Program program;
  program.set_instances(2);
  const google::protobuf::OneofDescriptor *kinds =
      Instruction::descriptor()->FindOneofByName("kind");
  ASSERT_NE(kinds, nullptr);
  ASSERT_GE(kinds->field_count(), 14);
  for (int i = 0; i < kinds->field_count(); ++i)
    for (bool flags : {false, true}) {
      Instruction instruction;
      Filled filled;
      filled.fill(*instruction.GetReflection()->MutableMessage(&instruction, kinds->field(i)),
                  flags);
      const InstructionEffects effects = effectsOf(plan, program, instruction);
      std::multiset<uint32_t> buffersFound, channelsFound, kernelsFound;
      for (const BufferEffect &effect : effects.buffers)
        buffersFound.insert(effect.buffer);
      for (const ChannelEffect &effect : effects.channels)
        channelsFound.insert(effect.channel);
      if (effects.kernel)
        kernelsFound.insert(*effects.kernel);
      EXPECT_EQ(buffersFound, filled.buffers) << kinds->field(i)->name();
      EXPECT_EQ(channelsFound, filled.channels) << kinds->field(i)->name();
      EXPECT_EQ(kernelsFound, filled.kernels) << kinds->field(i)->name();
    }
}

TEST(Effects, WhatIsLentNamesOneChannel) {
  Plan plan;
  Program program;
  const google::protobuf::OneofDescriptor *kinds =
      Instruction::descriptor()->FindOneofByName("kind");
  for (int i = 0; i < kinds->field_count(); ++i) {
    Instruction instruction;
    Filled().fill(*instruction.GetReflection()->MutableMessage(&instruction, kinds->field(i)),
                  true);
    const InstructionEffects effects = effectsOf(plan, program, instruction);
    for (const BufferEffect &effect : effects.buffers)
      EXPECT_TRUE(effect.until == BufferHold::End || effects.channels.size() == 1)
          << kinds->field(i)->name();
  }
}

TEST(Effects, TheControlMessageThatAProgramOfOneInstanceTakesFromItselfHasNoChannel) {
  Plan plan;
  Program program;
  program.set_instances(1);
  Instruction instruction;
  instruction.mutable_control_receive()->set_local(true);
  EXPECT_TRUE(effectsOf(plan, program, instruction).channels.empty());
}

/// What a plan may do rests on these facts: the verifier asks them of bytes from outside.
TEST(Facts, WhatWaitsForOthersNeitherRunsAheadNorEndsAlone) {
  using I = Instruction;
  for (const I::KindCase kind : {I::kReceive, I::kRelease, I::kAcquire, I::kSendStart, I::kSendDone,
                                 I::kAggregate, I::kCollect, I::kAllReduceStart, I::kAllReduceDone,
                                 I::kChoose, I::kControlSend, I::kControlReceive, I::kTicket}) {
    ASSERT_NE(factsOf(kind), nullptr);
    EXPECT_FALSE(factsOf(kind)->runsAhead) << factsOf(kind)->text;
    EXPECT_FALSE(factsOf(kind)->endsAlone) << factsOf(kind)->text;
    EXPECT_FALSE(factsOf(kind)->isPlain) << factsOf(kind)->text;
  }
  for (const I::KindCase kind :
       {I::kNextBatch, I::kRepeat, I::kAccumulate, I::kCopy, I::kSignal, I::kWait})
    EXPECT_FALSE(factsOf(kind)->endsAlone) << factsOf(kind)->text;
  for (const I::KindCase kind :
       {I::kRepeat, I::kAggregate, I::kCollect, I::kAllReduceStart, I::kAllReduceDone, I::kChoose,
        I::kControlSend, I::kControlReceive, I::kTicket})
    EXPECT_FALSE(factsOf(kind)->inLoops) << factsOf(kind)->text;
  EXPECT_EQ(factsOf(I::KIND_NOT_SET), nullptr);
}

} // namespace
} // namespace graphc::plan
