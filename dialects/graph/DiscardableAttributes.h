//===- DiscardableAttributes.h - attributes of the dialects that ops carry beside their own ---===//
#ifndef GRAPHC_DIALECTS_GRAPH_DISCARDABLEATTRIBUTES_H
#define GRAPHC_DIALECTS_GRAPH_DISCARDABLEATTRIBUTES_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/OperationSupport.h"

#include <string>

namespace graphc::graph {

/// On the partial sums that are made where a step has many values to add: what stands before them
/// in the text and what stands behind them share no kernel, so that the values need not be there
/// all at once.
inline constexpr llvm::StringLiteral kKept = "graph.kept";

/// One such attribute: on which ops it has a meaning, and what it must be.
struct CarriedAttribute {
  llvm::StringLiteral name;
  bool (*isFor)(mlir::OperationName op);
  bool (*isValid)(mlir::Attribute value);
  const char *expected; ///< "a #graph.device", "a unit, on the module"
};

/// All of them; the dist dialect's are here as well.
llvm::ArrayRef<CarriedAttribute> getCarriedAttributes();

/// The names of those that have a meaning on this op.
llvm::SmallVector<llvm::StringRef> getCarriedNames(mlir::OperationName op);

/// Verifies an attribute whose name begins with one of the two dialects' on any op.
mlir::LogicalResult verifyCarriedAttribute(mlir::Operation *op, mlir::NamedAttribute attribute);

/// Whether values of this type can be brought together over replicas by `word`: sums and means are
/// of i32, i64, f32 and f64. `what` has it.
mlir::LogicalResult verifyReduction(mlir::Operation *op, llvm::StringRef what, llvm::StringRef word,
                                    mlir::Type type);

/// Whether text can be a name in a plan: not empty, not too long, UTF-8 without control characters.
/// "" if so, else why not: "must not be empty". A plan has room for four times as much, because
/// passes make names of a model's names.
constexpr size_t kMaxNameBytes = 1024;
std::string findNameDefect(llvm::StringRef name, size_t maxBytes = kMaxNameBytes);

} // namespace graphc::graph

#endif
