//===- Budget.cpp - limits of cluster.json that a plan must keep ----------------------------------------------------===//
#include "tools/graphc/Budget.h"

#include "tools/graphc/PlanFacts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace graphc {

/// "1.50 MiB (1572864 bytes)": the number in the file may be exact.
static std::string exactly(uint64_t bytes) {
  return bytes < 1024 ? inBytes(bytes) : inBytes(bytes) + " (" + std::to_string(bytes) + " bytes)";
}

static void complain(const cluster::ClusterConfig &cluster, const llvm::Twine &message,
                     llvm::ArrayRef<Contributor> contributors, llvm::raw_ostream &os) {
  os << std::string(cluster.error(cluster.budget.position, "error: " + message.str()).message()) << '\n';
  constexpr size_t kShown = 5;
  for (const Contributor &contributor : contributors.take_front(kShown)) {
    if (contributor.bytes == 0)
      break;
    os << (contributor.location.empty() ? "" : contributor.location + ": ") << "note: " << contributor.what << " takes "
       << inBytes(contributor.bytes) << '\n';
  }
  if (contributors.size() > kShown)
    os << "note: and " << contributors.size() - kShown << " smaller ones\n";
}

bool keepsBudget(const plan::Plan &plan, const cluster::ClusterConfig &cluster, llvm::raw_ostream &os) {
  const cluster::BudgetConfig &budget = cluster.budget;
  if (!budget.memory && !budget.bytesPerStep)
    return true;
  bool keeps = true;
  Footprint footprint = computeFootprint(plan);
  if (budget.memory && !footprint.devices.empty()) {
    const Footprint::Device *fullest = &footprint.devices.front();
    for (const Footprint::Device &device : footprint.devices)
      if (device.total() > fullest->total())
        fullest = &device;
    if (fullest->total() > *budget.memory) {
      complain(cluster,
               fullest->name + " needs " + exactly(fullest->total()) + " of memory (variables " +
                   inBytes(fullest->variables) + ", arenas " + inBytes(fullest->arena) + ", channels " +
                   inBytes(fullest->channels) + "), the budget is " + exactly(*budget.memory) +
                   "; a smaller batch, more tasks or another placement lowers it",
               fullest->contributors, os);
      keeps = false;
    }
  }
  if (budget.bytesPerStep && footprint.bytesPerStep > *budget.bytesPerStep) {
    complain(cluster,
             "a step sends " + exactly(footprint.bytesPerStep) + " between tasks, the budget is " +
                 exactly(*budget.bytesPerStep) + "; another strategy or placement lowers it (see --compare)",
             footprint.traffic, os);
    keeps = false;
  }
  return keeps;
}

} // namespace graphc
