#include "passes/place/VariablePlacement.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <numeric>

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
  llvm::sort(order, [&](size_t a, size_t b) { return std::pair(-bytes[a], a) < std::pair(-bytes[b], b); });
  for (size_t i : order) {
    tasks[i] = std::min_element(loads.begin(), loads.end()) - loads.begin();
    loads[tasks[i]] += bytes[i];
  }
  return tasks;
}

std::optional<Imbalance> findImbalance(llvm::ArrayRef<unsigned> tasks, llvm::ArrayRef<int64_t> bytes,
                                       const llvm::SmallVector<int64_t> &loads) {
  auto sum = [&](llvm::ArrayRef<unsigned> placed) {
    llvm::SmallVector<int64_t> all = loads;
    for (auto [task, size] : llvm::zip(placed, bytes))
      all[task] += size;
    return all;
  };
  llvm::SmallVector<int64_t> here = sum(tasks), better = sum(placeVariables(VariablePolicy::Balanced, bytes, loads));
  auto *fullest = std::max_element(here.begin(), here.end());
  int64_t least = *std::max_element(better.begin(), better.end());
  if (*fullest - least < kWorthARemark || *fullest < least + least / 4)
    return std::nullopt;
  return Imbalance{unsigned(fullest - here.begin()), *fullest, std::accumulate(here.begin(), here.end(), int64_t(0)),
                   least};
}

} // namespace graphc
