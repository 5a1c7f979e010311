#include "runtime/common/device/DeviceKinds.h"

#include <gtest/gtest.h>

#include <set>

namespace graphc::device {
namespace {

TEST(DeviceKinds, AreFoundInWhateverCase) {
  for (const DeviceKind &kind : kinds()) {
    EXPECT_EQ(findKind(kind.name), &kind);
    std::string lower(kind.name);
    for (char &c : lower)
      c = char(tolower(c));
    EXPECT_EQ(findKind(lower), &kind);
    EXPECT_EQ(findKind(lower + "0"), nullptr);
    EXPECT_EQ(findKind(lower.substr(1)), nullptr);
  }
  EXPECT_EQ(findKind(""), nullptr);
}

TEST(DeviceKinds, HaveNamesOfTheirOwnInCapitals) {
  std::set<std::string_view> names;
  for (const DeviceKind &kind : kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    for (char c : kind.name)
      EXPECT_TRUE(c >= 'A' && c <= 'Z') << kind.name;
  }
}

TEST(DeviceKinds, TheHostHasCode) {
  EXPECT_TRUE(hostKind().hasCode());
  EXPECT_EQ(hostDevice(), std::string(hostKind().name) + ":0");
}

TEST(DeviceKinds, SayHowManyPlacesALoopMayName) {
  EXPECT_GE(placesOf(hostKind().name), 27); // a window of 3x3x3
  // written out, one of 3x3 wants more registers than a thread has
  EXPECT_LT(placesOf(gpuKind().name), 9);
  EXPECT_EQ(placesOf("none of them"), DeviceKind{}.places);
}

TEST(DeviceKinds, AreListedForPeople) {
  EXPECT_EQ(listKinds("and"), "CPU and GPU");
  EXPECT_EQ(listKinds("or"), "CPU or GPU");
  EXPECT_EQ(listCompiledKinds(), "CPUs and GPUs");
}

} // namespace
} // namespace graphc::device
