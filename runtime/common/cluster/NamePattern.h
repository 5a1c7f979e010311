// The patterns of placement rules, one matcher for the compiler and the runtime.
#ifndef GRAPHC_RUNTIME_COMMON_CLUSTER_NAMEPATTERN_H
#define GRAPHC_RUNTIME_COMMON_CLUSTER_NAMEPATTERN_H

#include <cstddef>
#include <string_view>

namespace graphc::cluster {

/// Whether `text` matches a pattern in which '*' stands for any run of characters and '?' for one.
/// Takes at most pattern × text steps.
bool matchesPattern(std::string_view pattern, std::string_view text);

/// As of every name in a plan, which has the placement rules.
inline constexpr std::size_t kMostPatternBytes = 4096;
/// A character below the space, or delete: no name has one, and no terminal should be shown it.
bool hasControlCharacter(std::string_view text);

} // namespace graphc::cluster

#endif // GRAPHC_RUNTIME_COMMON_CLUSTER_NAMEPATTERN_H
