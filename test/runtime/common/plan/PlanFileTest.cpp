#include "runtime/common/plan/PlanFile.h"

#include "runtime/common/base/File.h"
#include "runtime/common/plan/VerifyPlan.h"
#include "test/runtime/common/plan/PlanBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

namespace graphc::plan {
namespace {

using testing::HasSubstr;

std::string encoded() { return *encodePlan(parameterServerPlan({})); }
std::string errorOf(std::string_view file) {
  return std::string(decodePlan(file, "m.plan").status().message());
}

TEST(PlanFile, RoundTripAndFingerprint) {
  std::string path = testing::TempDir() + "plan-file-test.plan";
  Plan plan = parameterServerPlan({});
  ASSERT_TRUE(writePlan(path, plan).ok());
  auto loaded = loadPlan(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->plan.SerializeAsString(), plan.SerializeAsString());
  EXPECT_EQ(loaded->fingerprint.size(), 64u);
  EXPECT_EQ(loaded->fingerprint, decodePlan(encoded(), "x")->fingerprint);
  plan.set_model("another.mlir");
  EXPECT_NE(loaded->fingerprint, decodePlan(*encodePlan(plan), "x")->fingerprint);
  std::filesystem::remove(path);
}

TEST(PlanFile, EncodingIsDeterministic) { EXPECT_EQ(encoded(), encoded()); }

TEST(PlanFile, NotAPlan) {
  EXPECT_THAT(errorOf("MZ this is something else entirely"), HasSubstr("m.plan: not a plan"));
  EXPECT_THAT(errorOf(""), HasSubstr("not a plan"));
}

TEST(PlanFile, NewerVersionIsRefusedByName) {
  std::string file = encoded();
  file[8] = 12;
  EXPECT_THAT(
      errorOf(file),
      HasSubstr("plan format version 12 is newer than this graphrun, which reads version 11"));
}

TEST(PlanFile, OlderVersionIsRefusedByName) {
  std::string file = encoded();
  file[8] = 6;
  EXPECT_THAT(
      errorOf(file),
      HasSubstr("plan format version 6 is older than this graphrun, which reads version 11; "
                "compile the model again"));
}

TEST(PlanFile, EveryTruncationIsRefused) {
  std::string file = encoded();
  for (size_t n : {size_t(8), size_t(20), size_t(55), size_t(56), file.size() / 2, file.size() - 1})
    EXPECT_THAT(errorOf(std::string_view(file).substr(0, n)), HasSubstr("truncated plan")) << n;
}

TEST(PlanFile, TrailingBytesAreRefused) {
  EXPECT_THAT(errorOf(encoded() + "x"), HasSubstr("damaged plan"));
}

TEST(PlanFile, SumIsCheckedBeforeTheContent) {
  std::string file = encoded();
  file[planHeaderBytes + 5] ^= 1;
  EXPECT_THAT(errorOf(file), HasSubstr("the SHA-256 of its content does not match"));
  EXPECT_TRUE(absl::IsDataLoss(decodePlan(file, "x").status()));
}

TEST(PlanFile, MissingFileIsNamed) {
  EXPECT_THAT(std::string(loadPlan("/nonexistent/a.plan").status().message()),
              HasSubstr("/nonexistent/a.plan: No such file"));
}

TEST(PlanFile, InvalidPlanIsNamedWithItsFile) {
  std::string path = testing::TempDir() + "invalid.plan";
  Plan plan = parameterServerPlan({});
  plan.mutable_channels(0)->set_capacity(0);
  ASSERT_TRUE(writePlan(path, plan).ok());
  EXPECT_THAT(std::string(loadPlan(path).status().message()),
              HasSubstr("invalid.plan: channel w0.to_worker: capacity 0"));
  std::filesystem::remove(path);
}

TEST(PlanFile, APlanWithoutProofIsNotLoaded) {
  std::string path = testing::TempDir() + "unproven.plan";
  Plan plan = parameterServerPlan({});
  for (Program &program : *plan.mutable_programs())
    program.clear_event_ranks();
  ASSERT_TRUE(writePlan(path, plan).ok());
  EXPECT_THAT(
      std::string(loadPlan(path).status().message()),
      HasSubstr("unproven.plan: certificate of liveness: program train_step.worker has none"));
  std::filesystem::remove(path);
}

} // namespace
} // namespace graphc::plan
