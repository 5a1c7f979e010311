// What calibrate writes is read again; whatever else the file holds is refused with its place.
#include "runtime/common/cluster/MachineCalibration.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace graphc::cluster;
using testing::HasSubstr;

namespace {

class CalibrationFile : public testing::Test {
protected:
  void write(const std::string &text) { std::ofstream(path) << text; }
  std::string errorOf(const std::string &text) {
    write(text);
    return std::string(readCalibration(path).status().message());
  }
  void TearDown() override { std::filesystem::remove(path); }

  std::string path = testing::TempDir() + "calibration-" + std::to_string(getpid()) + ".json";
};

/// `from` in a good file replaced by `to`.
std::string changed(const std::string &from, const std::string &to) {
  std::string text = toJson(MachineCalibration());
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(CalibrationFile, IsReadAsItWasWritten) {
  MachineCalibration written;
  written.cpu = "a \"fast\" one";
  written.cores = 12;
  written.matmulGflops = 123;
  written.grpc.latencyMicroseconds = 45.5;
  write(toJson(written));
  auto read = readCalibration(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(toJson(*read), toJson(written));
  EXPECT_EQ(read->source, path);
}

TEST_F(CalibrationFile, WrongOnesAreRefusedWithTheirPlace) {
  EXPECT_THAT(errorOf("[]"), HasSubstr(":1:1: expected an object"));
  EXPECT_THAT(errorOf("{}"), HasSubstr("lacks \"matmul_gflops\""));
  EXPECT_THAT(errorOf(changed("\"version\": 1", "\"version\": 2")),
              HasSubstr(":2:14: expected \"version\": 1"));
  EXPECT_THAT(errorOf(changed("\"cores\": 4", "\"cores\": 0")),
              HasSubstr("expected \"cores\": a number from 1"));
  EXPECT_THAT(errorOf(changed("\"matmul_gflops\": 50", "\"matmul_gflops\": -1")),
              HasSubstr("expected a number above 0 for \"matmul_gflops\", got the number -1"));
  EXPECT_THAT(errorOf(changed("\"grpc\"", "\"gprc\"")),
              HasSubstr("unknown key \"gprc\"; did you mean \"grpc\"?"));
  EXPECT_THAT(errorOf(changed("\"latency_us\": 10, ", "")), HasSubstr("lacks \"latency_us\""));
}

TEST_F(CalibrationFile, FiguresOfAGpuMayBeGiven) {
  write(toJson(MachineCalibration()));
  EXPECT_FALSE(readCalibration(path)->gpuGiven);
  write(changed(
      "\"version\": 1,",
      "\"version\": 1, \"gpus\": {\"launch_us\": 2.5, \"pcie_gigabytes_per_second\": 25},"));
  auto read = readCalibration(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->gpuGiven);
  EXPECT_EQ(read->gpu.launchMicroseconds, 2.5);
  EXPECT_EQ(read->gpu.pcieGigabytesPerSecond, 25);
  EXPECT_EQ(read->gpu.matmulGflops, MachineCalibration().gpu.matmulGflops); // not given
  EXPECT_THAT(errorOf(changed("\"version\": 1,", "\"version\": 1, \"gpus\": {\"lunch_us\": 1},")),
              HasSubstr("unknown key \"lunch_us\"; did you mean \"launch_us\"?"));
}

TEST_F(CalibrationFile, TheUsualPlaceAndTheBuiltInFigures) {
  setenv("XDG_CACHE_HOME", (testing::TempDir() + "no-such-cache").c_str(), 1);
  EXPECT_THAT(calibrationPath(), testing::EndsWith("no-such-cache/graphc/calibration.json"));
  auto none = loadCalibration("");
  ASSERT_TRUE(none.ok());
  EXPECT_THAT(none->source, HasSubstr("built-in figures"));
  EXPECT_FALSE(loadCalibration("/no/such/file.json").ok());
}

} // namespace
