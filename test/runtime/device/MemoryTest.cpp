#include "runtime/device/Memory.h"

#include <gtest/gtest.h>

namespace graphc::device {
namespace {

TEST(Memory, AlignedAndZero) {
  for (uint64_t bytes : {1, 64, 100, 4096, 5000000})
    for (Memory::Guard guard : {Memory::Guard::None, Memory::Guard::Pages}) {
      auto memory = Memory::allocate(bytes, guard, "x");
      ASSERT_TRUE(memory.ok());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(memory->data()) % alignment, 0u);
      EXPECT_EQ(memory->size(), bytes);
      for (uint64_t i = 0; i < bytes; i += 63)
        ASSERT_EQ(memory->data()[i], 0);
    }
}

TEST(Memory, ImpossibleSizesAreErrors) {
  absl::Status status = Memory::allocate(uint64_t(1) << 60, Memory::Guard::Pages, "arena of train.ps0").status();
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_NE(std::string(status.message()).find("arena of train.ps0"), std::string::npos);
}

TEST(MemoryDeathTest, GuardsStopOverruns) {
  auto memory = Memory::allocate(640, Memory::Guard::Pages, "x");
  volatile uint8_t *data = memory->data();
  data[639] = 1;
  EXPECT_DEATH(data[640] = 1, "");
  EXPECT_DEATH(data[-4096] = 1, "");
}

} // namespace
} // namespace graphc::device
