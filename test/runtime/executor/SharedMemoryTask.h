//===- SharedMemoryTask.h - one task's shared memory, without a session -------------*- C++ -*-===//
#ifndef GRAPHC_TEST_RUNTIME_EXECUTOR_SHAREDMEMORYTASK_H
#define GRAPHC_TEST_RUNTIME_EXECUTOR_SHAREDMEMORYTASK_H

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/executor/PhaseSetup.h"
#include "runtime/executor/VariableStore.h"
#include "runtime/transport/SharedMemoryTransport.h"

#include "test/runtime/transport/TestPaths.h"

#include "absl/time/clock.h"

#include <map>
#include <memory>
#include <string>

namespace graphc::executor {

/// Joins all other tasks of the plan, which do the same at the same time, in processes or threads.
/// `run`: its name.
inline absl::StatusOr<std::unique_ptr<transport::SharedMemoryTransport>>
connectTask(const plan::Plan &plan, const plan::Task &task, const std::string &run,
            const VariableStore &variables) {
  transport::SharedMemoryOptions options{run, std::string(64, 'f'), plan::taskText(plan, task), {}};
  std::map<std::string, size_t> peers;
  for (const ChannelEndpoint &endpoint : taskEndpoints(plan, task)) {
    std::string name = plan::taskText(plan, endpoint.peer);
    auto [it, isNew] = peers.try_emplace(name, options.peers.size());
    if (isNew)
      options.peers.push_back({name, {}, {}, {}});
    auto &peer = options.peers[it->second];
    (endpoint.sends ? peer.outgoing : peer.incoming).push_back(endpoint.spec);
  }
  const device::MemoryRegion &zeroCopy = variables.zeroCopy().memory();
  options.zeroCopyFd = zeroCopy.descriptor();
  options.zeroCopy = zeroCopy.data();
  options.zeroCopyBytes = zeroCopy.size();
  GRAPHC_ASSIGN_OR_RETURN(auto transport, transport::listenAtTestPath(options));
  GRAPHC_RETURN_IF_ERROR(transport->connect(absl::Now() + absl::Seconds(20)));
  return transport;
}

} // namespace graphc::executor
#endif
