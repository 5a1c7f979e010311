//===- ScalarBody.h - one element of a tensor as a scalar expression ----------------*- C++ -*-===//
//
// A stage of a kernel is one linalg.generic. Its body computes the root's element from elements of
// buffers: everything in between is inlined, with broadcasts, transposes and the like folded into
// index maps. Inlining never changes a bit: each op rounds as it would alone.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_OUTLINE_SCALARBODY_H
#define GRAPHC_PASSES_OUTLINE_SCALARBODY_H

#include "dialects/graph/GraphDialect.h"

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace graphc {

/// Whether an op's element follows from elements of its operands (or from the place alone), so that
/// it can be inlined.
bool isInlinable(mlir::Operation *op);
/// Whether evaluating it twice costs more than keeping its result.
bool isExpensive(mlir::Operation *op);
/// What is the same memory under another shape, or a part of it where its operand's memory has
/// parts (dist.view), each at a multiple of 64 bytes.
bool isView(mlir::Operation *op);
/// A view of all that its operand has.
bool isWholeView(mlir::Operation *op);
/// Where the elements of a view begin in its operand, in bytes.
int64_t getViewOffset(mlir::Operation *op);

/// The loops that an index of a map depends on.
llvm::SmallVector<unsigned> getLoops(mlir::AffineExpr expr, unsigned loops);
/// The one loop; nothing where there is none or several.
std::optional<unsigned> getLoop(mlir::AffineExpr expr, unsigned loops);
/// The value of an index of one loop at most, where that is at 0 and at 1.
std::pair<int64_t, int64_t> evaluateAt01(mlir::AffineExpr expr, unsigned loops);

/// An element of `value` as seen from an iteration space.
struct ElementAccess {
  mlir::Value value;
  /// iteration space → indices of value: each a constant plus multiples of loops
  mlir::AffineMap map;
  bool operator==(const ElementAccess &) const = default;
};

class ScalarBody {
public:
  /// `isLeaf`: values that are read from memory and not inlined.
  ScalarBody(llvm::function_ref<bool(mlir::Value)> isLeaf) : isLeaf_(isLeaf) {}

  /// Finds the buffers that the element depends on: appends to `leaves`, each (value, map) once.
  void collect(ElementAccess access, llvm::SmallVectorImpl<ElementAccess> &leaves);
  /// Builds the expression in the body of a linalg op; `read` gives the element of a leaf.
  mlir::Value build(mlir::OpBuilder &builder, ElementAccess access,
                    llvm::function_ref<mlir::Value(ElementAccess)> read);

private:
  using Key = std::pair<mlir::Value, mlir::AffineMap>;

  llvm::function_ref<bool(mlir::Value)> isLeaf_;
  llvm::DenseMap<Key, mlir::Value> built_;
  llvm::DenseSet<Key> visited_;
};

} // namespace graphc
#endif
