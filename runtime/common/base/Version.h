//===- Version.h - graphc's version -------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_VERSION_H
#define GRAPHC_RUNTIME_COMMON_BASE_VERSION_H

namespace graphc::base {

/// "0.1.0": `project(VERSION)` of the top-level CMakeLists.txt. Every tool prints it for --version,
/// graphc writes it into plans, and the tasks of a run compare it.
const char *version();

} // namespace graphc::base
#endif
