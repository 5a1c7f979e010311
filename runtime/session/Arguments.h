//===- Arguments.h - what a run has to be fed -----------------------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_ARGUMENTS_H
#define GRAPHC_RUNTIME_SESSION_ARGUMENTS_H

#include "runtime/plan/plan.pb.h"

#include <map>
#include <string>

namespace graphc::session {

struct Argument {
  plan::TensorType type;
  std::string function; ///< of this run, which asks for it; empty: of another entry
};

/// The arguments of a plan's functions, by name. Training evaluates at its end, so it asks for eval's arguments too.
std::map<std::string, Argument> argumentsOf(const plan::Plan &plan, const std::string &entry);

} // namespace graphc::session
#endif
