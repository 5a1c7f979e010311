//===- StrategyRules.h - which settings of a strategy go together -------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_CLUSTER_STRATEGYRULES_H
#define GRAPHC_RUNTIME_COMMON_CLUSTER_STRATEGYRULES_H

#include "runtime/common/cluster/ClusterConfig.h"

#include <optional>
#include <string>
#include <string_view>

namespace graphc::cluster {

/// A setting that does not go with the strategy or with another setting, and why.
struct SettingConflict {
  std::string key; ///< as cluster.json calls it
  std::string message;
};

/// Whether the setting `key` belongs to other strategies than `kind`.
std::optional<SettingConflict> findForeign(std::string_view key, StrategyKind kind);

/// The first of a strategy, wherever it comes from: cluster.json, a flag, a program. A setting that
/// is its default counts as none.
std::optional<SettingConflict> findMisfit(const StrategyConfig &strategy);

} // namespace graphc::cluster
#endif
