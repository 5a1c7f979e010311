//===- FitBudget.h - how much each program has to save for the memory there is ------*- C++ -*-===//
//
// Whether a plan keeps its budget is known when its arenas are, and what the pass rematerialize
// brings is known before that by estimate alone. So the two take turns: lower, look at the plan,
// ask for more where it is too much still.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_COMPILER_FITBUDGET_H
#define GRAPHC_PASSES_COMPILER_FITBUDGET_H

#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/common/plan/plan.pb.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace graphc {

class FitBudget {
public:
  explicit FitBudget(const cluster::BudgetConfig &budget) : budget_(budget) {}

  /// Whether another round may bring more than `plan`, made with what apply() asks for.
  bool wantsMore(const plan::Plan &plan);
  /// Whether the last plan is the best.
  bool isLastBest() const { return isLast_; }
  /// Goes back to what the best plan was made with.
  void useBest() { asked_ = best_; }
  /// Asks the programs of a partitioned module.
  void apply(mlir::ModuleOp module) const;

private:
  /// Bytes that a lane of each program has to save, by name.
  std::map<std::string, uint64_t> findNeeds(const plan::Plan &plan, uint64_t &excess) const;

  const cluster::BudgetConfig &budget_;
  std::map<std::string, uint64_t> asked_, best_, arenas_; ///< arenas_: with nothing rematerialized
  uint64_t leastExcess_ = UINT64_MAX;
  unsigned rounds_ = 0;
  bool isLast_ = false;
};

} // namespace graphc

#endif
