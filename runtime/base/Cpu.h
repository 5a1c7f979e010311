//===- Cpu.h - what this CPU can do, in LLVM's names ---------------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_BASE_CPU_H
#define GRAPHC_RUNTIME_BASE_CPU_H

#include <string>
#include <string_view>
#include <vector>

namespace graphc::base {

/// Features of LLVM's spelling ("avx512f", "+avx2" is taken too, "-x" needs nothing) in `needed` that this CPU lacks, or the operating
/// system does not support; also those that isCpuFeature() does not know: a plan for a CPU newer than this program is no reason to try.
std::vector<std::string> missingCpuFeatures(const std::vector<std::string> &needed);

/// Whether the name is one of a feature that this program can look for.
bool isCpuFeature(std::string_view name);

/// The kernel's name for this CPU ("AMD EPYC 9354"), or "this CPU".
std::string cpuModelName();

} // namespace graphc::base
#endif
