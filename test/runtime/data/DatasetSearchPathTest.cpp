#include "runtime/data/DatasetSearchPath.h"
#include "test/runtime/data/TestFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc::data;
using testing::AllOf;
using testing::HasSubstr;

namespace {

class DataSearchTest : public testing::Test {
protected:
  DataSearchTest() {
    search.planDir = folder / "plans";
    search.systemDirs = {folder / "local", folder / "share"};
  }
  std::string errorOf(const std::string &name) {
    auto path = findDataFile(name, search);
    return path.ok() ? "found " + *path : std::string(path.status().message());
  }
  TemporaryFolder folder;
  DatasetSearchPath search;
};

TEST_F(DataSearchTest, DataDirBeatsPlanBeatsSystem) {
  std::string system = folder.write("share/fashion/x.gz", "");
  EXPECT_EQ(*findDataFile("x.gz", search), system);
  std::string beside = folder.write("plans/x.gz", "");
  EXPECT_EQ(*findDataFile("x.gz", search), beside);
  std::string named = folder.write("data/x.gz", "");
  search.dataDir = folder / "data";
  EXPECT_EQ(*findDataFile("x.gz", search), named);
}

TEST_F(DataSearchTest, TheOtherSpellingIsFound) {
  std::string plain = folder.write("plans/x", ""), packed = folder.write("plans/y.gz", "");
  EXPECT_EQ(*findDataFile("x.gz", search), plain);
  EXPECT_EQ(*findDataFile("y", search), packed);
}

TEST_F(DataSearchTest, MissingListsWhereItLookedAndTheRemedy) {
  EXPECT_THAT(errorOf("x.gz"),
              AllOf(HasSubstr("x.gz not found"), HasSubstr("plans (beside the plan)"),
                    HasSubstr("local/*"), HasSubstr("share/*"), HasSubstr("--data_dir")));
}

TEST_F(DataSearchTest, GivenDataDirNothingElseIsTaken) {
  folder.write("share/fashion/x.gz", "");
  search.dataDir = folder / "nowhere";
  EXPECT_THAT(errorOf("x.gz"), AllOf(HasSubstr("x.gz not found"), HasSubstr("which is no folder")));
}

TEST_F(DataSearchTest, SeveralDataSetsWithThatFileAreAnError) {
  folder.write("share/fashion/x.gz", "");
  folder.write("share/mnist/x.gz", "");
  EXPECT_THAT(errorOf("x.gz"), AllOf(HasSubstr("several data sets"), HasSubstr("fashion/x.gz"),
                                     HasSubstr("--data_dir")));
  EXPECT_THAT(errorOf("mnist/x.gz"), HasSubstr("found")) << "a name with its folder is unambiguous";
}

TEST_F(DataSearchTest, AbsolutePathsAreTaken) {
  std::string path = folder.write("elsewhere/x", "");
  EXPECT_EQ(*findDataFile(path, search), path);
  EXPECT_THAT(errorOf(path + "y"), HasSubstr("not found"));
  EXPECT_THAT(errorOf(""), HasSubstr("empty or malformed"));
}

} // namespace
