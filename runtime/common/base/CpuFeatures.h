//===- CpuFeatures.h - what this CPU can do, in LLVM's names ------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_CPUFEATURES_H
#define GRAPHC_RUNTIME_COMMON_BASE_CPUFEATURES_H

#include "absl/status/statusor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::base {

/// The x86-64 levels of the System V psABI, as far as they differ in what graphc can use.
enum class CpuLevel : int { V2 = 2, V3 = 3, V4 = 4 };

/// The name of a level in the spelling of LLVM and the psABI: "x86-64-v3".
std::string_view cpuLevelName(CpuLevel level);

/// Parses the value of the environment variable GRAPHC_MAX_CPU_ISA: empty or "x86-64-v2",
/// "x86-64-v3", "x86-64-v4". An empty value is no limit. Any other value is an InvalidArgument
/// error that lists the names.
absl::StatusOr<std::optional<CpuLevel>> parseMaxCpuLevel(std::string_view value);

/// The limit that GRAPHC_MAX_CPU_ISA sets for this process, or no limit. The variable is read once.
/// With a limit, every choice that depends on the CPU behaves as on a CPU of that level: the native
/// target of graphc, the features that compiled code may need, this project's own kernels and
/// oneDNN's. graphc and graphrun refuse an invalid value before they start work; in other programs
/// compiling and loading a plan return the error.
const absl::StatusOr<std::optional<CpuLevel>> &maxCpuLevel();

/// Whether a CPU of the level has the feature, in LLVM's spelling.
bool cpuLevelHasFeature(CpuLevel level, std::string_view feature);

/// Features of LLVM's spelling ("avx512f", "+avx2" is taken too, "-x" needs nothing) in `needed`
/// that this CPU lacks, that the operating system does not support, or that maxCpuLevel() excludes;
/// also those that isCpuFeature() does not know: a plan for a CPU newer than this program is no
/// reason to try.
std::vector<std::string> missingCpuFeatures(const std::vector<std::string> &needed);

/// Whether this process may use the features: the CPU has them and GRAPHC_MAX_CPU_ISA allows them.
bool hasCpuFeatures(const std::vector<std::string> &needed);

/// Whether the name is one of a feature that this program can look for.
bool isCpuFeature(std::string_view name);

/// The kernel's name for this CPU ("AMD EPYC 9354"), or "this CPU".
std::string cpuModelName();

} // namespace graphc::base
#endif
