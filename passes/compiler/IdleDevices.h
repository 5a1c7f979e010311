//===- IdleDevices.h - devices of the cluster that a plan leaves without work -------*- C++ -*-===//
#ifndef GRAPHC_PASSES_COMPILER_IDLEDEVICES_H
#define GRAPHC_PASSES_COMPILER_IDLEDEVICES_H

#include "passes/compiler/Diagnostic.h"
#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/common/plan/plan.pb.h"

namespace graphc {

/// A remark where devices of cluster.json have neither a program nor a variable. Not for
/// one_device.
void remarkOnIdleDevices(const plan::Plan &plan, const cluster::ClusterConfig &cluster,
                         const DiagnosticSink &sink);

} // namespace graphc

#endif
