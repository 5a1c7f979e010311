#include "runtime/executor/MessageSum.h"

#include "runtime/common/plan/SumTree.h"
#include "runtime/executor/TreeSum.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace graphc::executor {

using transport::PollState;

// Sums by the tree over the replicas whatever arrives first: bits do not depend on timing. The tree is one of each element, so
// the sum goes on with what is here of messages that are still arriving. The accumulator's lock is never held across a wait.
SumOutcome MessageSum::advance(const LaneInstruction &instruction, const GraphcContext &context) {
  bytes = program.plan->channels(int(instruction.source->aggregate().channel())).bytes();
  while (summed < instruction.count) {
    PollState state = PollState::Ready; // of message `first`, the first that is not here whole
    uint32_t end = summed, first = instruction.count;
    for (; end < instruction.count; ++end) {
      Arriving &message = messages[end];
      if (message.isWhole(bytes))
        continue;
      PollState seen = lookAt(instruction, end);
      if (first == instruction.count && !message.isWhole(bytes)) {
        first = end;
        state = seen;
      }
      if (!message.seen) // what comes behind it cannot be added yet
        break;
    }
    if (first < instruction.count && bytes <= kMostGathered) {
      if (state == PollState::Ready) // a part of it came
        continue;
      return {state, first, {&ports.receives[instruction.port + first], instruction.count - first}};
    }
    const uint64_t before = summedSoFar;
    const uint32_t whole = summed;
    {
      VariableLocks locks = frame.lock(instruction);
      if (int code = addUpTo(instruction, end, context)) [[unlikely]]
        return {PollState::Ready, first, {}, code};
    }
    for (; summed < end && messages[summed].isWhole(bytes) && messages[summed].added == bytes; ++summed) {
      messages[summed] = {};
      if (transport::RecvPort *port = ports.receives[instruction.port + summed])
        port->release();
    }
    if (summedSoFar == before && summed == whole && state != PollState::Ready)
      return {state, first};
  }
  summed = 0;
  return {};
}

SumOutcome MessageSum::collect(const LaneInstruction &instruction) {
  auto *all = static_cast<uint8_t *>(frame.arguments[instruction.first]);
  for (; summed < instruction.count; ++summed) {
    const void *data = nullptr;
    transport::RecvPort *port = ports.receives[instruction.port + summed];
    if (PollState state = port->poll(&data); state != PollState::Ready) {
      if (instruction.bytes > kMostGathered)
        return {state, summed};
      return {state, summed, {&ports.receives[instruction.port + summed], instruction.count - summed}};
    }
    if (!ports.fits(instruction, frame.buffers, summed)) [[unlikely]]
      return {.instance = summed, .misfits = true};
    memcpy(all + instruction.bytes * summed, data, std::min(port->size(), instruction.bytes));
    port->release();
  }
  summed = 0;
  return {};
}

PollState MessageSum::lookAt(const LaneInstruction &instruction, uint32_t instance) {
  Arriving &message = messages[instance];
  const void *data = nullptr;
  uint64_t here = bytes;
  if (transport::RecvPort *port = ports.receives[instruction.port + instance]; !port) // all to all: this instance
    data = frame.arguments[instruction.first + 1];
  else if (PollState state = port->pollStart(&data, message.here, &here); state != PollState::Ready)
    return state;
  message.seen = true;
  addends[instance] = static_cast<const uint8_t *>(data);
  message.here = std::min(here, bytes);
  return PollState::Ready;
}

// One pass over the sum, a chunk at a time: of each chunk the subtrees whose messages are all here, up to the first that is not; the
// sum of those before it is the subtree to its left. So nothing is kept between two looks but the sum, and what comes last has
// the messages of the last subtree to add.
int MessageSum::addUpTo(const LaneInstruction &instruction, uint32_t end, const GraphcContext &context) {
  struct Subtree {
    uint32_t first, count;
    uint64_t added, here; // bytes from the start of its messages
  };
  std::array<Subtree, 33> subtrees; // a 32-bit number of messages has no more
  uint32_t seen = 0;
  for (uint32_t first = summed; first < end;) {
    const auto next = uint32_t(plan::nextSubtree(first, instruction.count));
    if (next > end)
      break;
    Subtree &subtree = subtrees[seen++] = {first, next - first, messages[first].added, bytes};
    for (; first < next; ++first)
      subtree.here = std::min(subtree.here, messages[first].here);
  }
  if (!seen)
    return 0;
  auto *sum = static_cast<uint8_t *>(frame.arguments[instruction.first]);
  const uint64_t chunk = instruction.bytes;
  const TreeSum tree{instruction.kernel, &context, chunk, addends.data(),
                     instruction.partials == LaneProgram::noPort
                         ? nullptr
                         : static_cast<uint8_t *>(frame.arguments[instruction.partials])};
  int code = 0;
  for (uint64_t at = subtrees[seen - 1].added; at < bytes && !code; at += chunk) {
    uint32_t i = 0;
    for (; i < seen && at + chunk <= subtrees[i].here; ++i) {
      Subtree &subtree = subtrees[i];
      if (at < subtree.added)
        continue;
      code = subtree.first ? tree.add(sum + at, subtree.first, subtree.count, at)
                           : tree.make(sum + at, 0, subtree.count, at);
      if (code)
        break;
      subtree.added = at + chunk;
      summedSoFar += chunk * subtree.count;
    }
    if (i == 0)
      break;
  }
  for (uint32_t i = 0; i < seen; ++i)
    for (uint32_t k = 0; k < subtrees[i].count; ++k)
      messages[subtrees[i].first + k].added = subtrees[i].added;
  return code;
}

} // namespace graphc::executor
