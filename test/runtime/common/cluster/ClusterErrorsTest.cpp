// Every refusal of the parser with its exact place and words.
#include "runtime/common/cluster/ClusterConfig.h"
#include "test/runtime/common/cluster/SchemaCheck.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

using namespace graphc::cluster;

namespace {

struct Case {
  const char *name, *text, *error;
};

class ClusterErrors : public testing::TestWithParam<Case> {};

TEST_P(ClusterErrors, NamesPlaceAndExpectation) {
  auto config = parseCluster(GetParam().text, "c.json");
  ASSERT_FALSE(config.ok()) << "accepted";
  EXPECT_EQ(config.status().message(), GetParam().error);
}

TEST(ClusterRules, ALongNameIsRefused) {
  auto config = parseCluster(R"({"worker": 2, "placement": [{"name": ")" + std::string(4097, 'w') +
                                 R"(", "device": "/job:worker"}]})",
                             "c.json");
  EXPECT_EQ(
      config.status().message(),
      "c.json:1:38: the name of a placement rule has 4097 bytes; expected at most 4096, and * stands for any run");
}

/// What a schema of this kind cannot say: that one part of the file contradicts another, and what
/// is inside a string.
const std::set<std::string> beyondTheSchema = {
    "TooManyTasks",         "BigPort",          "DuplicateAddress",   "TwoChiefs",
    "TaskUnknownJob",       "TaskIndex",        "DevicesJob",         "DeviceTwice",
    "RuleDevice",           "RuleMalformed",    "PsMissing",          "MirroredDevice",
    "MirroredDeviceTwice",  "AggregateTooMany", "AllReduceNoWorkers", "Workers",
    "WorkersBesideServers", "WorkersOfAChief",  "ServersInCapitals",  "ServersOfAStrategy",
    "WorkersOfAllReduce",   "MicroBatchesMany", "BudgetNoDevice",     "BudgetNoJob",
    "BudgetDeviceName"};

TEST_P(ClusterErrors, TheSchemaRefusesTheSame) {
  std::ifstream in(GRAPHC_CLUSTER_DIR "/cluster.schema.json");
  std::stringstream schemaText;
  schemaText << in.rdbuf();
  auto schema = graphc::base::parseJson(schemaText.str(), "cluster.schema.json");
  ASSERT_TRUE(schema.ok()) << schema.status();
  auto value = graphc::base::parseJson(GetParam().text, "c.json");
  if (!value.ok()) // not even JSON: a key given twice
    return;
  std::string finding = SchemaCheck(*schema).check(*value);
  if (beyondTheSchema.count(GetParam().name))
    EXPECT_EQ(finding, "") << "the schema does say it: take the case from the list above";
  else
    EXPECT_NE(finding, "") << "the parser refuses it and the schema does not";
}

constexpr const char *keys =
    R"("cluster", "task", "environment", "devices", "links", "placement", "strategy", "budget")";

const std::string unknownTop =
    std::string(
        R"(c.json:2:2: unknown key "startegy"; did you mean "strategy"?; known keys are )") +
    keys;
const std::string jobBeside =
    std::string(R"(c.json:1:28: unknown key "ps"; known keys are )") + keys;
const std::string unknownBare =
    std::string(
        R"(c.json:1:14: unknown key "stragety" (and not a job: a job is a list of addresses or a task count); did you mean "strategy"?; known keys are )") +
    keys;
const std::string unknownList =
    std::string(
        R"(c.json:1:14: unknown key "plcement" (and not a job: a job is a list of addresses or a task count); did you mean "placement"?; known keys are )") +
    keys;

