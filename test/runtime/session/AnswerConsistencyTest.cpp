#include "runtime/session/peers/AnswerConsistency.h"

#include "runtime/common/plan/PlanTypes.h"
#include "test/runtime/common/plan/PlanBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphc::session {
namespace {
using testing::HasSubstr;

struct Agreement : testing::Test {
  Agreement() : plan(plan::parameterServerPlan({1, 2})), answers(plan::allTasks(plan).size()) {
    plan.add_datasets()->set_name("made");
    plan.add_datasets()->set_name("other");
  }
  void has(size_t task, uint32_t dataset, uint64_t samples) {
    service::DatasetSize &size = *answers[task].add_datasets();
    size.set_dataset(dataset);
    size.set_samples(samples);
  }
  std::string name(size_t task) const { return plan::taskText(plan, plan::allTasks(plan)[task]); }

  plan::Plan plan;
  std::vector<service::Done> answers;
};

TEST_F(Agreement, OnTheSizesOfDataSets) {
  has(1, 0, 60);
  has(2, 0, 60);
  has(2, 1, 7);
  auto sizes = compareDatasets(plan, answers);
  ASSERT_TRUE(sizes.ok()) << sizes.status();
  EXPECT_EQ(*sizes, DatasetSizes({{0, 60}, {1, 7}}));
  has(0, 1, 8);
  EXPECT_THAT(std::string(compareDatasets(plan, answers).status().message()),
              HasSubstr("data set other has 8 samples on " + name(0) + " and 7 on " + name(2)));
}

TEST_F(Agreement, OnHowGpusMakeTheirProducts) {
  auto makes = [&](size_t task, const char *kernel, const char *text) {
    service::Algorithm &one = *answers[task].add_algorithms();
    one.set_kernel(kernel);
    one.set_text(text);
  };
  EXPECT_TRUE(compareAlgorithms(plan, answers, false)->empty());
  makes(0, "p", "one way");
  makes(2, "p", "one way");
  makes(2, "q", "another");
  EXPECT_EQ(*compareAlgorithms(plan, answers, false),
            (std::map<std::string, std::string>{{"p", "one way"}, {"q", "another"}}));
  makes(1, "q", "one way");
  EXPECT_THAT(std::string(compareAlgorithms(plan, answers, true).status().message()),
              HasSubstr(name(2) + " does not compute q as " + name(1) + " does: " + name(2) +
                        " by another; " + name(1) + " by one way; the bits"));
}

TEST_F(Agreement, OnHowCpusMakeTheirProducts) {
  for (size_t task : {0, 1}) {
    service::Algorithm &one = *answers[task].add_algorithms();
    one.set_kernel("p");
    one.set_text(task ? "CPU: oneDNN 3" : "CPU: oneDNN 2");
  }
  EXPECT_TRUE(compareAlgorithms(plan, answers, true).ok());
  EXPECT_THAT(
      std::string(compareAlgorithms(plan, answers, false).status().message()),
      HasSubstr("give all tasks alike CPUs and the same oneDNN, or run it with --new_algorithms"));
}

TEST_F(Agreement, OnTheBitsOfMirroredVariables) {
  EXPECT_TRUE(compareMirrors(plan, answers, "at the start").ok()) << "nobody has any";
  answers[0].set_mirrors_crc(5);
  answers[2].set_mirrors_crc(5);
  EXPECT_TRUE(compareMirrors(plan, answers, "at the start").ok());
  answers[2].set_mirrors_crc(6);
  absl::Status differ = compareMirrors(plan, answers, "at the checkpoint");
  EXPECT_TRUE(absl::IsDataLoss(differ));
  EXPECT_THAT(std::string(differ.message()),
              HasSubstr("on " + name(0) + " and " + name(2) + " differ at the checkpoint"));
}

} // namespace
} // namespace graphc::session
