//===- ImportedOp.h - an op of StableHLO while it is imported -----------------------*- C++ -*-===//
#ifndef GRAPHC_DIALECTS_STABLEHLO_IMPORTEDOP_H
#define GRAPHC_DIALECTS_STABLEHLO_IMPORTEDOP_H

#include "dialects/graph/GraphDialect.h"
#include "dialects/stablehlo/StablehloToGraph.h"

#include "mlir/IR/TypeUtilities.h"

namespace graphc::stablehlo {

using IntegerList = mlir::SmallVector<int64_t>;

/// The op, what stands for its operands, and short ways to ask for attributes and to make ops. An
/// attribute that was asked for is known; one that nobody asks for is a reason not to import the
/// op.
class ImportedOp {
public:
  ImportedOp(mlir::Operation *op, mlir::ValueRange operands, mlir::OpBuilder &builder,
             mlir::Location location);

  mlir::Operation *const op;
  const mlir::ValueRange operands;
  mlir::OpBuilder &builder;
  const mlir::Location loc;

  mlir::RankedTensorType type(unsigned result = 0) const;
  mlir::RankedTensorType operandType(unsigned operand = 0) const;
  int64_t rank() const { return operandType().getRank(); }

  /// Null where it is not given.
  mlir::Attribute get(mlir::StringRef name);
  void ignore(mlir::ArrayRef<mlir::StringRef> names);
  /// What is given as array<i64: …> or as a dense tensor, in row-major order. Failure: said.
  mlir::FailureOr<IntegerList> numbers(mlir::StringRef name);
  mlir::FailureOr<IntegerList> numbers(mlir::StringRef name, IntegerList otherwise);
  mlir::FailureOr<int64_t> number(mlir::StringRef name);
  mlir::FailureOr<int64_t> number(mlir::StringRef name, int64_t otherwise);
  mlir::FailureOr<mlir::StringRef> word(mlir::StringRef name);
  mlir::FailureOr<mlir::DictionaryAttr> dictionary(mlir::StringRef name);
  /// Names of those that nobody asked for.
  std::string unknownAttributes() const;

  /// The word of the only op of its region beside its return, of both arguments: "add"; "" where it
  /// is another.
  mlir::StringRef combiner() const;
  /// Whether its region gives the second of its two arguments: what was there before is lost.
  bool setsElements() const;

  mlir::InFlightDiagnostic error() const { return op->emitError() << "'" << op->getName() << "' "; }

  mlir::Value make(mlir::StringRef name, mlir::Type type, mlir::ValueRange operands,
                   mlir::ArrayRef<mlir::NamedAttribute> attributes = {}) const;
  /// A sum of products, whose factors may have other elements than the result
  /// (preferred_element_type): it is computed in the wider of the two.
  mlir::Value makeProduct(mlir::StringRef name, mlir::RankedTensorType type,
                          mlir::ValueRange operands,
                          mlir::ArrayRef<mlir::NamedAttribute> attributes) const;
  mlir::NamedAttribute named(mlir::StringRef name, mlir::ArrayRef<int64_t> numbers) const;
  mlir::NamedAttribute named(mlir::StringRef name, int64_t number) const;
  mlir::NamedAttribute named(mlir::StringRef name) const;
  mlir::Value splat(mlir::RankedTensorType type, double value) const;
  mlir::Value transpose(mlir::Value value, mlir::ArrayRef<int64_t> permutation) const;
  mlir::Value broadcast(mlir::Value scalar, mlir::RankedTensorType type) const;

  static ImportResult one(mlir::Value value) { return {{value}, ""}; }
  static ImportResult cannot(std::string why) { return {{}, std::move(why)}; }

private:
  mlir::NamedAttrList attributes_;
  mlir::SmallVector<mlir::StringRef> known_;
};

/// "add" of stablehlo.add.
inline mlir::StringRef withoutDialect(mlir::Operation *op) {
  return op->getName().getStringRef().split('.').second;
}
inline bool isOfTruth(mlir::Type type) {
  return mlir::getElementTypeOrSelf(type).isSignlessInteger(1);
}
/// The word for truth values of what is arithmetic of numbers; "" for others.
inline mlir::StringRef ofTruth(mlir::StringRef name) {
  return name == "add" || name == "maximum"        ? "or"
         : name == "multiply" || name == "minimum" ? "and"
                                                   : "";
}

/// Whether a reduction that begins with `value` is one that begins with nothing.
bool isNeutral(mlir::Value value, mlir::StringRef combiner);

/// What makes a value that has been imported, if it is an op of that name; else null.
inline mlir::Operation *getOp(mlir::Value value, mlir::StringRef name) {
  mlir::Operation *op = value.getDefiningOp();
  return op && op->getName().getStringRef() == name ? op : nullptr;
}

/// A constant of which all elements are the same, or that is repeated; else null.
mlir::DenseElementsAttr getSplat(mlir::Value value);

mlir::FailureOr<ImportResult> importBitcast(ImportedOp &op);
mlir::FailureOr<ImportResult> importErfc(ImportedOp &op);
mlir::FailureOr<ImportResult> importErfInv(ImportedOp &op);
mlir::FailureOr<ImportResult> importSquare(ImportedOp &op);
mlir::FailureOr<ImportResult> importTan(ImportedOp &op);
mlir::FailureOr<ImportResult> importReduce(ImportedOp &op);
mlir::FailureOr<ImportResult> importConvolution(ImportedOp &op);
mlir::FailureOr<ImportResult> importReduceWindow(ImportedOp &op);

} // namespace graphc::stablehlo

#endif
