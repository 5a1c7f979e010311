#include "runtime/common/cluster/DeviceSpec.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/device/DeviceKinds.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::cluster {
namespace {

/// Decimal without sign and leading zeros, below `end`; at most 9 digits so that it always fits.
bool parseIndex(std::string_view text, uint32_t &out, uint32_t end = UINT32_MAX) {
  if (text.empty() || text.size() > 9 || (text.size() > 1 && text[0] == '0') ||
      !std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isdigit(c); }))
    return false;
  return absl::SimpleAtoi(base::view(text), &out) && out < end;
}

absl::Status malformed(std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("malformed device name \"", base::view(text), "\": ", base::view(why),
                   "; expected a form like /job:worker/task:0/device:CPU:0 or a part of it"));
}

bool isWord(std::string_view s) {
  return !s.empty() && absl::ascii_isalpha(s[0]) &&
         std::all_of(s.begin(), s.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

} // namespace

bool isJobName(std::string_view name) { return name.size() <= 64 && isWord(name); }

std::string taskName(std::string_view job, uint32_t index) {
  return absl::StrCat("/job:", base::view(job), "/task:", index);
}

absl::StatusOr<DeviceSpec> DeviceSpec::parse(std::string_view text) {
  DeviceSpec name;
  if (text.size() > 256)
    return malformed(text.substr(0, 32), "longer than 256 characters");
  bool seenJob = false, seenReplica = false, seenTask = false, seenDevice = false;
  auto once = [&](bool &seen, std::string_view part) -> absl::Status {
    if (seen)
      return malformed(text, absl::StrCat("more than one ", base::view(part), " part"));
    seen = true;
    return absl::OkStatus();
  };
  auto parseDevice = [&](std::string_view type,
                         std::optional<std::string_view> index) -> absl::Status {
    if (absl::Status s = once(seenDevice, "device"); !s.ok())
      return s;
    if (type == "*") {
      if (index && *index != "*")
        return malformed(text, "a device index needs a device type before it");
      return absl::OkStatus();
    }
    const device::DeviceKind *kind = device::findKind(type);
    if (!kind)
      return malformed(text, absl::StrCat("unknown device type \"", base::view(type),
                                          "\"; known are ", device::listKinds("and")));
    name.type = std::string(kind->name);
    uint32_t number = 0;
    if (index && *index != "*") {
      if (!parseIndex(*index, number, kMostDevices))
        return malformed(text,
                         absl::StrCat("the device index must be a number below ", kMostDevices,
                                      " or *, found \"", base::view(*index), "\""));
      name.index = number;
    }
    return absl::OkStatus();
  };

  std::string_view rest = text;
  while (!rest.empty()) {
    if (rest[0] != '/')
      return malformed(text, "each part starts with '/'");
    rest.remove_prefix(1);
    std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(part.size());
    size_t colon = part.find(':');
    std::string_view key = part.substr(0, colon);
    std::string_view value =
        colon == std::string_view::npos ? std::string_view() : part.substr(colon + 1);
    bool hasValue = colon != std::string_view::npos;
    uint32_t number = 0;
    absl::Status status;
    if (key == "job") {
      if (status = once(seenJob, "job"); !status.ok())
        return status;
      if (value != "*" && !isJobName(value))
        return malformed(
            text,
            "after /job: a name of letters, digits and '_' that starts with a letter is expected");
      if (value != "*")
        name.job = std::string(value);
    } else if (key == "task") {
      if (status = once(seenTask, "task"); !status.ok())
        return status;
      if (value != "*" && !parseIndex(value, number, kMostTasks))
        return malformed(text,
                         absl::StrCat("after /task: a number below ", kMostTasks,
                                      " or * is expected, found \"", base::view(value), "\""));
      if (value != "*")
        name.task = number;
    } else if (key == "replica") {
      if (status = once(seenReplica, "replica"); !status.ok())
        return status;
      if (value != "*" && value != "0")
        return malformed(text, "only /replica:0 exists; replicas are tasks here");
    } else if (key == "device") {
      if (!hasValue)
        return malformed(text, "after /device a type is expected, as in /device:CPU:0");
      size_t second = value.find(':');
      status = second == std::string_view::npos
                   ? parseDevice(value, std::nullopt)
                   : parseDevice(value.substr(0, second), value.substr(second + 1));
      if (!status.ok())
        return status;
    } else {
      if (!device::findKind(key))
        return malformed(text, absl::StrCat("unknown part \"/", base::view(key), "\""));
      if (status = parseDevice(key, hasValue ? std::optional(value) : std::nullopt); !status.ok())
        return status;
    }
  }
  return name;
}

DeviceSpec DeviceSpec::mergedInto(const DeviceSpec &outer) const {
  DeviceSpec merged = outer;
  if (job)
    merged.job = job;
  if (task)
    merged.task = task;
  if (type) {
    if (merged.type != type)
      merged.index.reset();
    merged.type = type;
  }
  if (index)
    merged.index = index;
  return merged;
}

bool DeviceSpec::compatibleWith(const DeviceSpec &other) const {
  auto agree = [](const auto &a, const auto &b) { return !a || !b || *a == *b; };
  return agree(job, other.job) && agree(task, other.task) && agree(type, other.type) &&
         agree(index, other.index);
}

std::string DeviceSpec::str() const {
  std::string out;
  if (job)
    absl::StrAppend(&out, "/job:", *job);
  if (task)
    absl::StrAppend(&out, "/task:", *task);
  if (type) {
    absl::StrAppend(&out, "/device:", *type, ":");
    if (index)
      absl::StrAppend(&out, *index);
    else
      out += '*';
  }
  return out;
}

absl::StatusOr<TaskRange> TaskRange::parse(std::string_view text) {
  auto bad = [&] {
    return absl::InvalidArgumentError(
        absl::StrCat("malformed task range \"", base::view(text.substr(0, 64)),
                     "\"; expected a form like /job:worker/task:0-1"));
  };
  constexpr std::string_view jobPart = "/job:", taskPart = "/task:";
  size_t task = text.find(taskPart);
  if (text.substr(0, jobPart.size()) != jobPart || task == std::string_view::npos)
    return bad();
  TaskRange range;
  range.job = std::string(text.substr(jobPart.size(), task - jobPart.size()));
  std::string_view numbers = text.substr(task + taskPart.size());
  size_t dash = numbers.find('-');
  uint32_t last = 0;
  if (!isJobName(range.job) || !parseIndex(numbers.substr(0, dash), range.first))
    return bad();
  if (dash == std::string_view::npos)
    return range;
  if (!parseIndex(numbers.substr(dash + 1), last) || last < range.first)
    return bad();
  range.count = last - range.first + 1;
  return range;
}

std::string TaskRange::str() const {
  std::string out = taskName(job, first);
  return count == 1 ? out : absl::StrCat(out, "-", first + count - 1);
}

} // namespace graphc::cluster
