//===- SpinThenPark.h - what a lane does before it sleeps ---------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_SPINTHENPARK_H
#define GRAPHC_RUNTIME_TRANSPORT_SPINTHENPARK_H

#include "runtime/common/base/Futex.h"
#include "runtime/common/base/MonotonicClock.h"

#include "absl/time/time.h"

#include <algorithm>
#include <cstdint>
#include <sched.h>

namespace graphc::transport {

/// What a lane does in a ring's wait() before it sleeps.
///
/// First the lane spins: a peer that runs on another core answers within microseconds. After three
/// spins in vain in a row the lane spins only each 64th time. Then the lane yields its core: the
/// peer may be waiting for this very core, where there are more lanes than cores. A yield costs
/// less than a sleep and a wake-up, costs nothing where no other lane runs here, and keeps the core
/// awake. Where yields gave the core to a lane that computes for long, this lane yields less and
/// less. docs/decisions/2026-11-21-mailbox-rings.md has the figures. Of one lane.
class SpinThenPark {
public:
  /// True: ready(), or there is no time to sleep.
  template <typename Ready> bool await(const Ready &ready, absl::Duration timeout) {
    // ticks: 5, 100 and 500 us at 2 GHz
    constexpr int64_t holding = 10000, yielding = 200000, computing = 1000000;
    const int64_t begin = base::ticks(),
                  most = 2 * absl::ToInt64Nanoseconds(std::min(timeout, absl::Seconds(1)));
    int64_t time = begin;
    if (const uint32_t before = spunInVain_++; before < 3 || before % 64 == 0) {
      do {
        for (int i = 0; i < 8; ++i) {
          if (ready()) {
            spunInVain_ = 0;
            return true;
          }
          base::spinHint();
        }
        time = base::ticks();
      } while (time - begin < std::min(most, holding));
    }
    if (doesNotYield_) {
      --doesNotYield_;
    } else {
      const int64_t end = std::min(begin + most, time + yielding);
      bool is = false, lost = false;
      while (!is && time < end) {
        const int64_t before = time;
        sched_yield();
        time = base::ticks();
        lost |= time - before > computing;
        is = ready();
      }
      weigh(lost);
      if (is)
        return true;
    }
    return time - begin >= most;
  }

private:
  /// A wait whose yields were lost to one that computed outweighs 16 others; two of them, and the
  /// next waits do not yield, four times as many each time until it was well worth it again.
  void weigh(bool lost) {
    if (!lost) {
      if (losses_ && --losses_ == 0)
        rest_ = leastRest;
    } else if ((losses_ += 16) >= 32) {
      losses_ = 16;
      doesNotYield_ = rest_;
      rest_ = std::min(4 * rest_, 64 * leastRest);
    }
  }

  uint32_t spunInVain_ = 0; // waits in a row
  static constexpr uint32_t leastRest = 256;
  uint32_t losses_ = 0, rest_ = leastRest;
  uint32_t doesNotYield_ = 0; // for so many waits
};

} // namespace graphc::transport
#endif
