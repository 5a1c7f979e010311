// What the simulated driver says of the host's memory, by the documentation of cuMemHostRegister.
#include "test/cuda/HostMemory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sys/mman.h>

namespace graphc::fake {
namespace {

using Kind = HostMemory::Kind;
constexpr uint64_t kTestPage = 4096;

class HostMemoryTest : public testing::Test {
protected:
  uint8_t *map(uint64_t pages, int protection = PROT_READ | PROT_WRITE) {
    return static_cast<uint8_t *>(
        ::mmap(nullptr, pages * kTestPage, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  HostMemory memory;
};

TEST_F(HostMemoryTest, IsPinnedFromRegisteringToUnregistering) {
  uint8_t *pages = map(4);
  EXPECT_EQ(memory.find(pages, 1), Kind::Pageable);
  EXPECT_EQ(memory.add(pages, 2 * kTestPage, 1), 0);
  EXPECT_EQ(memory.find(pages, 2 * kTestPage), Kind::Pinned);
  EXPECT_EQ(memory.find(pages + kTestPage, kTestPage + 1), Kind::Pageable) << "not all of it";
  EXPECT_EQ(memory.remove(pages), 0);
  EXPECT_EQ(memory.find(pages, 1), Kind::Pageable);
  ::munmap(pages, 4 * kTestPage);
}

TEST_F(HostMemoryTest, IsRegisteredOnce) {
  uint8_t *pages = map(4);
  EXPECT_EQ(memory.add(pages + kTestPage, kTestPage, 1), 0);
  EXPECT_EQ(memory.add(pages + kTestPage, kTestPage, 1), HostMemory::kAlreadyRegistered);
  EXPECT_EQ(memory.add(pages, kTestPage + 64, 1), HostMemory::kAlreadyRegistered) << "overlapping";
  EXPECT_EQ(memory.add(pages, kTestPage, 1), 0);
  EXPECT_EQ(memory.remove(pages + 64), HostMemory::kNotRegistered);
  EXPECT_EQ(memory.add(nullptr, kTestPage, 1), HostMemory::kInvalidValue);
  EXPECT_EQ(memory.add(pages + 2 * kTestPage, 0, 1), HostMemory::kInvalidValue);
  ::munmap(pages, 4 * kTestPage);
}

TEST_F(HostMemoryTest, WhatIsReadOnlyHasToBeCalledSo) {
  uint8_t *pages = map(2, PROT_READ), *none = map(1, PROT_NONE);
  EXPECT_EQ(memory.add(pages, kTestPage, 1), HostMemory::kInvalidValue);
  EXPECT_EQ(memory.add(none, kTestPage, HostMemory::kReadOnly), HostMemory::kInvalidValue);
  EXPECT_EQ(memory.add(pages, kTestPage, 1 | HostMemory::kReadOnly), 0);
  EXPECT_EQ(memory.find(pages, kTestPage), Kind::PinnedReadOnly);
  ::setenv("GRAPHC_FAKE_NO_READ_ONLY", "1", 1);
  EXPECT_EQ(memory.add(pages + kTestPage, kTestPage, 1 | HostMemory::kReadOnly),
            HostMemory::kNotSupported);
  ::unsetenv("GRAPHC_FAKE_NO_READ_ONLY");
  ::munmap(pages, 2 * kTestPage);
  ::munmap(none, kTestPage);
}

TEST_F(HostMemoryTest, IsUnregisteredBeforeItIsUnmapped) {
  uint8_t *pages = map(1);
  ASSERT_EQ(memory.add(pages, kTestPage, 1), 0);
  EXPECT_DEATH(
      {
        ::munmap(pages, kTestPage);
        memory.remove(pages);
      },
      "memory was unmapped before it was unregistered");
  ::munmap(pages, kTestPage);
}

} // namespace
} // namespace graphc::fake
