#include "runtime/common/cluster/TaskAddresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc::cluster;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const std::vector<PlanJob> plan = {{"ps", 1}, {"worker", 2}};

std::string messageOf(const AddressSources &sources) {
  auto resolved = resolveAddresses(plan, sources);
  return resolved.ok() ? "" : std::string(resolved.status().message());
}

TEST(TaskAddresses, Checks) {
  for (const char *good : {"localhost:1", "10.0.0.1:65535", "[::1]:2222", "node-7.rack_2:80"})
    EXPECT_TRUE(checkAddress(good).ok()) << good;
  for (const char *bad : {"", ":", "a:", ":1", "a:0", "a:65536", "a:1x", "a b:1", "::1:2222",
                          "[]:1", "a:+1", "a/b:1"})
    EXPECT_FALSE(checkAddress(bad).ok()) << bad;
}

TEST(TaskAddresses, LoopbackIsOnlyLoopback) {
  for (const char *yes : {"localhost:1", "LOCALHOST:1", "127.0.0.1:1", "127.1.2.3:1", "[::1]:1"})
    EXPECT_TRUE(isLoopbackAddress(yes)) << yes;
  for (const char *no :
       {"127.evil.example.org:1", "127.0.0.1.evil.org:1", "10.0.0.1:1", "0.0.0.0:1", "[::]:1",
        "localhost.evil.org:1", "127.0.0.256:1", "localhost"})
    EXPECT_FALSE(isLoopbackAddress(no)) << no;
}

TEST(TaskAddresses, SplitsHostLists) {
  EXPECT_THAT(*parseHostList("a:1, b:2", "--worker_hosts"), ElementsAre("a:1", "b:2"));
  EXPECT_THAT(std::string(parseHostList("a:1,,b:2", "--worker_hosts").status().message()),
              HasSubstr("--worker_hosts: malformed address \"\": no port"));
}

TEST(ResolveAddresses, FlagsBeatFileBeatsEnvironment) {
  AddressSources sources;
  sources.environment =
      R"({"cluster": {"ps": ["e:1"], "worker": ["e:2", "e:3"]}, "task": {"type": "ps", "index": 0}})";
  auto resolved = resolveAddresses(plan, sources);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_THAT(resolved->addresses["worker"], ElementsAre("e:2", "e:3"));
  EXPECT_THAT(resolved->notes, ElementsAre("addresses from the environment variable TF_CONFIG"));
  EXPECT_EQ(resolved->task->str(), "/job:ps/task:0");

  sources.file = *parseCluster(R"({"ps": ["f:1"], "worker": ["f:2", "f:3"]})", "c.json");
  resolved = resolveAddresses(plan, sources);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_THAT(resolved->addresses["ps"], ElementsAre("f:1"));
  EXPECT_THAT(resolved->notes,
              ElementsAre("addresses from c.json", "TF_CONFIG is not used: c.json is given"));
  EXPECT_FALSE(resolved->task.has_value());

  sources.flags["worker"] = {"g:2", "g:3"};
  resolved = resolveAddresses(plan, sources);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_THAT(resolved->addresses["worker"], ElementsAre("g:2", "g:3"));
  EXPECT_THAT(resolved->addresses["ps"], ElementsAre("f:1"));
  EXPECT_EQ(resolved->notes.at(0), "addresses from c.json, from --worker_hosts");
}

TEST(ResolveAddresses, NothingGivenIsEmpty) {
  auto resolved = resolveAddresses(plan, {});
  ASSERT_TRUE(resolved.ok());
  EXPECT_TRUE(resolved->addresses.empty());
  EXPECT_TRUE(resolved->notes.empty());
}

TEST(ResolveAddresses, EnvironmentThatDoesNotMatchIsLeftAloneWithALine) {
  AddressSources sources;
  sources.environment = R"({"cluster": {"ps": ["e:1"], "worker": ["e:2"]}})";
  auto resolved = resolveAddresses(plan, sources);
  ASSERT_TRUE(resolved.ok());
  EXPECT_TRUE(resolved->addresses.empty());
  EXPECT_THAT(resolved->notes,
              ElementsAre("TF_CONFIG is not used: it has 1 ps task, 1 worker task, the plan has "
                          "1 ps task, 2 worker tasks"));
  sources.environment = "{";
  resolved = resolveAddresses(plan, sources);
  ASSERT_TRUE(resolved.ok());
  EXPECT_THAT(resolved->notes.at(0),
              HasSubstr("TF_CONFIG is not used: TF_CONFIG:1:2: expected a member name"));
}

