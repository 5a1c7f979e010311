//===- RandomPhase.h - random outlined phases for the tests of schedule -------------*- C++ -*-===//
#ifndef GRAPHC_TEST_PASSES_SCHEDULE_RANDOMPHASE_H
#define GRAPHC_TEST_PASSES_SCHEDULE_RANDOMPHASE_H

#include <cstdint>
#include <string>

namespace graphc::test {

/// A module of one phase with 1 to 4 programs in the order of one function: kernels with one or two
/// inputs, variables that are read, sent and updated, values that cross, are forwarded and are
/// fetched, loops whose values are summed.
std::string makeRandomPhase(uint64_t seed);

} // namespace graphc::test
#endif
