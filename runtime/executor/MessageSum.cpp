#include "runtime/executor/MessageSum.h"

#include "runtime/common/plan/SumTree.h"
#include "runtime/executor/TreeSum.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace graphc::executor {

using transport::PollState;

// Sums by the tree over the replicas whatever arrives first: bits do not depend on timing. The tree
// is one of each element, so the sum goes on with what is here of messages that are still arriving.
// The accumulator's lock is never held across a wait.
SumOutcome MessageSum::advance(const LaneInstruction &instruction, const GraphcContext &context) {
  bytes_ = program_.plan->channels(int(instruction.source->aggregate().channel())).bytes();
  while (summed_ < instruction.count) {
    PollState state = PollState::Ready; // of message `first`, the first that is not here whole
    uint32_t end = summed_, first = instruction.count;
    for (; end < instruction.count; ++end) {
      Arriving &message = messages_[end];
      if (message.isWhole(bytes_))
        continue;
      PollState seen = lookAt(instruction, end);
      if (first == instruction.count && !message.isWhole(bytes_)) {
        first = end;
        state = seen;
      }
      if (!message.seen) // what comes behind it cannot be added yet
        break;
    }
    if (first < instruction.count && bytes_ <= kMostGathered) {
      if (state == PollState::Ready) // a part of it came
        continue;
      return {
          state, first, {&ports_.receives[instruction.port + first], instruction.count - first}};
    }
    const uint64_t before = summedSoFar_;
    const uint32_t whole = summed_;
    {
      VariableLocks locks = frame_.lock(instruction);
      if (int code = addUpTo(instruction, end, context)) [[unlikely]]
        return {PollState::Ready, first, {}, code};
    }
    for (;
         summed_ < end && messages_[summed_].isWhole(bytes_) && messages_[summed_].added == bytes_;
         ++summed_) {
      messages_[summed_] = {};
      if (transport::RecvPort *port = ports_.receives[instruction.port + summed_])
        port->release();
    }
    if (summedSoFar_ == before && summed_ == whole && state != PollState::Ready)
      return {state, first};
  }
  summed_ = 0;
  return {};
}

SumOutcome MessageSum::collect(const LaneInstruction &instruction) {
  auto *all = static_cast<uint8_t *>(frame_.arguments[instruction.first]);
  for (; summed_ < instruction.count; ++summed_) {
    const void *data = nullptr;
    transport::RecvPort *port = ports_.receives[instruction.port + summed_];
    if (PollState state = port->poll(&data); state != PollState::Ready) {
      if (instruction.bytes > kMostGathered)
        return {state, summed_};
      return {state,
              summed_,
              {&ports_.receives[instruction.port + summed_], instruction.count - summed_}};
    }
    if (!ports_.fits(instruction, frame_.buffers, summed_)) [[unlikely]]
      return {.instance = summed_, .misfits = true};
    memcpy(all + instruction.bytes * summed_, data, std::min(port->size(), instruction.bytes));
    port->release();
  }
  summed_ = 0;
  return {};
}

PollState MessageSum::lookAt(const LaneInstruction &instruction, uint32_t instance) {
  Arriving &message = messages_[instance];
  const void *data = nullptr;
  uint64_t here = bytes_;
  // all to all: this instance
  if (transport::RecvPort *port = ports_.receives[instruction.port + instance]; !port)
    data = frame_.arguments[instruction.first + 1];
  else if (PollState state = port->pollStart(&data, message.here, &here); state != PollState::Ready)
    return state;
  message.seen = true;
  addends_[instance] = static_cast<const uint8_t *>(data);
  message.here = std::min(here, bytes_);
  return PollState::Ready;
}

// One pass over the sum, a chunk at a time: of each chunk the subtrees whose messages are all here,
// up to the first that is not; the sum of those before it is the subtree to its left. So nothing is
// kept between two looks but the sum, and what comes last has the messages of the last subtree to
// add.
int MessageSum::addUpTo(const LaneInstruction &instruction, uint32_t end,
                        const GraphcContext &context) {
  struct Subtree {
    uint32_t first, count;
    uint64_t added, here; // bytes from the start of its messages
  };
  std::array<Subtree, 33> subtrees; // a 32-bit number of messages has no more
  uint32_t seen = 0;
  for (uint32_t first = summed_; first < end;) {
    const auto next = uint32_t(plan::nextSubtree(first, instruction.count));
    if (next > end)
      break;
    Subtree &subtree = subtrees[seen++] = {first, next - first, messages_[first].added, bytes_};
    for (; first < next; ++first)
      subtree.here = std::min(subtree.here, messages_[first].here);
  }
  if (!seen)
    return 0;
  auto *sum = static_cast<uint8_t *>(frame_.arguments[instruction.first]);
  const uint64_t chunk = instruction.bytes;
  const TreeSum tree{instruction.kernel, &context, chunk, addends_.data(),
                     instruction.partials == LaneProgram::noPort
                         ? nullptr
                         : static_cast<uint8_t *>(frame_.arguments[instruction.partials])};
  int code = 0;
  for (uint64_t at = subtrees[seen - 1].added; at < bytes_ && !code; at += chunk) {
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
      summedSoFar_ += chunk * subtree.count;
    }
    if (i == 0)
      break;
  }
  for (uint32_t i = 0; i < seen; ++i)
    for (uint32_t k = 0; k < subtrees[i].count; ++k)
      messages_[subtrees[i].first + k].added = subtrees[i].added;
  return code;
}

} // namespace graphc::executor
