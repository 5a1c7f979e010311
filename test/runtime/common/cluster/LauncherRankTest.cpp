#include "runtime/common/cluster/LauncherRank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc::cluster;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const std::vector<PlanJob> ofPlan = {{"ps", 1}, {"worker", 2}};
const TaskRef chief = {"worker", 0};

/// As the real ones were seen to be, by Debian's slurm 22.05 and Open MPI 4.1.
EnvironmentVariables slurm(uint32_t rank) {
  return {{"SLURM_JOB_ID", "12"},
          {"SLURM_STEP_ID", "3"},
          {"SLURM_PROCID", std::to_string(rank)},
          {"SLURM_NTASKS", "3"},
          {"SLURM_STEP_NUM_TASKS", "3"},
          {"SLURM_STEP_NUM_NODES", "1"},
          {"SLURM_STEP_NODELIST", "n1"},
          {"SLURM_LAUNCH_NODE_IPADDR", ""}};
}
EnvironmentVariables openMpi(uint32_t rank) {
  return {{"OMPI_COMM_WORLD_RANK", std::to_string(rank)},
          {"OMPI_COMM_WORLD_SIZE", "3"},
          {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"},
          {"PMIX_NAMESPACE", "1928265729"}};
}
EnvironmentVariables torchrun(uint32_t rank) {
  return {{"RANK", std::to_string(rank)}, {"WORLD_SIZE", "3"},
          {"LOCAL_WORLD_SIZE", "3"},      {"MASTER_ADDR", "node1"},
          {"MASTER_PORT", "29500"},       {"TORCHELASTIC_RUN_ID", "none"}};
}
EnvironmentVariables pod(uint32_t index) {
  return {{"JOB_COMPLETION_INDEX", std::to_string(index)}};
}

EnvironmentVariables with(EnvironmentVariables environment, const EnvironmentVariables &more) {
  for (const auto &[name, value] : more)
    environment[name] = value;
  return environment;
}

/// "worker:0 of slurm-12.3 on one host at 23456", "none", or the error.
std::string who(const EnvironmentVariables &environment, const std::vector<PlanJob> &of = ofPlan,
                std::string_view host = "node1.example") {
  auto rank = rankOf(environment, host, of, chief);
  if (!rank.ok())
    return std::string(rank.status().message());
  if (!*rank)
    return "none";
  std::string text =
      (*rank)->task.job + ":" + std::to_string((*rank)->task.index) + " of " + (*rank)->run;
  return text + ((*rank)->oneHost ? " on one host" : "");
}

TEST(LauncherRank, Table) {
  struct Row {
    EnvironmentVariables environment;
    std::string expected;
  };
  const Row rows[] = {
      {{}, "none"},
      {slurm(0), "worker:0 of slurm-12.3 on one host"},
      {slurm(1), "ps:0 of slurm-12.3 on one host"},
      {slurm(2), "worker:1 of slurm-12.3 on one host"},
      {with(slurm(0), {{"SLURM_RESTART_COUNT", "2"}}), "worker:0 of slurm-12.3-2 on one host"},
      {with(slurm(0), {{"SLURM_STEP_NUM_NODES", "2"}}), "worker:0 of slurm-12.3"},
      {with(slurm(0), {{"SLURM_STEP_ID", ""}}), "none"}, // a batch script
      {with(slurm(0), {{"SLURM_STEP_ID", "4294967290"}}), "none"}, // salloc's shell
      {with(slurm(0), {{"SLURM_NTASKS", "8"}}), "worker:0 of slurm-12.3 on one host"}, // of the job
      {with(slurm(2), {{"SLURM_HET_SIZE", "2"}, {"SLURM_STEP_NUM_NODES", "2"}}),
       "worker:1 of slurm-12.3"},
      {openMpi(1), "ps:0 of mpi-1928265729 on one host"},
      {with(openMpi(1), {{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}), "ps:0 of mpi-1928265729"},
      {with(openMpi(1), {{"PMIX_NAMESPACE", ""}, {"OMPI_MCA_ess_base_jobid", "7"}}),
       "ps:0 of mpi-7 on one host"},
      {with(openMpi(1), {{"PMIX_NAMESPACE", "prterun-n/1@1"}}),
       "ps:0 of mpi-prterun-n_1_1 on one host"},
      {torchrun(2), "worker:1 of torchrun-none-node1-29500- on one host"},
      {with(torchrun(2), {{"LOCAL_WORLD_SIZE", "1"}}), "worker:1 of torchrun-none-node1-29500-"},
      {with(torchrun(2), {{"LOCAL_WORLD_SIZE", ""}, {"MASTER_ADDR", "127.0.0.1"}}),
       "worker:1 of torchrun-none-127.0.0.1-29500- on one host"},
      {with(torchrun(2), {{"MASTER_PORT", ""}}), "none"},
      // The one that the other has started counts.
      {with(slurm(0), openMpi(2)), "worker:1 of mpi-1928265729 on one host"},
      {with(with(slurm(0), openMpi(0)), torchrun(1)),
       "ps:0 of torchrun-none-node1-29500- on one host"},
  };
  for (const Row &row : rows)
    EXPECT_EQ(who(row.environment), row.expected);
}

TEST(LauncherRank, RanksAreTheChiefAndThenThePlansOrder) {
  EXPECT_THAT(tasksByRank({{"ps", 2}, {"worker", 3}}, {"worker", 0}),
              ElementsAre(TaskRef{"worker", 0}, TaskRef{"ps", 0}, TaskRef{"ps", 1},
                          TaskRef{"worker", 1}, TaskRef{"worker", 2}));
  EXPECT_EQ(describeRanks(tasksByRank({{"ps", 2}, {"worker", 3}}, {"worker", 0})),
            "rank 0 is worker:0, 1 to 2 are ps:0 to ps:1, 3 to 4 are worker:1 to worker:2");
  EXPECT_EQ(describeRanks(tasksByRank({{"chief", 1}, {"ps", 1}}, {"chief", 0})),
            "rank 0 is chief:0, 1 is ps:0");
  EXPECT_EQ(describeRanks(tasksByRank({{"worker", 3}}, {"worker", 0})),
            "rank 0 to 2 are worker:0 to worker:2");
}

TEST(LauncherRank, NumbersThatDoNotFitAreBothSaid) {
  EXPECT_EQ(
      who(with(slurm(0), {{"SLURM_STEP_NUM_TASKS", "4"}})),
      "Slurm's step 12.3 has 4 processes (SLURM_STEP_NUM_TASKS), but the plan was compiled for 3 tasks (1 ps task, 2 "
      "worker "
      "tasks); start it with srun -n3, compile the model again, or give --local to start every task in each process");
  EXPECT_THAT(
      who(with(slurm(0), {{"SLURM_HET_SIZE", "2"}, {"SLURM_STEP_NUM_TASKS", "1"}})),
      HasSubstr(
          "start it with srun --het-group and all of the job's components (SLURM_HET_SIZE), which have "
          "to have 3 processes, compile"));
  EXPECT_THAT(
      who(with(openMpi(0), {{"OMPI_COMM_WORLD_SIZE", "1"}})),
      HasSubstr("has 1 process (OMPI_COMM_WORLD_SIZE), but the plan was compiled for 3 tasks"));
  EXPECT_THAT(
      who(openMpi(0), {{"worker", 1}}),
      HasSubstr(
          "has 3 processes (OMPI_COMM_WORLD_SIZE), but the plan was compiled for 1 task (1 worker task)"));
  EXPECT_THAT(who(torchrun(0), {{"worker", 2}}),
              HasSubstr("start it with torchrun --nproc_per_node 2"));
}

TEST(LauncherRank, WhatIsNoNumberIsNamed) {
  EXPECT_EQ(who(with(slurm(0), {{"SLURM_PROCID", "x"}})),
            "SLURM_PROCID=\"x\": expected a whole number");
  EXPECT_EQ(who(with(slurm(0), {{"SLURM_PROCID", "-1"}})),
            "SLURM_PROCID=\"-1\": expected a whole number");
  EXPECT_EQ(who(with(slurm(0), {{"SLURM_PROCID", "3"}})),
            "SLURM_PROCID=3: expected a number below SLURM_STEP_NUM_TASKS=3");
  EXPECT_EQ(who(with(openMpi(0), {{"OMPI_COMM_WORLD_SIZE", "99999999999"}})),
            "OMPI_COMM_WORLD_SIZE=\"99999999999\": expected a whole number");
  EXPECT_EQ(who(with(torchrun(0), {{"MASTER_PORT", "70000"}})),
            "MASTER_PORT=70000: expected a port from 1 to 65535");
  EXPECT_THAT(who(with(openMpi(0), {{"PMIX_NAMESPACE", ""}})), HasSubstr("the job has no name"));
}

TEST(LauncherRank, PortsFollowFromTheStart) {
  auto port = [](const EnvironmentVariables &environment) {
    return (*rankOf(environment, "n", ofPlan, chief))->port;
  };
  EXPECT_EQ(port(slurm(0)), port(slurm(2)));
  EXPECT_NE(port(slurm(0)), port(with(slurm(0), {{"SLURM_STEP_ID", "4"}})));
  EXPECT_GE(port(slurm(0)), 20000);
  EXPECT_LT(port(slurm(0)), 30000);
  EXPECT_EQ(port(torchrun(0)), 29500);
  // the agent has it
  EXPECT_NE(port(with(torchrun(0), {{"TORCHELASTIC_USE_AGENT_STORE", "True"}})), 29500);
}

TEST(LauncherRank, PodsOfAJobSetAreKnownByTheirHostNames) {
  auto rank = *rankOf(pod(1), "fashion-worker-0-1", ofPlan, chief);
  EXPECT_EQ(rank->task, (TaskRef{"worker", 1}));
  EXPECT_EQ(rank->launcher, "the JobSet fashion");
  EXPECT_EQ(rank->run, "jobset-fashion");
  EXPECT_FALSE(rank->oneHost);
  EXPECT_THAT(rank->addresses["worker"],
              ElementsAre("fashion-worker-0-0.fashion:2222", "fashion-worker-0-1.fashion:2222"));
  EXPECT_THAT(rank->addresses["ps"], ElementsAre("fashion-ps-0-0.fashion:2222"));
  EXPECT_EQ(who(pod(0), ofPlan, "a-b-ps-0-0.a-b.ns.svc.cluster.local"), "ps:0 of jobset-a-b");
  EXPECT_EQ(who(pod(0), {{"ps", 1}, {"my_ps", 1}}, "a-my-ps-0-0"), "my_ps:0 of jobset-a");
}

TEST(LauncherRank, OtherPodsAreNoTasksOrRefused) {
  EXPECT_EQ(who(pod(0), ofPlan, "node1"), "none");
  EXPECT_EQ(who(pod(0), ofPlan, "an-indexed-job-0"), "none");
  EXPECT_EQ(who(pod(1), ofPlan, "fashion-worker-0-0"), "none"); // another host's index
  EXPECT_THAT(who(pod(0), ofPlan, "fashion-trainer-0-0"),
              HasSubstr("a job that the plan has not; it was compiled for 1 ps task"));
  EXPECT_THAT(who(pod(0), ofPlan, "fashion-worker-1-0"),
              HasSubstr("replica 1 of its job worker; expected one replica, with "
                        "parallelism and completions 2"));
  EXPECT_THAT(who(pod(2), ofPlan, "fashion-worker-0-2"),
              HasSubstr("JOB_COMPLETION_INDEX=2 of fashion-worker-0-2: the plan was compiled"));
}

} // namespace
