// bound-labels: what a data set may give as a label, from the losses that take it.
#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"

#include "mlir/IR/SymbolTable.h"

namespace graphc {
#define GEN_PASS_DEF_BOUNDLABELS
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

/// The next_batch results whose elements, all of them and as they are, are elements of `value`.
void findSources(Value value, llvm::SmallSetVector<Value, 4> &seen,
                 SmallVectorImpl<OpResult> &sources) {
  if (!seen.insert(value))
    return;
  Operation *op = value.getDefiningOp();
  auto keeps = dyn_cast_if_present<KeepsElementsOpInterface>(op);
  if (isa_and_present<NextBatchOp>(op))
    sources.push_back(cast<OpResult>(value));
  else if (keeps && keeps.keepsElements())
    for (Value operand : op->getOperands())
      findSources(operand, seen, sources);
}

/// Whether the component never has another integer.
bool isAlwaysBelow(DatasetOp dataset, unsigned component, int64_t classes) {
  if (dataset.getComponentTypes()[component].getElementType().isInteger(1))
    return classes >= 2;
  auto synthetic = dyn_cast<SyntheticAttr>(dataset.getSource());
  return synthetic && synthetic.getLimits() &&
         cast<IntegerAttr>(synthetic.getLimits()[component]).getInt() <= classes;
}

struct BoundLabelsPass : graphc::impl::BoundLabelsBase<BoundLabelsPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<FuncOp>())
      function.walk([&](LabelledOpInterface loss) {
        bound(loss.getLabelValue(), loss.getNumClasses(), symbols);
      });
  }

  static void bound(Value labels, int64_t classes, const SymbolTable &symbols) {
    llvm::SmallSetVector<Value, 4> seen;
    SmallVector<OpResult> sources;
    findSources(labels, seen, sources);
    for (OpResult source : sources) {
      auto batch = cast<NextBatchOp>(source.getOwner());
      const unsigned component = source.getResultNumber();
      if (source == batch.getValid() ||
          isAlwaysBelow(symbols.lookup<DatasetOp>(batch.getDataset()), component, classes))
        continue;
      SmallVector<int64_t> bounds(batch.getComponents().size(), 0);
      if (std::optional<ArrayAttr> known = batch.getClasses())
        for (auto [bound, attribute] : llvm::zip_equal(bounds, known->getAsRange<IntegerAttr>()))
          bound = attribute.getInt();
      if (int64_t &known = bounds[component]; known == 0 || classes < known)
        known = classes;
      batch.setClassesAttr(Builder(batch.getContext()).getI64ArrayAttr(bounds));
    }
  }
};

} // namespace
