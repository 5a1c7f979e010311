// A small plan that passes verifyPlan and holds one of everything: a parameter server and two
// workers, a channel of several instances with an aggregate, messages of an actual size both ways,
// control messages, both kinds of kernels, both kinds of data sets, feeds, fetches and metrics.
#ifndef GRAPHC_TEST_FUZZ_SAMPLEPLAN_H
#define GRAPHC_TEST_FUZZ_SAMPLEPLAN_H

#include "runtime/common/plan/plan.pb.h"

namespace graphc::test {

plan::Plan samplePlan();

} // namespace graphc::test
#endif
