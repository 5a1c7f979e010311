// The "placement" of cluster.json: devices by the names of variables and operations.
#ifndef GRAPHC_PASSES_PLACE_PLACEMENTRULES_H
#define GRAPHC_PASSES_PLACE_PLACEMENTRULES_H

#include "dialects/graph/GraphDialect.h"
#include "passes/place/DeviceSet.h"
#include "passes/place/DistributionSpec.h"

namespace graphc {

class PlacementRules {
public:
  struct Rule {
    mlir::StringRef pattern;
    graph::DeviceAttr device;
    mlir::Location loc; ///< its line in cluster.json, where that is known
    bool used = false;
    bool isPattern() const { return pattern.find_first_of("*?") != mlir::StringRef::npos; }
    bool ofVariable = false; ///< matches a variable that the strategy places
  };
  /// What the module holds of them; reports a device that is none of the cluster.
  mlir::LogicalResult read(mlir::ModuleOp module, const DeviceSet &devices);

  bool empty() const { return rules_.empty(); }
  /// The first rule that matches a name; null if none does.
  const Rule *find(mlir::StringRef name) const;
  /// The device of the first rule that matches a name, which has had an effect from then on; null
  /// if none does.
  graph::DeviceAttr getDevice(mlir::StringRef name);
  /// What a rule beats is said, once a request: the rule may have been written for something else.
  void remarkBeaten(mlir::Operation *op, graph::DeviceAttr request, const Rule *rule);
  /// Something else than the rule that matches `name` says where `op` is; where that is another
  /// place, this is said at the end, with `why`. Of a pattern it is said only where the pattern
  /// moves nothing at all.
  void noteUnmoved(mlir::Operation *op, mlir::StringRef name, const llvm::Twine &why);
  /// The strategy places this variable whatever a rule says.
  void ignore(mlir::StringRef variable);
  /// What a rule moves without any operation that takes its value: those go beside their first
  /// operand, not beside a variable, so that the value crosses in each step. Said once a rule.
  /// `requested`: operations of which the model or a rule says itself where they are.
  void remarkAlone(const llvm::DenseSet<mlir::Operation *> &requested);
  /// Each rule without effect, and why: most often its name is misspelt.
  void remark(StrategyKind kind);

private:
  mlir::ModuleOp module_;
  struct Unmoved {
    mlir::Operation *op;
    size_t rule;
    std::string why;
  };

  mlir::SmallVector<Rule> rules_;
  mlir::SmallVector<Unmoved> unmoved_;
  /// requests that a rule beat, said once each
  llvm::DenseSet<std::pair<graph::DeviceAttr, const Rule *>> beaten_;
};

} // namespace graphc

#endif // GRAPHC_PASSES_PLACE_PLACEMENTRULES_H
