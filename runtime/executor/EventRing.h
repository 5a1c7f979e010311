//===- EventRing.h - the last events of the lanes of a task -------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_EVENTRING_H
#define GRAPHC_RUNTIME_EXECUTOR_EVENTRING_H

#include "runtime/common/plan/LanePosition.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace graphc::executor {

struct LaneEvent {
  int64_t time = 0; ///< base::nowNanoseconds()
  plan::LanePosition place; ///< where the lane began to wait; Between: it ended that step
};

/// Lanes add, any thread copies; nobody waits. A copy leaves out what is being written at that
/// moment, and what was overwritten meanwhile; a lane whose slot another one is still writing, a
/// whole round behind, leaves out its own.
class EventRing {
public:
  static constexpr size_t kEvents = 1000;

  void add(const plan::LanePosition &place, int64_t time) {
    const uint64_t number = added_.fetch_add(1, std::memory_order_relaxed);
    Slot &slot = slots_[number % kEvents];
    uint64_t before = slot.number.load(std::memory_order_relaxed);
    // Another lane that was held up in the middle has the slot, or one that is a round ahead had
    // it: this event is lost.
    if (before == kWriting || before > number ||
        !slot.number.compare_exchange_strong(before, kWriting, std::memory_order_acquire,
                                             std::memory_order_relaxed))
      return;
    // whoever sees a word below of this event sees kWriting, or what comes behind
    std::atomic_thread_fence(std::memory_order_release);
    const uint64_t words[kWords] = {uint64_t(time),
                                    uint64_t(place.lane.program) << 32 | place.lane.instance,
                                    place.step,
                                    uint64_t(place.iteration) << 32 | place.instruction,
                                    uint64_t(place.doing) << 32 | place.channel,
                                    uint64_t(place.begins) << 32 | place.peer,
                                    place.stepsBefore};
    for (size_t i = 0; i < kWords; ++i)
      slot.words[i].store(words[i], std::memory_order_relaxed);
    slot.number.store(number + 1, std::memory_order_release);
  }
  uint64_t added() const { return added_.load(std::memory_order_relaxed); }
  /// In the order in which they were added.
  std::vector<LaneEvent> last() const {
    const uint64_t end = added();
    std::vector<LaneEvent> events;
    for (uint64_t number = end > kEvents ? end - kEvents : 0; number < end; ++number) {
      const Slot &slot = slots_[number % kEvents];
      if (slot.number.load(std::memory_order_acquire) != number + 1)
        continue;
      uint64_t words[kWords];
      for (size_t i = 0; i < kWords; ++i)
        words[i] = slot.words[i].load(std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (slot.number.load(std::memory_order_relaxed) != number + 1)
        continue;
      LaneEvent &event = events.emplace_back();
      event.time = int64_t(words[0]);
      event.place.lane = {uint32_t(words[1] >> 32), uint32_t(words[1])};
      event.place.step = words[2];
      event.place.iteration = uint32_t(words[3] >> 32);
      event.place.instruction = uint32_t(words[3]);
      event.place.doing = plan::LaneActivity(words[4] >> 32);
      event.place.channel = uint32_t(words[4]);
      event.place.begins = words[5] >> 32;
      event.place.peer = uint32_t(words[5]);
      event.place.stepsBefore = words[6];
    }
    return events;
  }

private:
  static constexpr size_t kWords = 7;
  static constexpr uint64_t kWriting = UINT64_MAX;
  struct alignas(64) Slot {
    /// of its event, from 1; 0: none yet; kWriting: it is being written, by one lane
    std::atomic<uint64_t> number{0};
    std::atomic<uint64_t> words[kWords] = {};
  };
  std::atomic<uint64_t> added_{0};
  std::array<Slot, kEvents> slots_;
};

} // namespace graphc::executor
#endif