TEST(ResolveAddresses, TfConfigOfOthersMayHaveKeysOfTheirsAndTheirNames) {
  AddressSources sources;
  sources.environment =
      R"({"cluster": {"ps": ["e:1"], "worker": ["e:2", "e:3"]}, "rpc_layer": "grpc", "job": {"x": [1]},
      "task": {"type": "worker", "index": 1, "cloud": "a", "trial": "1"}})";
  auto resolved = resolveAddresses(plan, sources);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(resolved->task->str(), "/job:worker/task:1");

  const std::vector<PlanJob> withChief = {{"chief", 1}, {"ps", 1}, {"worker", 1}};
  sources.environment =
      R"({"cluster": {"master": ["e:1"], "ps": ["e:2"], "worker": ["e:3"]}, "task": {"type": "master", "index": 0}})";
  resolved = resolveAddresses(withChief, sources);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(resolved->task->str(), "/job:chief/task:0");
  EXPECT_THAT(resolved->addresses["chief"], ElementsAre("e:1"));

  sources.environment =
      R"({"cluster": {"chief": ["e:1"], "ps": ["e:2"], "worker": ["e:3"]}, "task": {"type": "evaluator", "index": 0}})";
  resolved = resolveAddresses(withChief, sources);
  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(resolved->task->str(), "/job:evaluator/task:0") << "though it is none of the jobs";
  // Where it is listed nothing is for it: the plan's tasks are the others.
  sources.environment =
      R"({"cluster": {"chief": ["e:1"], "ps": ["e:2"], "worker": ["e:3"], "evaluator": ["e:4"]}, "task": {"type": "ps", "index": 0}})";
  sources.flags["evaluator"] = {"e:4"};
  resolved = resolveAddresses(withChief, sources);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(resolved->task->str(), "/job:ps/task:0");
  EXPECT_EQ(resolved->addresses.size(), 3u);
  sources.flags.clear();
  // A file of one's own is read strictly.
  EXPECT_FALSE(parseCluster(R"({"cluster": {"ps": ["e:1"]}, "rpc_layer": "grpc"})", "c.json").ok());
}

TEST(ResolveAddresses, OtherTaskCountsAreRefusedNamingBoth) {
  AddressSources sources;
  sources.file = *parseCluster(R"({"ps": ["f:1"], "worker": ["f:2", "f:3", "f:4"]})", "c.json");
  EXPECT_EQ(messageOf(sources),
            "c.json has 1 ps task, 3 worker tasks, but the plan was compiled for 1 ps task, "
            "2 worker tasks; compile the model again for this cluster");
  sources = {};
  sources.flags["worker"] = {"g:2"};
  EXPECT_EQ(messageOf(sources),
            "--worker_hosts names 1 worker task, but the plan was compiled for 1 ps task, "
            "2 worker tasks; name 2 or compile the model again");
  sources = {};
  sources.flags["chief"] = {"g:2"};
  EXPECT_THAT(messageOf(sources), HasSubstr("the plan has no job \"chief\""));
}

TEST(ResolveAddresses, MissingAndRepeatedAddressesAreRefused) {
  AddressSources sources;
  sources.flags["worker"] = {"g:2", "g:3"};
  EXPECT_EQ(messageOf(sources), "some tasks have no address; also give --ps_hosts");
  sources.flags["ps"] = {"g:3"};
  EXPECT_EQ(messageOf(sources),
            "address g:3 is given to both /job:ps/task:0 and /job:worker/task:1");
}

TEST(ResolveAddresses, AFileOfCountsGivesNoAddresses) {
  AddressSources sources;
  sources.file = *parseCluster(R"({"ps": 1, "worker": 2})", "c.json");
  auto resolved = resolveAddresses(plan, sources);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_TRUE(resolved->addresses.empty());
}

} // namespace
