//===- Simulator.h - runs outlined and scheduled phases on symbolic values ----------*- C++ -*-===//
//
// Memory is blocks of 64 bytes that hold a hash of how their value came about; a buffer whose
// blocks differ was overwritten. The programs take turns at random. A message is a pointer to the
// sender's memory until its send_done: the worst that a transport may do. A zero-copy message is
// one until its release.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TEST_PASSES_SCHEDULE_SIMULATOR_H
#define GRAPHC_TEST_PASSES_SCHEDULE_SIMULATOR_H

#include "dialects/dist/DistDialect.h"

#include <map>
#include <string>

namespace graphc::test {

struct Outcome {
  std::string error; ///< empty: the steps ended
  std::map<std::string, uint64_t> results; ///< fetches by "name@step", variables at the end
};

Outcome simulate(mlir::ModuleOp module, int steps, uint64_t seed);

} // namespace graphc::test
#endif
