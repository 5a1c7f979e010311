// Changes of a plan as a hostile hand would make them: something else is done.
#ifndef GRAPHC_TEST_FUZZ_MUTATE_H
#define GRAPHC_TEST_FUZZ_MUTATE_H

#include "runtime/common/plan/plan.pb.h"

#include <random>

namespace graphc::test {

using Random = std::mt19937_64;

/// One change: an instruction moved, doubled or left out, or a number of an instruction, buffer,
/// channel, program or kernel.
void mutatePlan(plan::Plan &plan, Random &random);

} // namespace graphc::test
#endif
