#include "runtime/session/master/FileWatchdog.h"

#include "absl/time/clock.h"
#include <gtest/gtest.h>

#include <optional>

namespace graphc::session {
namespace {

TEST(FileWatchdog, NamesTheWorkThatTakesTooLong) {
  FileWatchdog watch(absl::Minutes(2));
  const absl::Time far = absl::Now() + absl::Minutes(3);
  EXPECT_TRUE(watch.check(far).ok()) << "nothing is under way";
  std::optional<FileWatchdog::Work> work(std::in_place, watch, "reading DIR");
  EXPECT_TRUE(watch.check(absl::Now() + absl::Minutes(1)).ok());
  EXPECT_EQ(watch.check(far), absl::DeadlineExceededError("reading DIR takes longer than 2m"));
  work.reset();
  EXPECT_TRUE(watch.check(far).ok()) << "it is done";
  work.emplace(watch, "clearing DIR");
  EXPECT_EQ(watch.check(far).message(), "clearing DIR takes longer than 2m");
}

} // namespace
} // namespace graphc::session
