#include "runtime/device/MemoryRegion.h"

#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

namespace graphc::device {
namespace {

TEST(MemoryRegion, AlignedAndZero) {
  for (uint64_t bytes : {1, 64, 100, 4096, 5000000})
    for (MemoryRegion::Guard guard : {MemoryRegion::Guard::None, MemoryRegion::Guard::Pages}) {
      auto memory = MemoryRegion::allocate(bytes, guard, "x");
      ASSERT_TRUE(memory.ok());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(memory->data()) % alignment, 0u);
      EXPECT_EQ(memory->size(), bytes);
      for (uint64_t i = 0; i < bytes; i += 63)
        ASSERT_EQ(memory->data()[i], 0);
    }
}

/// Of the address space of this process, in bytes.
uint64_t mapped() {
  std::ifstream file("/proc/self/statm");
  uint64_t pages = 0;
  file >> pages;
  return pages * uint64_t(sysconf(_SC_PAGESIZE));
}

// Whether the kernel has huge pages is its own affair; where they could be is ours.
TEST(MemoryRegion, LargeMemoryHasRoomForHugePages) {
  constexpr uint64_t huge = 2 << 20;
  for (uint64_t bytes : {huge / 4 * 3, huge, huge + 1, 3 * huge - 100})
    for (MemoryRegion::Guard guard : {MemoryRegion::Guard::None, MemoryRegion::Guard::Pages}) {
      const uint64_t before = mapped();
      auto memory = MemoryRegion::allocate(bytes, guard, "x");
      ASSERT_TRUE(memory.ok());
      // What was mapped to find the place is given back.
      EXPECT_LE(mapped() - before, bytes + huge / 4 + 4 * 4096) << bytes;
      const auto begin = reinterpret_cast<uintptr_t>(memory->data());
      EXPECT_EQ(guard == MemoryRegion::Guard::None ? begin % huge
                                                   : (begin + (bytes + 63) / 64 * 64) % huge,
                0u)
          << bytes;
      memset(memory->data(), 1, bytes);
    }
}

TEST(MemoryRegion, ImpossibleSizesAreErrors) {
  absl::Status status =
      MemoryRegion::allocate(uint64_t(1) << 60, MemoryRegion::Guard::Pages, "arena of train.ps0")
          .status();
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_NE(std::string(status.message()).find("arena of train.ps0"), std::string::npos);
}

TEST(MemoryRegion, SharedMemoryIsSeenThroughItsDescriptorAndKeepsItsSize) {
  auto memory = MemoryRegion::share(10000, "zero-copy variables");
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_EQ(memory->size(), 10000u);
  memory->data()[9999] = 7;
  MemoryRegion moved = *std::move(memory);
  void *reader = ::mmap(nullptr, 12288, PROT_READ, MAP_SHARED, moved.descriptor(), 0);
  ASSERT_NE(reader, MAP_FAILED);
  EXPECT_EQ(static_cast<uint8_t *>(reader)[9999], 7);
  ::munmap(reader, 12288);
  EXPECT_NE(::ftruncate(moved.descriptor(), 4096), 0) << "a reader would die of SIGBUS";
  EXPECT_TRUE(absl::IsResourceExhausted(MemoryRegion::share(uint64_t(1) << 60, "x").status()));
}

TEST(MemoryRegion, JoinedPiecesAreTheSamePages) {
  auto one = MemoryRegion::share(12288, "one"), other = MemoryRegion::share(8192, "other");
  ASSERT_TRUE(one.ok() && other.ok());
  const std::span<const uint8_t> pieces[] = {{other->data() + 4096, 4096}, {one->data(), 8192}};
  auto joined = MemoryRegion::join(pieces, "both");
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(joined->size(), 12288u);
  one->data()[8191] = 7, other->data()[4096] = 9;
  EXPECT_EQ(joined->data()[12287], 7);
  EXPECT_EQ(joined->data()[0], 9);
  one->data()[4096] = 8;
  EXPECT_EQ(joined->data()[8192], 8);
  *one = MemoryRegion(); // its pages stay as long as somebody sees them
  EXPECT_EQ(joined->data()[12287], 7);
  const std::span<const uint8_t> nothing[] = {{static_cast<const uint8_t *>(nullptr), 4096}};
  EXPECT_TRUE(absl::IsResourceExhausted(MemoryRegion::join(nothing, "no pages").status()));
  EXPECT_DEATH(const_cast<volatile uint8_t *>(joined->data())[0] = 1, "")
      << "the pages are others'";
}

TEST(MemoryDeathTest, GuardsStopOverruns) {
  for (int64_t bytes : {640, 4 << 20}) {
    auto memory = MemoryRegion::allocate(uint64_t(bytes), MemoryRegion::Guard::Pages, "x");
    volatile uint8_t *data = memory->data();
    data[bytes - 1] = 1;
    EXPECT_DEATH(data[bytes] = 1, "");
    EXPECT_DEATH(data[-4096] = 1, "");
  }
}

} // namespace
} // namespace graphc::device
