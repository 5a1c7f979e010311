#include "test/fuzz/Mutate.h"

#include "runtime/plan/AllReduce.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

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
  const FieldDescriptor *field = fields.empty() || random() % 4 == 0
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
          &message, field, i, uint32_t(other(reflection->GetRepeatedUInt32(message, field, i), size, random)));
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT64)
      return reflection->SetRepeatedInt64(
          &message, field, i, int64_t(other(uint64_t(reflection->GetRepeatedInt64(message, field, i)), size, random)));
    return;
  }
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_MESSAGE:
    if (reflection->HasField(message, field))
      changeNumber(*reflection->MutableMessage(&message, field), size, random);
    return;
  case FieldDescriptor::CPPTYPE_UINT32:
    return reflection->SetUInt32(&message, field, uint32_t(other(reflection->GetUInt32(message, field), size, random)));
  case FieldDescriptor::CPPTYPE_UINT64:
    return reflection->SetUInt64(&message, field, other(reflection->GetUInt64(message, field), size, random));
  case FieldDescriptor::CPPTYPE_INT64:
    return reflection->SetInt64(&message, field,
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
         (instruction.has_all_reduce_start() && instruction.all_reduce_start().channel() == channel) ||
         (instruction.has_all_reduce_done() && instruction.all_reduce_done().channel() == channel) ||
         (instruction.has_choose() && instruction.choose().channel() == channel);
}

/// Once more all that sends and receives on a channel, at one place in each of its programs, or at one each.
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

namespace {

const plan::Channel *channelOf(const plan::Plan &plan, uint32_t index) {
  return index < uint32_t(plan.channels_size()) ? &plan.channels(int(index)) : nullptr;
}

void addUpBytes(const plan::Plan &plan, plan::Program &program) {
  uint64_t sent = 0, received = 0;
  for (const plan::Instruction &instruction : program.instructions()) {
    if (instruction.has_send_start())
      if (const plan::Channel *c = channelOf(plan, instruction.send_start().channel()); c && !c->latest())
        sent += c->bytes() * (c->all_to_all() ? c->instances() - 1 : program.instances() == 1 ? c->instances() : 1);
    if (instruction.has_receive())
      if (const plan::Channel *c = channelOf(plan, instruction.receive().channel()); c && !c->latest())
        received += c->bytes();
    if (instruction.has_aggregate())
      if (const plan::Channel *c = channelOf(plan, instruction.aggregate().channel()); c && !c->latest())
        received += c->bytes() * (c->instances() - c->all_to_all());
    if (instruction.has_all_reduce_start()) {
      const auto &start = instruction.all_reduce_start();
      const plan::Channel *c = channelOf(plan, start.channel());
      if (!c || c->bytes() == 0 || start.buffer() >= uint32_t(program.buffers_size()) || c->instances() > 64)
        continue;
      uint64_t chunks = program.buffers(int(start.buffer())).bytes() / c->bytes();
      if (!plan::checkAllReduce(c->algorithm(), c->instances(), chunks).ok())
        continue;
      uint64_t bytes = c->bytes() * plan::allReduceMessages(c->algorithm(), c->instances(), chunks);
      sent += bytes, received += bytes;
    }
  }
  program.set_bytes_sent_per_step(sent);
  program.set_bytes_received_per_step(received);
}

enum End { Send, Done, Receive, Release, Acquire };

/// The events that Certificate.h numbers, and the edges between them.
class Numbers {
public:
  explicit Numbers(plan::Plan &plan) : plan(plan), ends(size_t(plan.channels_size())) {
    for (int p = 0; p < plan.programs_size(); ++p) {
      first.push_back(ranks.size());
      for (const plan::Instruction &i : plan.programs(p).instructions())
        add(i);
    }
    first.push_back(ranks.size());
    for (size_t p = 0; p + 1 < first.size(); ++p)
      for (size_t e = first[p] + 1; e < first[p + 1]; ++e)
        edges.emplace_back(e - 1, e);
    for (int c = 0; c < plan.channels_size(); ++c)
      join(plan.channels(c), ends[size_t(c)], ahead.contains(uint32_t(c)));
  }

  /// Relaxes until nothing changes, or as often as only a circle would need.
  void assign() {
    bool changed = true;
    for (size_t round = 0; changed && round <= ranks.size(); ++round) {
      changed = false;
      for (auto [before, after] : edges)
        if (ranks[after] <= ranks[before])
          ranks[after] = ranks[before] + 1, changed = true;
    }
    for (int p = 0; p < plan.programs_size(); ++p) {
      plan.mutable_programs(p)->clear_event_ranks();
      for (size_t e = first[size_t(p)]; e < first[size_t(p) + 1]; ++e)
        plan.mutable_programs(p)->add_event_ranks(ranks[e]);
    }
  }

private:
  void event(End end, uint32_t channel) {
    const plan::Channel *c = channelOf(plan, channel);
    if (c && c->control() && c->sender() == c->receiver())
      return;
    if (c)
      ends[channel][end].push_back(ranks.size());
    ranks.push_back(1);
  }
  void add(const plan::Instruction &i) {
    if (i.has_send_start()) {
      event(Send, i.send_start().channel());
      if (i.send_start().ahead())
        ahead.insert(i.send_start().channel());
    }
    if (i.has_acquire())
      event(Acquire, i.acquire().channel());
    if (i.has_send_done())
      event(Done, i.send_done().channel());
    if (i.has_receive())
      event(Receive, i.receive().channel());
    if (i.has_aggregate())
      event(Receive, i.aggregate().channel());
    if (i.has_choose())
      event(Receive, i.choose().channel());
    if (i.has_all_reduce_start())
      event(Send, i.all_reduce_start().channel());
    if (i.has_all_reduce_done())
      event(Receive, i.all_reduce_done().channel());
    if (i.has_release())
      event(Release, i.release().channel());
    if (i.has_control_receive() && !i.control_receive().local())
      event(Receive, i.control_receive().channel());
    for (uint32_t channel : i.control_send().channels())
      event(Send, channel);
  }
  /// `ahead`: the message sent is the next step's, as many as one a channel.
  void join(const plan::Channel &channel, std::array<std::vector<size_t>, 5> &of, size_t ahead) {
    auto &freed = of[Release].empty() ? of[Receive] : of[Release];
    auto &takers = of[Acquire].empty() ? of[Send] : of[Acquire];
    for (size_t k = 0; k < of[Send].size(); ++k) {
      if (k >= ahead && k < of[Receive].size())
        edges.emplace_back(of[Send][k - ahead], of[Receive][k]);
      if (channel.published() && k < freed.size() && k < of[Done].size())
        edges.emplace_back(freed[k], of[Done][k]);
      if (k + ahead >= channel.capacity() && !channel.latest() && k + ahead - channel.capacity() < freed.size() &&
          k < takers.size())
        edges.emplace_back(freed[k + ahead - channel.capacity()], takers[k]);
    }
  }

  plan::Plan &plan;
  std::vector<uint32_t> ranks;
  std::vector<size_t> first; // event of each program
  std::vector<std::array<std::vector<size_t>, 5>> ends; // by channel and End
  std::vector<std::pair<size_t, size_t>> edges;
  std::set<uint32_t> ahead; // channels whose message is sent a step before it is taken
};

} // namespace

void mend(plan::Plan &plan) {
  for (plan::Program &program : *plan.mutable_programs())
    addUpBytes(plan, program);
  Numbers(plan).assign();
}

} // namespace graphc::test
