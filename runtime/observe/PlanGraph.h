//===- PlanGraph.h - a plan as the graph that TensorBoard draws ---------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_OBSERVE_PLANGRAPH_H
#define GRAPHC_RUNTIME_OBSERVE_PLANGRAPH_H

#include "runtime/common/plan/plan.pb.h"

namespace graphc::observe {
class GraphDef;
}

namespace graphc::session {

/// A node for each variable, and for each instruction that computes, reads data or moves a value,
/// with its device, what it takes from whom, the shape of what it makes and its source line. A
/// program of all replicas is drawn once, on the first one's device. The plan is verified.
observe::GraphDef graphOf(const plan::Plan &plan);

} // namespace graphc::session
#endif
