#include "test/fuzz/Mutate.h"

#include <google/protobuf/message.h>

#include <algorithm>

namespace graphc::test {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

namespace {

uint64_t other(uint64_t old, uint64_t size, Random &random) {
  switch (random() % 8) {
  case 0:
    return old + 1;
  case 1:
    return old - 1;
  case 2:
    return old + 64;
  case 3:
    return old * 2;
  default: // another index, mostly one that exists
    return random() % (size + 1);
  }
}

/// Changes one number somewhere below the message.
void changeNumber(Message &message, uint64_t size, Random &random) {
  const Reflection *reflection = message.GetReflection();
  std::vector<const FieldDescriptor *> fields;
  reflection->ListFields(message, &fields);
  const auto *descriptor = message.GetDescriptor();
  if (descriptor->field_count() == 0)
    return;
  // Mostly what is there; sometimes a flag or number that has its default.
  const FieldDescriptor *field =
      fields.empty() || random() % 4 == 0
          ? descriptor->field(int(random() % uint64_t(descriptor->field_count())))
          : fields[random() % fields.size()];
  if (field->is_repeated()) {
    int count = reflection->FieldSize(message, field);
    if (count == 0)
      return;
    int i = int(random() % uint64_t(count));
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
      return changeNumber(*reflection->MutableRepeatedMessage(&message, field, i), size, random);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32)
      return reflection->SetRepeatedUInt32(
          &message, field, i,
          uint32_t(other(reflection->GetRepeatedUInt32(message, field, i), size, random)));
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT64)
      return reflection->SetRepeatedInt64(
          &message, field, i,
          int64_t(other(uint64_t(reflection->GetRepeatedInt64(message, field, i)), size, random)));
    return;
  }
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_MESSAGE:
    if (reflection->HasField(message, field))
      changeNumber(*reflection->MutableMessage(&message, field), size, random);
    return;
  case FieldDescriptor::CPPTYPE_UINT32:
    return reflection->SetUInt32(
        &message, field, uint32_t(other(reflection->GetUInt32(message, field), size, random)));
  case FieldDescriptor::CPPTYPE_UINT64:
    return reflection->SetUInt64(&message, field,
                                 other(reflection->GetUInt64(message, field), size, random));
  case FieldDescriptor::CPPTYPE_INT64:
    return reflection->SetInt64(
        &message, field,
        int64_t(other(uint64_t(reflection->GetInt64(message, field)), size, random)));
  case FieldDescriptor::CPPTYPE_BOOL:
    return reflection->SetBool(&message, field, !reflection->GetBool(message, field));
  case FieldDescriptor::CPPTYPE_ENUM:
    return reflection->SetEnumValue(&message, field, int(random() % 5));
  default:
    return;
  }
}

/// Takes the element at `from` to `to`.
template <typename List> void move(List &list, int from, int to) {
  for (int i = from; i < to; ++i)
    list.SwapElements(i, i + 1);
  for (int i = from; i > to; --i)
    list.SwapElements(i, i - 1);
}

bool isMessageOf(const plan::Instruction &instruction, uint32_t channel) {
  return (instruction.has_send_start() && instruction.send_start().channel() == channel) ||
         (instruction.has_send_done() && instruction.send_done().channel() == channel) ||
         (instruction.has_acquire() && instruction.acquire().channel() == channel) ||
         (instruction.has_receive() && instruction.receive().channel() == channel) ||
         (instruction.has_release() && instruction.release().channel() == channel) ||
         (instruction.has_aggregate() && instruction.aggregate().channel() == channel) ||
         (instruction.has_all_reduce_start() &&
          instruction.all_reduce_start().channel() == channel) ||
         (instruction.has_all_reduce_done() &&
          instruction.all_reduce_done().channel() == channel) ||
         (instruction.has_choose() && instruction.choose().channel() == channel);
}

/// Once more all that sends and receives on a channel, at one place in each of its programs, or at
/// one each.
void doubleMessage(plan::Plan &plan, Random &random) {
  if (plan.channels_size() == 0)
    return;
  uint32_t channel = uint32_t(random() % uint64_t(plan.channels_size()));
  bool scattered = random() % 2;
  for (plan::Program &program : *plan.mutable_programs()) {
    std::vector<plan::Instruction> all;
    for (const plan::Instruction &instruction : program.instructions())
      if (isMessageOf(instruction, channel))
        all.push_back(instruction);
    int to = int(random() % uint64_t(program.instructions_size() + 1));
    for (const plan::Instruction &instruction : all) {
      *program.add_instructions() = instruction;
      move(*program.mutable_instructions(), program.instructions_size() - 1, to);
      if (scattered)
        to += 1 + int(random() % uint64_t(program.instructions_size() - to));
      else
        ++to;
      to = std::min(to, program.instructions_size());
    }
  }
}

void changeInstructions(plan::Program &program, Random &random) {
  auto *list = program.mutable_instructions();
  uint64_t size = uint64_t(list->size());
  if (size == 0)
    return;
  int i = int(random() % size), j = int(random() % size);
  switch (random() % 5) {
  case 0:
    return list->SwapElements(i, j);
  case 1:
  case 2:
    return move(*list, i, j);
  case 3:
    return list->DeleteSubrange(i, 1);
  default: {
    plan::Instruction again = list->Get(i);
    *list->Add() = again;
    return move(*list, list->size() - 1, j);
  }
  }
}

} // namespace

void mutatePlan(plan::Plan &plan, Random &random) {
  if (plan.programs_size() == 0)
    return;
  plan::Program &program = *plan.mutable_programs(int(random() % uint64_t(plan.programs_size())));
  auto anyOf = [&](auto *list) { return list->Mutable(int(random() % uint64_t(list->size()))); };
  switch (random() % 16) {
  case 0:
  case 1:
  case 2:
  case 3:
  case 4:
    return changeInstructions(program, random);
  case 5:
  case 6:
    return doubleMessage(plan, random);
  case 7:
  case 8:
  case 9:
    if (program.instructions_size())
      changeNumber(*anyOf(program.mutable_instructions()),
                   uint64_t(std::max(program.buffers_size(), plan.channels_size())), random);
    return;
  case 10:
    if (program.buffers_size())
      changeNumber(*anyOf(program.mutable_buffers()), uint64_t(plan.channels_size()), random);
    return;
  case 11:
  case 12:
    if (plan.channels_size())
      changeNumber(*anyOf(plan.mutable_channels()), uint64_t(plan.programs_size()), random);
    return;
  case 13:
    if (plan.kernels_size())
      changeNumber(*anyOf(plan.mutable_kernels()), 28, random);
    return;
  case 14:
    if (plan.phases_size())
      changeNumber(*anyOf(plan.mutable_phases()), uint64_t(plan.programs_size()), random);
    return;
  default:
    if (program.fetches_size() && random() % 2)
      changeNumber(*anyOf(program.mutable_fetches()), uint64_t(program.buffers_size()), random);
    else
      changeNumber(program, uint64_t(program.buffers_size()), random);
  }
}

} // namespace graphc::test