INSTANTIATE_TEST_SUITE_P(
    Cases, ClusterErrors,
    testing::Values(
        Case{"NotAnObject", "[1]",
             "c.json:1:1: expected a JSON object (a TF_CONFIG or a ClusterSpec), found an array"},
        Case{
            "NoJob", "{}",
            "c.json:1:1: no job; expected something like {\"ps\": [\"localhost:2222\"], \"worker\": "
            "[\"localhost:2223\"]} or {\"ps\": 1, \"worker\": 2}"},
        Case{"ClusterNotAnObject", R"({"cluster": 3})",
             "c.json:1:13: expected an object of jobs for \"cluster\", found the number 3"},
        Case{"UnknownKey", "{\"cluster\": {\"worker\": 1},\n \"startegy\": \"one_device\"}",
             unknownTop.c_str()},
        Case{"JobBesideCluster", R"({"cluster": {"worker": 1}, "ps": 1})", jobBeside.c_str()},
        Case{"UnknownKeyBare", R"({"worker": 1,"stragety": "one_device"})", unknownBare.c_str()},
        Case{"UnknownListBare", R"({"worker": 1,"plcement": [{"name": "a"}]})",
             unknownList.c_str()},
        Case{"Duplicate", R"({"worker": 1, "worker": 2})", "c.json:1:15: duplicate key \"worker\""},
        Case{"JobName", R"({"cluster": {"a-b": 1}})",
             "c.json:1:14: job name \"a-b\" is not letters, digits and '_' after a letter"},
        Case{
            "EmptyJob", R"({"worker": []})",
            "c.json:1:12: expected a list of \"host:port\" or a task count for job \"worker\", found an empty array"},
        Case{
            "ZeroTasks", R"({"worker": 0})",
            "c.json:1:12: expected a task count from 1 to 65536 for job \"worker\", found the number 0"},
        Case{
            "HalfATask", R"({"worker": 1.5})",
            "c.json:1:12: expected a list of \"host:port\" or a task count for job \"worker\", found the number 1.5"},
        Case{
            "TasksWithAPoint", R"({"worker": 1.0})",
            "c.json:1:12: expected a list of \"host:port\" or a task count for job \"worker\", found the number 1.0"},
        Case{"TooManyTasks", R"({"a": 65536, "b": 1})",
             "c.json:1:14: more than 65536 tasks in the cluster"},
        Case{"AddressNotAString", R"({"worker": ["a:1", 2]})",
             "c.json:1:20: expected an address \"host:port\", found the number 2"},
        Case{"NoPort", R"({"worker": ["a"]})",
             "c.json:1:13: malformed address \"a\": no port; expected \"host:port\""},
        Case{
            "BigPort", R"({"worker": ["a:65536"]})",
            "c.json:1:13: malformed address \"a:65536\": the port must be a number from 1 to 65535; expected "
            "\"host:port\""},
        Case{"DuplicateAddress", "{\"ps\": [\"a:1\"],\n\"worker\": [\"a:1\"]}",
             "c.json:2:12: address \"a:1\" is given twice; first at 1:9"},
        Case{"TwoChiefs", R"({"chief": 2})",
             "c.json:1:2: job \"chief\" has 2 tasks; there is exactly one chief"},
        Case{
            "TaskKind", R"({"worker": 1, "task": 1})",
            "c.json:1:23: expected an object {\"type\": JOB, \"index\": N} for \"task\", found the number 1"},
        Case{"TaskLacksIndex", R"({"worker": 1, "task": {"type": "worker"}})",
             "c.json:1:23: \"task\" lacks \"index\""},
        Case{
            "TaskUnknownJob", R"({"worker": 1, "task": {"type": "wroker", "index": 0}})",
            "c.json:1:32: no job \"wroker\" in the cluster; did you mean \"worker\"?; its jobs are \"worker\""},
        Case{
            "TaskIndex", R"({"worker": 2, "task": {"type": "worker", "index": 2}})",
            "c.json:1:51: expected a task index from 0 to 1 of job \"worker\", found the number 2"},
        Case{
            "TaskUnknownKey", R"({"worker": 2, "task": {"tpe": "worker", "index": 2}})",
            "c.json:1:24: unknown key \"tpe\" in \"task\"; did you mean \"type\"?; known keys are \"type\", \"index\""},
        Case{"DevicesJob", R"({"worker": 2, "devices": {"ps": ["CPU:0"]}})",
             "c.json:1:27: no job \"ps\" in the cluster; its jobs are \"worker\""},
        Case{
            "DeviceName", R"({"worker": 2, "devices": {"worker": ["TPU:0"]}})",
            "c.json:1:38: expected a device such as \"CPU:0\" (CPU or GPU, an index from 0 to 63), found the string "
            "\"TPU:0\""},
        Case{"DeviceTwice", R"({"worker": 2, "devices": {"worker": ["CPU:0", "cpu:0"]}})",
             "c.json:1:47: device \"CPU:0\" is given twice"},
        Case{"LinkSpeed", R"({"worker": 2, "links": [{"from": "", "to": "", "latency_us": -1}]})",
             "c.json:1:62: expected a number above 0 for \"latency_us\", found the number -1"},
        Case{"LinkLacksTo", R"({"worker": 2, "links": [{"from": ""}]})",
             "c.json:1:25: a link lacks \"to\""},
        Case{"RuleDevice",
             R"({"worker": 2, "placement": [{"name": "a", "device": "/job:worker/task:2"}]})",
             "c.json:1:53: job \"worker\" has 2 tasks; there is no task 2"},
        Case{
            "RuleMalformed", R"({"worker": 2, "placement": [{"name": "a", "device": "worker"}]})",
            "c.json:1:53: malformed device name \"worker\": each part starts with '/'; expected a form like "
            "/job:worker/task:0/device:CPU:0 or a part of it"},
        Case{"RuleLacksName", R"({"worker": 2, "placement": [{"device": "/job:worker"}]})",
             "c.json:1:29: a placement rule lacks \"name\""},
        Case{
            "RuleControlCharacter",
            R"({"worker": 2, "placement": [{"name": "w\t", "device": "/job:worker"}]})",
            "c.json:1:38: the name of a placement rule has a control character, which no variable's name has; ? stands "
            "for any one character"},
        Case{
            "StrategyUnknown", R"({"worker": 2, "strategy": "all_redcue"})",
            "c.json:1:27: unknown strategy \"all_redcue\"; did you mean \"all_reduce\"?; known are \"one_device\", "
            "\"in_graph\", \"mirrored\", \"parameter_server\", \"all_reduce\""},
        Case{
            "StrategyKind", R"({"worker": 2, "strategy": 3})",
            "c.json:1:27: expected one of \"one_device\", \"in_graph\", \"mirrored\", \"parameter_server\", "
            "\"all_reduce\" for strategy, found the number 3"},
        Case{"StrategyLacksName", R"({"worker": 2, "strategy": {"update": "sync"}})",
             "c.json:1:27: \"strategy\" lacks \"name\""},
        Case{
            "StrategyForeignKey",
            R"({"worker": 1, "strategy": {"name": "one_device", "update": "sync"}})",
            "c.json:1:50: \"update\" belongs to the strategy \"parameter_server\", not to \"one_device\""},
        Case{
            "StrategyTwoOwners",
            R"({"worker": 1, "strategy": {"name": "one_device", "replication": "in_graph"}})",
            "c.json:1:50: \"replication\" belongs to the strategies \"parameter_server\" and \"all_reduce\", not to "
            "\"one_device\""},
        Case{
            "MirroredDevice",
            R"({"worker": 1, "strategy": {"name": "mirrored", "devices": ["/job:worker/task:0/device:CPU:1"]}})",
            "c.json:1:60: no device \"/job:worker/task:0/device:CPU:1\"; expected full names, of "
            "\"/job:worker/task:0/device:CPU:0\""},
        Case{
            "MirroredDeviceTwice",
            R"({"worker": 1, "strategy": {"name": "mirrored", "devices": ["/job:worker/task:0/cpu:0",
                "/job:worker/task:0/device:CPU:0"]}})",
            "c.json:2:17: device \"/job:worker/task:0/device:CPU:0\" is given twice"},
        Case{
            "StalenessOfSync",
            R"({"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "max_staleness": 2}})",
            "c.json:1:82: \"max_staleness\" bounds asynchronous updates; expected \"update\": \"async\" beside it"},
        Case{
            "ShardsOfWholeVariables",
            R"({"ps": 2, "worker": 2, "strategy": {"name": "parameter_server", "placement": "balanced",
                "max_shards": 2}})",
            "c.json:2:31: \"max_shards\" is about parts of variables; expected \"placement\": \"split\" beside it"},
        Case{
            "ShardBytesWithoutPlacement",
            R"({"ps": 2, "worker": 2, "strategy": {"name": "parameter_server", "min_shard_bytes": 1024}})",
            "c.json:1:84: \"min_shard_bytes\" is about parts of variables; expected \"placement\": \"split\" beside "
            "it"},
        Case{
            "OneShard",
            R"({"ps": 2, "worker": 2, "strategy": {"name": "parameter_server", "placement": "split", "max_shards": 1}})",
            "c.json:1:101: expected a number from 2 to 65536 for \"max_shards\", found the number 1"},
        Case{
            "ShardBytesOfNothing",
            R"({"ps": 2, "worker": 2, "strategy": {"name": "parameter_server", "placement": "split",
                "min_shard_bytes": 0}})",
            "c.json:2:36: expected a number of bytes for \"min_shard_bytes\", such as 65536 or \"64 MiB\", found the "
            "number 0"},
        Case{
            "ShardsOfAllReduce",
            R"({"worker": 2, "strategy": {"name": "all_reduce", "max_shards": 2}})",
            "c.json:1:50: \"max_shards\" belongs to the strategy \"parameter_server\", not to \"all_reduce\""},
        Case{
            "BackupOfAsync",
            R"({"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "update": "async",
                "replicas_to_aggregate": 2}})",
            "c.json:2:42: \"replicas_to_aggregate\" is for synchronous updates; asynchronous ones are applied one by "
            "one"},
        Case{
            "RowsOfAllReduce",
            R"({"worker": 2, "strategy": {"name": "all_reduce", "embedding_rows": "all"}})",
            "c.json:1:50: \"embedding_rows\" belongs to the strategies \"in_graph\" and \"mirrored\" and "
            "\"parameter_server\", not to \"all_reduce\""},
        Case{
            "RecoveryOfServers",
            R"({"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "recovery": "memory"}})",
            "c.json:1:65: \"recovery\" belongs to the strategy \"all_reduce\", not to \"parameter_server\""},
        Case{"UnknownRecovery",
             R"({"worker": 2, "strategy": {"name": "all_reduce", "recovery": "disk"}})",
             "c.json:1:62: unknown recovery \"disk\"; known are \"checkpoint\", \"memory\""},
        Case{
            "RecoveryOfTowers",
            R"({"worker": 2, "strategy": {"name": "all_reduce", "replication": "in_graph", "recovery": "memory"}})",
            "c.json:1:89: \"recovery\": \"memory\" needs tasks that have all variables each; with \"replication\": "
            "\"in_graph\" one task has them: leave one of the two out"},
        Case{"UnknownRows",
             R"({"worker": 2, "strategy": {"name": "mirrored", "embedding_rows": "each"}})",
             "c.json:1:66: unknown embedding_rows \"each\"; known are \"all\", \"distinct\""},
        Case{
            "RowsOfBackup",
            R"({"ps": 1, "worker": 3, "strategy": {"name": "parameter_server", "replicas_to_aggregate": 2,
                "embedding_rows": "distinct"}})",
            "c.json:2:35: \"embedding_rows\" says which rows of a table travel; with \"replicas_to_aggregate\" whole "
            "variables and their gradients do: leave one of the two out"},
        Case{
            "AggregateTooMany",
            R"({"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "replicas_to_aggregate": 3}})",
            "c.json:1:36: \"replicas_to_aggregate\" is 3, but the cluster has 2 replicas"},
        Case{
            "AllReduceNoWorkers", R"({"ps": 2, "strategy": "all_reduce"})",
            "c.json:1:23: the strategy \"all_reduce\" needs a job \"worker\" or \"chief\"; the cluster has neither"},
        Case{
            "BudgetUnit", R"({"worker": 1, "budget": {"memory": "64 MB"}})",
            "c.json:1:36: expected a number of bytes for \"memory\", such as 65536 or \"64 MiB\", found the string "
            "\"64 "
            "MB\""},
        Case{
            "BudgetZero", R"({"worker": 1, "budget": {"bytes_per_step": 0}})",
            "c.json:1:44: expected a number of bytes for \"bytes_per_step\", such as 65536 or \"64 MiB\", found the "
            "number 0"},
        Case{
            "BudgetKey", R"({"worker": 1, "budget": {"memroy": 1}})",
            "c.json:1:26: unknown key \"memroy\" in \"budget\"; did you mean \"memory\"?; known keys are \"memory\", "
            "\"pinned_memory\", \"bytes_per_step\", \"pcie_bytes_per_step\""},
        Case{
            "BudgetNoDevice", R"({"worker": 1, "budget": {"memory": {"GPU:0": 1}}})",
            "c.json:1:37: the budget is for /device:GPU:0, which no device of the cluster is; it has "
            "\"/job:worker/task:0/device:CPU:0\""},
        Case{"BudgetNoJob", R"({"worker": 1, "budget": {"memory": {"/job:ps": 1}}})",
             "c.json:1:37: no job \"ps\" in the cluster; its jobs are \"worker\""},
        Case{
            "BudgetDeviceBytes", R"({"worker": 1, "budget": {"memory": {"CPU:0": "much"}}})",
            "c.json:1:46: expected a number of bytes for \"CPU:0\", such as 65536 or \"64 MiB\", found the string "
            "\"much\""},
        Case{
            "BudgetDeviceName", R"({"worker": 1, "budget": {"memory": {"XPU:0": 1}}})",
            "c.json:1:37: malformed device name \"/device:XPU:0\": unknown device type \"XPU\"; known are CPU and "
            "GPU; expected a form like /job:worker/task:0/device:CPU:0 or a part of it"},
        Case{
            "MicroBatches",
            R"({"worker": 1, "strategy": {"name": "one_device", "micro_batches": 0}})",
            "c.json:1:67: expected a number from 1 to 67108864 for \"micro_batches\", found the number 0"},
        Case{
            "RuleWithoutDevice", R"({"worker": 2, "placement": [{"name": "w", "device": ""}]})",
            "c.json:1:53: expected a device such as \"/job:ps/task:0\" for a placement rule, found the string \"\""},
        Case{
            "MicroBatchesMany",
            R"({"worker": 1, "strategy": {"name": "one_device", "micro_batches": 1025}})",
            "c.json:1:67: \"micro_batches\" is 1025; expected at most 1024, since each may have to be compiled by "
            "itself"},
        Case{
            "BucketsOfTowers",
            R"({"worker": 2, "strategy": {"name": "all_reduce", "replication": "in_graph", "bucket_bytes": 64}})",
            "c.json:1:93: \"bucket_bytes\" is about gradients that replicas send each other; with \"replication\": "
            "\"in_graph\" one client drives all towers and sums in their order: leave one of the two out"},
        Case{
            "OrderOfTowers",
            R"({"worker": 2, "strategy": {"name": "all_reduce", "replication": "in_graph", "order": "fast"}})",
            "c.json:1:86: \"order\" is about gradients that replicas send each other; with \"replication\": "
            "\"in_graph\" one client drives all towers and sums in their order: leave one of the two out"},
        Case{
            "Update",
            R"({"ps": 1, "worker": 1, "strategy": {"name": "parameter_server", "update": "asnyc"}})",
            "c.json:1:75: unknown update \"asnyc\"; did you mean \"async\"?; known are \"sync\", \"async\""},
        Case{
            "PsMissing", R"({"worker": 2, "strategy": "parameter_server"})",
            "c.json:1:27: the strategy \"parameter_server\" needs the job \"ps\" and a job \"worker\" or \"chief\"; "
            "the cluster lacks \"ps\""},
        Case{
            "Workers", R"({"workers": 2})",
            "c.json:1:2: the job \"workers\" is none that a cluster without a \"strategy\" knows; did you mean "
            "\"worker\"?"},
        Case{
            "WorkersBesideServers", R"({"ps": 1, "Worker": 2})",
            "c.json:1:11: the job \"Worker\" is none that a cluster without a \"strategy\" knows; did you mean "
            "\"worker\"?"},
        Case{
            "WorkersOfAChief", R"({"cluster": {"chief": 1, "wroker": 2}})",
            "c.json:1:26: the job \"wroker\" is none that a cluster without a \"strategy\" knows; did you mean "
            "\"worker\"?"},
        Case{
            "ServersInCapitals", R"({"PS": 1, "worker": 2})",
            "c.json:1:2: the job \"PS\" is none that a cluster without a \"strategy\" knows; did you mean \"ps\"?"},
        Case{
            "ServersOfAStrategy", R"({"pss": 1, "worker": 2, "strategy": "parameter_server"})",
            "c.json:1:2: the job \"pss\" is none that the strategy \"parameter_server\" knows; did you mean \"ps\"?"},
        Case{
            "WorkersOfAllReduce", R"({"workers": 2, "strategy": "all_reduce"})",
            "c.json:1:2: the job \"workers\" is none that the strategy \"all_reduce\" knows; did you mean \"worker\"?"},
        Case{
            "Environment", R"({"cluster": {"worker": 1}, "environment": 1})",
            "c.json:1:43: expected a string for \"environment\" (it has no effect here), found the number 1"}),
    [](const auto &info) { return info.param.name; });

} // namespace
