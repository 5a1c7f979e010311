// Whom the kernel has killed for lack of memory, by files that stand for a cgroup's.
#include "runtime/launch/OomKills.h"
#include "runtime/launch/LaunchedChild.h"
#include "test/runtime/common/base/TemporaryFolder.h"

#include <csignal>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphc::launch {
namespace {
using testing::HasSubstr;
using testing::Not;

/// A folder that stands for a cgroup's.
struct Cgroup : testing::Test {
  std::string write(const std::string &path, const std::string &text) const {
    return root.write(path, text);
  }
  std::string find(const std::string &cgroups) const {
    return findOomFile(cgroups, root.str(), "machine");
  }
  TemporaryFolder root;
};

TEST_F(Cgroup, TheFileIsThatOfTheVersion) {
  const std::string first = write("memory/run/a/memory.oom_control", "oom_kill 0\n");
  const std::string second = write("run/b/memory.events", "oom_kill 0\n");
  EXPECT_EQ(find("9:cpuset:/\n4:memory:/run/a\n0::/\n"), first);
  EXPECT_EQ(find("4:cpu,memory:/run/a\n"), first);
  EXPECT_EQ(find("0::/run/b\n"), second);
  EXPECT_EQ(find("4:memory:/gone\n0::/run/b\n"), second);
  EXPECT_EQ(find("3:cpuset:/run/a\n"), "machine") << "no controller of memory";
  EXPECT_EQ(find("0::/\n"), "machine") << "the root of version 2 has no such file";
  EXPECT_EQ(find("nonsense\n:\n"), "machine");
  EXPECT_EQ(find(""), "machine");
}

TEST_F(Cgroup, AContainerSeesItsOwnAsTheRoot) {
  const std::string own = write("memory.events", "oom_kill 0\n");
  EXPECT_EQ(find("0::/docker/4f1b\n"), own);
  EXPECT_EQ(find("0::/a:b\n"), own) << "a path may have colons";
}

TEST_F(Cgroup, EachKillIsTakenOnce) {
  const std::string file = write("memory.events", "low 0\noom 3\noom_kill 2\noom_group_kill 9\n");
  OomKills kills(file);
  EXPECT_FALSE(kills.take()) << "two were killed before";
  write("memory.events", "low 0\noom 4\noom_kill 4\noom_group_kill 9\n");
  EXPECT_TRUE(kills.take());
  EXPECT_TRUE(kills.take());
  EXPECT_FALSE(kills.take());
  std::filesystem::remove(file);
  EXPECT_FALSE(kills.take());
  EXPECT_FALSE(OomKills(root / "none").take());
}

// A kill of another process of the cgroup is not charged to a task that dies much later.
TEST_F(Cgroup, KillsThatNothingTakesAreForgotten) {
  const std::string file = write("memory.events", "oom_kill 0\n");
  OomKills kills(file);
  const absl::Time start = absl::UnixEpoch();
  write("memory.events", "oom_kill 2\n");
  kills.forgetUnclaimed(start);
  EXPECT_TRUE(kills.take()) << "that of a task";
  kills.forgetUnclaimed(start + absl::Seconds(4));
  write("memory.events", "oom_kill 3\n");
  kills.forgetUnclaimed(start + absl::Seconds(6));
  EXPECT_TRUE(kills.take()) << "one is new, the other is forgotten";
  EXPECT_FALSE(kills.take());
  write("memory.events", "oom_kill 5\n");
  kills.forgetUnclaimed(start + absl::Seconds(60));
  kills.forgetUnclaimed(start + absl::Seconds(64));
  EXPECT_TRUE(kills.take()) << "not old enough";
  kills.forgetUnclaimed(start + absl::Seconds(66));
  EXPECT_FALSE(kills.take());
}

TEST_F(Cgroup, ADeathIsNamedAsThat) {
  LaunchedTask task;
  task.name = "/job:worker/task:1";
  task.memory = "2.50 GiB (variables 1 GiB)";
  LaunchedChild child;
  child.task = &task;
  child.status = SIGKILL; // as waitpid has it
  EXPECT_THAT(describe(child), Not(HasSubstr("memory")));
  child.oomFile = "/sys/fs/cgroup/memory.events";
  EXPECT_THAT(describe(child),
              HasSubstr("was killed by signal 9 (Killed) by the kernel because memory ran out "
                        "(oom_kill in /sys/fs/cgroup/memory.events has increased); its part of the "
                        "plan needs 2.50 GiB (variables 1 GiB), not counting the data set and the "
                        "program itself; raise the memory limit"));
  task.memory.clear();
  EXPECT_THAT(describe(child), HasSubstr("has increased); raise the memory limit"));
}

} // namespace
} // namespace graphc::launch
