//===- MachineCalibration.cpp - how fast this machine is, as a file ---------------------------===//
#include "runtime/common/cluster/MachineCalibration.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/Json.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>
#include <vector>

namespace graphc::cluster {

using base::JsonValue;
using base::quoteJson;

namespace {

using Kind = JsonValue::Kind;

/// One number of the file and where it goes.
struct Field {
  const char *object, *key; ///< object "": the file's own
  double *value;
  bool optional = false;
};

std::vector<Field> fieldsOf(MachineCalibration &c) {
  return {{"", "matmul_gflops", &c.matmulGflops},
          {"", "memory_gigabytes_per_second", &c.memoryGigabytesPerSecond},
          {"", "call_nanoseconds", &c.callNanoseconds},
          {"shared_memory", "latency_us", &c.sharedMemory.latencyMicroseconds},
          {"shared_memory", "gigabits_per_second", &c.sharedMemory.gigabitsPerSecond},
          {"grpc", "latency_us", &c.grpc.latencyMicroseconds},
          {"grpc", "gigabits_per_second", &c.grpc.gigabitsPerSecond},
          {"gpus", "matmul_gflops", &c.gpu.matmulGflops, true},
          {"gpus", "memory_gigabytes_per_second", &c.gpu.memoryGigabytesPerSecond, true},
          {"gpus", "launch_us", &c.gpu.launchMicroseconds, true},
          {"gpus", "kernel_us", &c.gpu.kernelMicroseconds, true},
          {"gpus", "pcie_us", &c.gpu.pcieMicroseconds, true},
          {"gpus", "pcie_gigabytes_per_second", &c.gpu.pcieGigabytesPerSecond, true}};
}

absl::Status readObject(const JsonValue &value, const std::string &object, const std::string &path,
                        MachineCalibration &calibration) {
  if (!value.is(Kind::Object))
    return base::errorAt(path, value.position,
                         absl::StrCat("expected an object, got ", value.describe()));
  std::vector<std::string> known;
  if (object.empty())
    known = {"version", "cpu", "cores", "shared_memory", "grpc", "gpus"};
  for (const Field &field : fieldsOf(calibration)) {
    if (object != field.object)
      continue;
    known.push_back(field.key);
    const JsonValue *number = value.find(field.key);
    if (!number && field.optional)
      continue;
    if (!number)
      return base::errorAt(path, value.position, absl::StrCat("lacks ", quoteJson(field.key)));
    if (!(number->is(Kind::Integer) || number->is(Kind::Float)) || !(number->number > 0) ||
        number->number > 1e12)
      return base::errorAt(path, number->position,
                           absl::StrCat("expected a number above 0 for ", quoteJson(field.key),
                                        ", got ", number->describe()));
    *field.value = number->number;
  }
  for (const base::JsonMember &member : value.members)
    if (std::find(known.begin(), known.end(), member.key) == known.end())
      return base::errorAt(
          path, member.position,
          absl::StrCat("unknown key ", quoteJson(member.key), base::didYouMean(member.key, known)));
  return absl::OkStatus();
}

} // namespace

std::string calibrationPath() {
  const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (xdg && *xdg == '/')
    return absl::StrCat(xdg, "/graphc/calibration.json");
  return home && *home == '/' ? absl::StrCat(home, "/.cache/graphc/calibration.json")
                              : std::string();
}

absl::StatusOr<MachineCalibration> readCalibration(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(std::string text, base::readFile(path, 1 << 20));
  GRAPHC_ASSIGN_OR_RETURN(JsonValue json, base::parseJson(text, path));
  MachineCalibration calibration;
  calibration.source = path;
  GRAPHC_RETURN_IF_ERROR(readObject(json, "", path, calibration));
  const JsonValue *version = json.find("version");
  if (!version || !version->is(Kind::Integer) || version->integer != 1)
    return base::errorAt(path, version ? version->position : json.position,
                         "expected \"version\": 1; measure again with graphrun calibrate");
  if (const JsonValue *cpu = json.find("cpu"); cpu && cpu->is(Kind::String))
    calibration.cpu = cpu->string;
  const JsonValue *cores = json.find("cores");
  if (!cores || !cores->is(Kind::Integer) || cores->integer < 1 || cores->integer > 65536)
    return base::errorAt(path, cores ? cores->position : json.position,
                         "expected \"cores\": a number from 1 to 65536");
  calibration.cores = uint32_t(cores->integer);
  for (const char *object : {"shared_memory", "grpc"}) {
    const JsonValue *value = json.find(object);
    if (!value)
      return base::errorAt(path, json.position, absl::StrCat("lacks ", quoteJson(object)));
    GRAPHC_RETURN_IF_ERROR(readObject(*value, object, path, calibration));
  }
  if (const JsonValue *gpu = json.find("gpus")) { // calibrate does not measure it
    GRAPHC_RETURN_IF_ERROR(readObject(*gpu, "gpus", path, calibration));
    calibration.gpuGiven = true;
  }
  return calibration;
}

absl::StatusOr<MachineCalibration> loadCalibration(const std::string &path) {
  if (!path.empty())
    return readCalibration(path);
  std::string usual = calibrationPath();
  return usual.empty() || access(usual.c_str(), F_OK) != 0 ? MachineCalibration()
                                                           : readCalibration(usual);
}

std::string toJson(const MachineCalibration &c) {
  auto link = [](const MachineCalibration::Link &l) {
    return absl::StrFormat("{\"latency_us\": %.3g, \"gigabits_per_second\": %.3g}",
                           l.latencyMicroseconds, l.gigabitsPerSecond);
  };
  return absl::StrFormat(
      "{\n  \"version\": 1,\n  \"cpu\": %s,\n  \"cores\": %d,\n  \"matmul_gflops\": %.3g,\n"
      "  \"memory_gigabytes_per_second\": %.3g,\n  \"call_nanoseconds\": %.3g,\n"
      "  \"shared_memory\": %s,\n  \"grpc\": %s\n}\n",
      quoteJson(c.cpu), c.cores, c.matmulGflops, c.memoryGigabytesPerSecond, c.callNanoseconds,
      link(c.sharedMemory), link(c.grpc));
}

} // namespace graphc::cluster
