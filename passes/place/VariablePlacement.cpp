#include "passes/place/VariablePlacement.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <numeric>
#include <tuple>

namespace graphc {

llvm::SmallVector<unsigned> placeVariables(VariablePolicy policy, llvm::ArrayRef<int64_t> bytes,
                                           llvm::SmallVector<int64_t> loads,
                                           llvm::ArrayRef<int> splitVariables) {
  llvm::SmallVector<unsigned> tasks(bytes.size());
  if (policy == VariablePolicy::RoundRobin) {
    for (size_t i = 0; i < bytes.size(); ++i)
      tasks[i] = i % loads.size();
    return tasks;
  }
  llvm::SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, bytes.size()));
  llvm::sort(order,
             [&](size_t a, size_t b) { return std::pair(-bytes[a], a) < std::pair(-bytes[b], b); });
  llvm::DenseMap<std::pair<int, unsigned>, int64_t> siblings; // parts of a split variable on a task
  for (size_t i : order) {
    int splitVariable = splitVariables.empty() ? -1 : splitVariables[i];
    auto cost = [&](unsigned task) {
      return std::tuple(splitVariable < 0 ? 0 : siblings.lookup({splitVariable, task}), loads[task],
                        task);
    };
    for (unsigned task = 0; task < loads.size(); ++task)
      if (cost(task) < cost(tasks[i]))
        tasks[i] = task;
    loads[tasks[i]] += bytes[i];
    ++siblings[{splitVariable, tasks[i]}];
  }
  return tasks;
}

llvm::SmallVector<int64_t> splitRows(int64_t rows, int64_t rowBytes, int64_t minShardBytes,
                                     int64_t maxShards) {
  int64_t parts = std::min({maxShards, rows, rows * rowBytes / minShardBytes});
  if (parts < 2)
    return {rows};
  int64_t unit = 64 / std::gcd(int64_t(64), rowBytes); // rows that end at a multiple of 64 bytes
  if (rows / unit < parts)
    unit = 1;
  int64_t units = (rows + unit - 1) / unit;
  llvm::SmallVector<int64_t> sizes;
  for (int64_t part = 0, begin = 0; part < parts; ++part) {
    int64_t block = (units / parts + (part < units % parts)) * unit;
    sizes.push_back(std::min(block, rows - begin));
    begin += block;
  }
  return sizes;
}

std::optional<LoadImbalance> findImbalance(llvm::ArrayRef<unsigned> tasks,
                                           llvm::ArrayRef<int64_t> bytes,
                                           llvm::ArrayRef<int64_t> rows,
                                           const llvm::SmallVector<int64_t> &loads) {
  auto sum = [&](llvm::ArrayRef<unsigned> placed, llvm::ArrayRef<int64_t> sizes) {
    llvm::SmallVector<int64_t> all = loads;
    for (auto [task, size] : llvm::zip_equal(placed, sizes))
      all[task] += size;
    return all;
  };
  auto most = [](llvm::ArrayRef<int64_t> all) { return *std::max_element(all.begin(), all.end()); };
  llvm::SmallVector<int64_t> here = sum(tasks, bytes), pieces;
  llvm::SmallVector<int> splitVariables;
  for (auto [group, size] : llvm::enumerate(bytes))
    for (int64_t part :
         splitRows(rows[group], size / rows[group], kMinShardBytes, int64_t(loads.size()))) {
      pieces.push_back(size / rows[group] * part);
      splitVariables.push_back(int(group));
    }
  int64_t fullest = most(here);
  int64_t balanced = most(sum(placeVariables(VariablePolicy::Balanced, bytes, loads), bytes));
  int64_t split =
      most(sum(placeVariables(VariablePolicy::Balanced, pieces, loads, splitVariables), pieces));
  int64_t least = std::min(balanced, split);
  if (fullest - least < kWorthARemark || fullest < least + least / 4)
    return std::nullopt;
  return LoadImbalance{unsigned(llvm::find(here, fullest) - here.begin()), fullest,
                       std::accumulate(here.begin(), here.end(), int64_t(0)), balanced, split};
}

} // namespace graphc
