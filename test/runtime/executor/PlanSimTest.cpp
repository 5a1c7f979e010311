//===- PlanSimTest.cpp - the tool plan-sim, as random-graph tests use it ----------------------===//

#include "runtime/checkpoint/NpyFormat.h"
#include "runtime/common/base/File.h"
#include "runtime/common/plan/PlanFile.h"
#include "test/runtime/common/plan/PlanBuilder.h"
#include "test/runtime/executor/Simulator.h"

#include "absl/strings/str_cat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace graphc::executor {
namespace {

class PlanSim : public testing::Test {
protected:
  void SetUp() override {
    directory = absl::StrCat(testing::TempDir(), "plan-sim-", getpid());
    ASSERT_TRUE(base::makeDirectories(directory).ok());
  }
  void TearDown() override { std::filesystem::remove_all(directory); }
  /// Exit status; standard output and error go to DIRECTORY/output.
  int run(const std::string &arguments) {
    std::string tool = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "plan-sim";
    return std::system(
        absl::StrCat("'", tool, "' ", arguments, " >'", directory, "/output' 2>&1").c_str());
  }
  std::string output() { return *base::readFile(directory + "/output"); }
  std::string directory;
};

TEST_F(PlanSim, DumpsVariablesAndFetches) {
  plan::ParameterServerShape shape{2, 3};
  plan::Plan plan = plan::parameterServerPlan(shape);
  ASSERT_TRUE(plan::writePlan(directory + "/m.plan", plan).ok());
  ASSERT_EQ(run(absl::StrCat(directory, "/m.plan --steps 7 --seed 3 --delay 1000 --out ", directory,
                             "/out")),
            0)
      << output();
  EXPECT_THAT(output(), testing::HasSubstr("{\"steps\": 7, "));

  auto fresh = SimVariables::create(plan);
  std::vector<std::vector<float>> initial(shape.servers, std::vector<float>(shape.elements));
  for (uint32_t p = 0; p < shape.servers; ++p)
    memcpy(initial[p].data(), fresh->data(p).data(), shape.elements * 4);
  auto expected = plan::expectedSync(shape, 7, initial);
  for (uint32_t p = 0; p < shape.servers; ++p) {
    auto array = checkpoint::readNpy(absl::StrCat(directory, "/out/variables/w", p, ".npy"));
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(memcmp(array->data.data(), expected[p].data(), array->data.size()), 0);
  }
  for (uint32_t r = 0; r < shape.workers; ++r)
    EXPECT_TRUE(
        checkpoint::readNpy(absl::StrCat(directory, "/out/fetches/loss0.", r, ".npy")).ok());
}

TEST_F(PlanSim, ErrorsAreOneLine) {
  ASSERT_TRUE(plan::writePlan(directory + "/m.plan", plan::parameterServerPlan({})).ok());
  EXPECT_NE(run(directory + "/m.plan --entry eval"), 0);
  EXPECT_EQ(output(), "plan-sim: the plan has no phase 'eval'\n");
  EXPECT_NE(run(directory + "/none.plan"), 0);
  EXPECT_THAT(output(), testing::HasSubstr("none.plan: No such file"));
}

} // namespace
} // namespace graphc::executor
