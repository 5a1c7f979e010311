//===- ConfigReader.h -------------------------------------------------------------------------===//
//
// What the parsers of cluster.json's parts share: refusals that name place and expectation.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_CLUSTER_CONFIGREADER_H
#define GRAPHC_RUNTIME_COMMON_CLUSTER_CONFIGREADER_H

#include "runtime/common/base/TextUtils.h"
#include "runtime/common/cluster/ClusterConfig.h"

#include "absl/strings/str_cat.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graphc::cluster {

using base::didYouMean;
using base::JsonMember;
using base::JsonPosition;
using base::JsonValue;
using base::nearestWord;
using base::quoteJson;

/// The keys that an object of clusterKeys() may have.
const std::vector<std::string> &keysOf(std::string_view object);
/// "a", "b", "c".
std::string listOf(const std::vector<std::string> &words);

class ConfigReader {
public:
  explicit ConfigReader(ClusterConfig &config) : config(config) {}

protected:
  using Kind = JsonValue::Kind;

  /// Refuses members that are not `known`, with the nearest one; `what` says where: " in a link".
  absl::Status checkKeys(const JsonValue &object, std::string_view what,
                         const std::vector<std::string> &known) const;
  absl::Status unknownKey(const JsonMember &member, std::string_view what,
                          const std::vector<std::string> &known) const;
  absl::Status expected(const JsonValue &value, std::string_view what) const;
  absl::Status unknownJob(JsonPosition at, const std::string &name) const;
  /// A device name, maybe partial, whose job and task exist.
  absl::Status readDevice(const JsonValue &value, DeviceSpec &out) const;
  absl::Status readMemberDevice(const JsonValue &object, std::string_view key,
                                std::string_view what, DeviceSpec &out) const;
  /// A number of bytes: 65536 or "64 MiB" (B, KiB, MiB, GiB, TiB); at least 1.
  absl::Status readBytes(const JsonValue &value, std::string_view key, uint64_t &out) const;
  absl::Status readCount(const JsonValue &value, std::string_view key, int64_t low, int64_t high,
                         int64_t &out) const;

  /// Finds `value` among the words of an enumeration, or says which there are.
  template <typename Enum>
  absl::Status readWord(const JsonValue &value, std::string_view what,
                        std::initializer_list<std::pair<const char *, Enum>> words,
                        Enum &out) const {
    std::vector<std::string> names;
    for (auto &[word, meaning] : words) {
      names.push_back(word);
      if (value.is(Kind::String) && value.string == word) {
        out = meaning;
        return absl::OkStatus();
      }
    }
    return unknownWord(value, what, names);
  }

  ClusterConfig &config;

private:
  absl::Status unknownWord(const JsonValue &value, std::string_view what,
                           const std::vector<std::string> &names) const;
};

/// A strategy's name, or the object with its settings.
class StrategyParser : ConfigReader {
public:
  using ConfigReader::ConfigReader;
  absl::Status parse(const JsonValue &value, StrategyConfig &strategy) const;
  /// Chooses a strategy where none is given, and checks it against the jobs.
  absl::Status finish(StrategyConfig &strategy) const;

private:
  absl::Status parseSetting(const JsonMember &member, StrategyConfig &strategy) const;
  std::pair<const JobConfig *, std::string> misspeltRole() const;
};

} // namespace graphc::cluster
#endif
