#include "passes/place/VariablePlacement.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace graphc {

llvm::SmallVector<unsigned> placeVariables(VariablePolicy policy, llvm::ArrayRef<int64_t> bytes,
                                           llvm::SmallVector<int64_t> loads) {
  llvm::SmallVector<unsigned> tasks(bytes.size());
  if (policy == VariablePolicy::RoundRobin) {
    for (size_t i = 0; i < bytes.size(); ++i)
      tasks[i] = i % loads.size();
    return tasks;
  }
  llvm::SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, bytes.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) { return bytes[a] > bytes[b]; });
  for (size_t i : order) {
    tasks[i] = std::min_element(loads.begin(), loads.end()) - loads.begin();
    loads[tasks[i]] += bytes[i];
  }
  return tasks;
}

} // namespace graphc
