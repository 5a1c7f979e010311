#include "runtime/common/cluster/ConfigReader.h"

#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

#include <algorithm>
#include <cmath>

namespace graphc::cluster {

const std::vector<std::string> &keysOf(std::string_view object) {
  for (const ClusterKeys &keys : clusterKeys())
    if (keys.object == object)
      return keys.keys;
  static const auto &none = *new std::vector<std::string>;
  return none;
}

std::string listOf(const std::vector<std::string> &words) {
  return absl::StrJoin(
      words, ", ", [](std::string *out, const std::string &word) { out->append(quoteJson(word)); });
}

absl::Status ConfigReader::checkKeys(const JsonValue &object, std::string_view what,
                                     const std::vector<std::string> &known) const {
  for (const JsonMember &member : object.members)
    if (std::find(known.begin(), known.end(), member.key) == known.end())
      return unknownKey(member, what, known);
  return absl::OkStatus();
}

absl::Status ConfigReader::unknownKey(const JsonMember &member, std::string_view what,
                                      const std::vector<std::string> &known) const {
  return config.error(member.position, absl::StrCat("unknown key ", quoteJson(member.key),
                                                    base::view(what), didYouMean(member.key, known),
                                                    "; known keys are ", listOf(known)));
}

absl::Status ConfigReader::expected(const JsonValue &value, std::string_view what) const {
  return config.error(value.position,
                      absl::StrCat("expected ", base::view(what), ", found ", value.describe()));
}

absl::Status ConfigReader::unknownJob(JsonPosition at, const std::string &name) const {
  std::vector<std::string> names;
  for (const JobConfig &job : config.jobs)
    names.push_back(job.name);
  return config.error(at, absl::StrCat("no job ", quoteJson(name), " in the cluster",
                                       didYouMean(name, names), "; its jobs are ", listOf(names)));
}

absl::Status ConfigReader::readDevice(const JsonValue &value, DeviceSpec &out) const {
  if (!value.is(Kind::String))
    return expected(value, "a device name such as \"/job:ps/task:0\"");
  absl::StatusOr<DeviceSpec> name = DeviceSpec::parse(value.string);
  if (!name.ok())
    return config.error(value.position, std::string(name.status().message()));
  if (name->job) {
    const JobConfig *job = config.findJob(*name->job);
    if (!job)
      return unknownJob(value.position, *name->job);
    if (name->task && *name->task >= job->tasks)
      return config.error(value.position,
                          absl::StrCat("job ", quoteJson(job->name), " has ", job->tasks,
                                       " tasks; there is no task ", *name->task));
  }
  out = *name;
  return absl::OkStatus();
}

absl::Status ConfigReader::readMemberDevice(const JsonValue &object, std::string_view key,
                                            std::string_view what, DeviceSpec &out) const {
  const JsonValue *value = object.find(key);
  if (!value)
    return config.error(object.position, absl::StrCat(base::view(what), " lacks ", quoteJson(key)));
  return readDevice(*value, out);
}

absl::Status ConfigReader::readBytes(const JsonValue &value, std::string_view key,
                                     uint64_t &out) const {
  constexpr double most = 1e18;
  if (value.is(Kind::Integer) && value.integer >= 1 && value.integer <= int64_t(most)) {
    out = static_cast<uint64_t>(value.integer);
    return absl::OkStatus();
  }
  if (value.is(Kind::String)) {
    // The schema's pattern: digits, maybe a fraction, maybe a blank, a unit.
    const std::string &text = value.string;
    size_t digits = text.find_first_not_of("0123456789."), unit = digits;
    if (unit != std::string::npos && text[unit] == ' ')
      ++unit;
    constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double factor = 1;
    for (const char *name : units) {
      if (unit != std::string::npos && digits > 0 && digits <= 15 && text.substr(unit) == name &&
          text[0] != '.' && text[digits - 1] != '.' &&
          std::count(text.begin(), text.end(), '.') <= 1) {
        double bytes = std::strtod(text.c_str(), nullptr) * factor;
        if (bytes >= 1 && bytes <= most) {
          out = static_cast<uint64_t>(bytes);
          return absl::OkStatus();
        }
      }
      factor *= 1024;
    }
  }
  return expected(value, absl::StrCat("a number of bytes for ", quoteJson(key),
                                      ", such as 65536 or \"64 MiB\""));
}

absl::Status ConfigReader::readCount(const JsonValue &value, std::string_view key, int64_t low,
                                     int64_t high, int64_t &out) const {
  if (!value.is(Kind::Integer) || value.integer < low || value.integer > high)
    return expected(value,
                    absl::StrCat("a number from ", low, " to ", high, " for ", quoteJson(key)));
  out = value.integer;
  return absl::OkStatus();
}

absl::Status ConfigReader::unknownWord(const JsonValue &value, std::string_view what,
                                       const std::vector<std::string> &names) const {
  if (!value.is(Kind::String))
    return config.error(value.position,
                        absl::StrCat("expected one of ", listOf(names), " for ", base::view(what),
                                     ", found ", value.describe()));
  return config.error(value.position,
                      absl::StrCat("unknown ", base::view(what), " ", quoteJson(value.string),
                                   didYouMean(value.string, names), "; known are ", listOf(names)));
}

} // namespace graphc::cluster
