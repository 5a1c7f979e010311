#include "runtime/kernels/ThreadPool.h"
#include "runtime/kernels/ParallelKernelCall.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

namespace graphc::kernels {
namespace {

/// Each part writes its place without a lock: a part that is run twice, or whose write is not seen
/// at the end, shows, and the thread sanitizer watches.
struct Places {
  std::vector<uint64_t> values;
  explicit Places(uint32_t count) : values(count) {}
  static void add(void *context, uint32_t index) {
    static_cast<Places *>(context)->values[index] += index + 1;
  }
  uint64_t sum() const { return std::accumulate(values.begin(), values.end(), uint64_t(0)); }
};

TEST(ThreadPool, EachPartIsRunOnce) {
  for (uint32_t threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads);
    pool.start();
    for (uint32_t count : {0, 1, 2, 4, 7, 64})
      for (uint64_t round = 0; round < 300; ++round) {
        Places places(count);
        pool.run(count, Places::add, &places);
        ASSERT_EQ(places.sum(), uint64_t(count) * (count + 1) / 2)
            << threads << " threads, " << count << " parts";
      }
  }
}

TEST(ThreadPool, ItRunsWithoutHelpersThatNobodyStarted) {
  ThreadPool pool(4);
  Places places(5);
  pool.run(5, Places::add, &places);
  EXPECT_EQ(places.sum(), 15u);
}

TEST(ThreadPool, ItRunsWithFewerHelpersWhereThreadsCannotBeStarted) {
  pthread_attr_t before, none;
  ASSERT_EQ(pthread_getattr_default_np(&before), 0);
  ASSERT_EQ(pthread_attr_init(&none), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&none, size_t(1) << 60), 0); // more than there are addresses
  ASSERT_EQ(pthread_setattr_default_np(&none), 0);
  testing::internal::CaptureStderr();
  ThreadPool pool(4);
  EXPECT_NO_THROW(pool.start());
  EXPECT_NO_THROW(pool.start());
  std::string said = testing::internal::GetCapturedStderr();
  ASSERT_EQ(pthread_setattr_default_np(&before), 0);
  EXPECT_NE(said.find("one kernel gets 1 of 4 threads: cannot start a kernel's thread: "),
            std::string::npos)
      << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  Places places(5);
  pool.run(5, Places::add, &places);
  EXPECT_EQ(places.sum(), 15u);
}

TEST(ThreadPool, LanesShareTheHelpers) {
  ThreadPool pool(3);
  pool.start();
  std::vector<std::thread> lanes;
  std::vector<uint64_t> sums(4);
  for (size_t lane = 0; lane < sums.size(); ++lane)
    lanes.emplace_back([&, lane] {
      for (int round = 0; round < 500; ++round) {
        Places places(6);
        pool.run(6, Places::add, &places);
        sums[lane] += places.sum();
      }
    });
  for (std::thread &lane : lanes)
    lane.join();
  EXPECT_EQ(sums, std::vector<uint64_t>(4, 500 * 21));
}

// Helpers sleep between jobs; a wake-up that is lost leaves the parts to the lane, which shows as
// one thread for all of them.
TEST(ThreadPool, HelpersThatSleepAreWoken) {
  struct Parts {
    std::thread::id ran[2];
    std::atomic<int> begun{0};
    static void run(void *context, uint32_t index) {
      auto &parts = *static_cast<Parts *>(context);
      parts.ran[index] = std::this_thread::get_id();
      // Until both have begun, so that one thread alone cannot take both; 10 s are for a machine
      // under load.
      parts.begun.fetch_add(1);
      for (auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
           parts.begun.load() < 2 && std::chrono::steady_clock::now() < end;)
        std::this_thread::yield();
    }
  };
  ThreadPool pool(2);
  pool.start();
  for (int round = 0; round < 50; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    Parts parts;
    pool.run(2, Parts::run, &parts);
    ASSERT_NE(parts.ran[0], parts.ran[1]);
  }
}

// What a thread reads of the kernel before lies in its own core's cache: it begins where it began
// then.
TEST(ThreadPool, AThreadBeginsWithTheSamePartsEachTime) {
  struct Parts {
    std::atomic<uint32_t> helpersFirst{0};
    std::atomic<bool> laneBegan{false};
    const std::thread::id lane = std::this_thread::get_id();
    std::thread::id ran[8];
    static void run(void *context, uint32_t index) {
      auto &parts = *static_cast<Parts *>(context);
      parts.ran[index] = std::this_thread::get_id();
      uint32_t none = 0;
      if (parts.ran[index] != parts.lane)
        parts.helpersFirst.compare_exchange_strong(none, index);
      else
        parts.laneBegan = true;
      // Each waits for the other to have begun, or takes all parts while that one has no core; 10 s
      // are for a machine under load.
      for (auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
           (parts.helpersFirst.load() == 0 || !parts.laneBegan.load()) &&
           std::chrono::steady_clock::now() < end;)
        std::this_thread::yield();
    }
  };
  ThreadPool pool(2);
  pool.start();
  for (int round = 0; round < 50; ++round) {
    Parts parts;
    pool.run(8, Parts::run, &parts);
    ASSERT_EQ(parts.helpersFirst.load(), 4u);
    ASSERT_EQ(parts.ran[0], parts.lane);
  }
}

TEST(ThreadPool, ItEndsWhileHelpersSpinAndSleep) {
  for (int round = 0; round < 50; ++round) {
    ThreadPool pool(3);
    pool.start();
    Places places(4);
    pool.run(4, Places::add, &places);
    if (round % 2)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

/// Six blocks, each of which adds one to its place; the one that buffer 1 names fails.
int countBlocks(void *const *buffers, const GraphcContext *context) {
  auto *places = static_cast<uint64_t *>(buffers[0]);
  const uint32_t end = context->endBlock ? context->endBlock : 6;
  for (uint32_t i = context->firstBlock; i < end; ++i) {
    places[i] += context->step;
    if (i == *static_cast<const uint32_t *>(buffers[1]))
      return 7;
  }
  return 0;
}

TEST(CallInBlocks, EachBlockIsDoneOnce) {
  for (uint32_t threads : {0, 1, 3}) {
    ThreadPool pool(threads);
    pool.start();
    std::vector<uint64_t> places(6, 1);
    uint32_t none = 6;
    void *buffers[] = {places.data(), &none};
    const GraphcContext context{41, 0, 0, 0, 0};
    EXPECT_EQ(callInBlocks(countBlocks, 6, buffers, context, threads ? &pool : nullptr), 0);
    EXPECT_EQ(places, std::vector<uint64_t>(6, 42)) << threads << " threads";
  }
}

TEST(CallInBlocks, ABlockThatFailsFailsTheCall) {
  ThreadPool pool(2);
  pool.start();
  std::vector<uint64_t> places(6, 1);
  uint32_t failing = 3;
  void *buffers[] = {places.data(), &failing};
  EXPECT_EQ(callInBlocks(countBlocks, 6, buffers, {}, &pool), 7);
  EXPECT_EQ(callInBlocks(countBlocks, 6, buffers, {}, nullptr), 7);
}

} // namespace
} // namespace graphc::kernels
