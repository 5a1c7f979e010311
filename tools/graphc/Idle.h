//===- Idle.h - devices of the cluster that a plan leaves without work --------------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHC_IDLE_H
#define GRAPHC_TOOLS_GRAPHC_IDLE_H

#include "runtime/cluster/ClusterConfig.h"
#include "runtime/plan/plan.pb.h"

#include "llvm/Support/raw_ostream.h"

namespace graphc {

/// One line where devices of cluster.json have neither a program nor a variable. Not for one_device.
void remarkOnIdleDevices(const plan::Plan &plan, const cluster::ClusterConfig &cluster, llvm::raw_ostream &os);

} // namespace graphc

#endif
