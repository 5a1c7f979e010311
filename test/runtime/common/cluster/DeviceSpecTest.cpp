#include "runtime/common/cluster/DeviceSpec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc::cluster;
using testing::HasSubstr;

namespace {

DeviceSpec name(std::string_view text) {
  auto parsed = DeviceSpec::parse(text);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.value_or(DeviceSpec());
}

std::string deviceError(std::string_view text) {
  auto parsed = DeviceSpec::parse(text);
  return parsed.ok() ? "" : std::string(parsed.status().message());
}

TEST(DeviceSpec, ReadsEveryFormAndPrintsTheCanonicalOne) {
  for (auto [text, canonical] : std::vector<std::pair<std::string, std::string>>{
           {"/job:worker/task:0/device:CPU:0", "/job:worker/task:0/device:CPU:0"},
           {"/job:worker/replica:0/task:3/device:gpu:1", "/job:worker/task:3/device:GPU:1"},
           {"/task:1/job:ps", "/job:ps/task:1"},
           {"/gpu:0", "/device:GPU:0"},
           {"/CPU:12", "/device:CPU:12"},
           {"/cpu:*", "/device:CPU:*"},
           {"/cpu", "/device:CPU:*"},
           {"/device:CPU", "/device:CPU:*"},
           {"/device:*", ""},
           {"/device:*:*", ""},
           {"/job:*/task:*", ""},
           {"", ""}}) {
    EXPECT_EQ(name(text).str(), canonical) << text;
    EXPECT_EQ(name(canonical), name(text)) << "printing " << text << " does not read back";
  }
  EXPECT_TRUE(name("/job:worker/task:0/device:CPU:0").isFull());
  EXPECT_FALSE(name("/job:worker/task:0/cpu:*").isFull());
}

TEST(DeviceSpec, RefusesWhatIsMalformed) {
  EXPECT_THAT(deviceError("job:worker"), HasSubstr("each part starts with '/'"));
  EXPECT_THAT(deviceError("/job:"), HasSubstr("after /job: a name"));
  EXPECT_THAT(deviceError("/job:1x"), HasSubstr("after /job: a name"));
  EXPECT_THAT(deviceError("/task:x"),
              HasSubstr("after /task: a number below 65536 or * is expected, found \"x\""));
  EXPECT_THAT(deviceError("/task:01"), HasSubstr("found \"01\""));
  EXPECT_THAT(deviceError("/task:99999999999"), HasSubstr("after /task: a number"));
  EXPECT_THAT(deviceError("/task:65536"), HasSubstr("after /task: a number below 65536"));
  EXPECT_THAT(deviceError("/device:TPU:0"),
              HasSubstr("unknown device type \"TPU\"; known are CPU and GPU"));
  EXPECT_THAT(deviceError("/device:CPU:x"),
              HasSubstr("the device index must be a number below 1024 or *"));
  EXPECT_THAT(deviceError("/device:CPU:1024"),
              HasSubstr("must be a number below 1024 or *, found \"1024\""));
  EXPECT_THAT(deviceError("/device:CPU:0:1"),
              HasSubstr("the device index must be a number below 1024 or *"));
  EXPECT_THAT(deviceError("/device"), HasSubstr("after /device a type is expected"));
  EXPECT_THAT(deviceError("/gpu:0/cpu:0"), HasSubstr("more than one device part"));
  EXPECT_THAT(deviceError("/job:a/job:b"), HasSubstr("more than one job part"));
  EXPECT_THAT(deviceError("/tpu:0"), HasSubstr("unknown part \"/tpu\""));
  EXPECT_THAT(deviceError("/"), HasSubstr("unknown part \"/\""));
  EXPECT_THAT(deviceError("/replica:1"), HasSubstr("only /replica:0"));
  EXPECT_THAT(deviceError(std::string(1000, '/')), HasSubstr("longer than 256"));
}

TEST(DeviceSpec, InnerScopeWinsWhenMerged) {
  EXPECT_EQ(name("/gpu:1").mergedInto(name("/job:worker/task:2/cpu:0")).str(),
            "/job:worker/task:2/device:GPU:1");
  EXPECT_EQ(name("/job:ps").mergedInto(name("/job:worker/task:2/cpu:0")).str(),
            "/job:ps/task:2/device:CPU:0");
  EXPECT_EQ(name("").mergedInto(name("/job:worker")).str(), "/job:worker");
  EXPECT_EQ(name("/cpu:*").mergedInto(name("/gpu:1")).str(), "/device:CPU:*")
      << "an index of another type was kept";
  EXPECT_EQ(name("/gpu:*").mergedInto(name("/gpu:1")).str(), "/device:GPU:1");
}

TEST(DeviceSpec, IsCompatibleWhenNoSetPartDiffers) {
  EXPECT_TRUE(name("/job:ps").compatibleWith(name("/task:1/cpu:0")));
  EXPECT_FALSE(name("/job:ps").compatibleWith(name("/job:worker")));
  EXPECT_FALSE(name("/cpu:0").compatibleWith(name("/cpu:1")));
  EXPECT_FALSE(name("/cpu:*").compatibleWith(name("/gpu:0")));
}

TEST(TaskRange, ReadsAndPrints) {
  auto range = TaskRange::parse("/job:worker/task:2-4");
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(*range, (TaskRange{"worker", 2, 3}));
  EXPECT_EQ(range->str(), "/job:worker/task:2-4");
  EXPECT_EQ(TaskRange::parse("/job:chief/task:0")->str(), "/job:chief/task:0");
  for (const char *bad : {"", "/job:worker", "/job:worker/task:4-2", "/job:/task:0", "worker",
                          "/job:w/task:-1", "/job:w/task:1-", "/job:w/task:0-1-2"})
    EXPECT_FALSE(TaskRange::parse(bad).ok()) << bad;
}

} // namespace
