//===- GraphDialect.h - the graph dialect: ops, attributes, interfaces --------------*- C++ -*-===//
//
// The one header of the dialect; docs/dialects/graph.md is generated from its TableGen files.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHDIALECT_H
#define GRAPHC_DIALECTS_GRAPH_GRAPHDIALECT_H

#include "dialects/graph/DeviceName.h"
#include "dialects/graph/KnownAttributeCheck.h"
#include "dialects/graph/StructuredInterfaces.h"
#include "dialects/graph/VariableAccess.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

#include <bit>
#include <optional>

namespace graphc::graph {

/// A double that is equal to another where the bits are; a parameter of attributes.
struct BitwiseDouble {
  double value = 0;
  constexpr BitwiseDouble(double value = 0) : value(value) {}
  operator double() const { return value; }
  bool operator==(const BitwiseDouble &other) const {
    return std::bit_cast<uint64_t>(value) == std::bit_cast<uint64_t>(other.value);
  }
  friend llvm::hash_code hash_value(const BitwiseDouble &real) {
    return llvm::hash_value(std::bit_cast<uint64_t>(real.value));
  }
};

/// The element types a constraint admits. IntegerKind and FloatKind are those that are computed
/// with as they are: i32, i64, f32, f64.
enum TensorKind : unsigned {
  BoolKind = 1,
  IntegerKind = 2,
  FloatKind = 4,
  NumberKind = 6,
  ByteKind = 8, ///< i8, ui8
  WordKind = 16, ///< ui32
  BfloatKind = 32, ///< bf16
  AnyFloatKind = FloatKind | BfloatKind,
  AnyNumberKind = NumberKind | ByteKind | WordKind | BfloatKind,
  AnyKind = BoolKind | AnyNumberKind
};
/// What a tensor may be: counts of elements and bytes, and sums of many, never overflow; the plan
/// has the same rank.
constexpr int64_t kMaxRank = 16;
constexpr int64_t kMaxElements = int64_t(1) << 37;
/// Of a data set, and of a step over all replicas; the plan has the same limit.
constexpr int64_t kMaxSamples = int64_t(1) << 46;
/// At most kMaxElements; the shape is static.
bool isSizeWithinLimits(llvm::ArrayRef<int64_t> shape);
/// A static ranked tensor within those limits, without encoding or empty dimension, whose element
/// type is of one of these kinds.
bool isGraphTensor(mlir::Type type, unsigned kinds);
/// The type's shape with another element type; null for a type without shape.
mlir::Type withElement(mlir::Type type, mlir::Type element);
/// The type in which elements of this one are computed with: f32 for bf16, i32 for i8 and ui8, i64
/// for ui32, else the type itself.
mlir::Type getComputeElement(mlir::Type element);
/// What loops have for an element: signless integers of the same bits for ui8, ui32 and bf16, else
/// the type itself.
mlir::Type getScalarElement(mlir::Type element);
mlir::TypedAttr getScalarAttr(mlir::TypedAttr element);
/// What the memory of loops has: the same, but for an i1, which is an i8 of 0 or 1.
mlir::Type getStoredElement(mlir::Type element);
/// Payload in bytes, of one element and of all; i1 takes one byte an element.
int64_t getElementBytes(mlir::Type element);
int64_t getByteSize(mlir::ShapedType type);
int64_t getByteSize(mlir::Value value);
/// `count` values of this type end to end along dimension 0; null where it has none, or too many.
mlir::RankedTensorType getJoinedType(mlir::RankedTensorType piece, int64_t count);

struct VariableResource : mlir::SideEffects::Resource::Base<VariableResource> {
  llvm::StringRef getName() final { return "graph.variables"; }
};
struct DatasetResource : mlir::SideEffects::Resource::Base<DatasetResource> {
  llvm::StringRef getName() final { return "graph.datasets"; }
};
/// Metrics and summaries.
struct ReportResource : mlir::SideEffects::Resource::Base<ReportResource> {
  llvm::StringRef getName() final { return "graph.reports"; }
};

/// The op infers its result types before they are compared with those written (Graph_InferType).
mlir::LogicalResult verifyInference(mlir::Operation *op);
template <typename ConcreteType>
struct InferenceFirst : mlir::OpTrait::TraitBase<ConcreteType, InferenceFirst> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyInference(op); }
};

/// A slot variable of an optimizer, "@w/Momentum" for the variable @w, and what each of its
/// elements is at first.
struct OptimizerSlot {
  llvm::StringRef name;
  double initial = 0;
};

/// What an optimizer is told of one update (OptimizerAttrInterface). Scalars of a step are
/// tensor<f64>.
struct GradientUpdate {
  mlir::FlatSymbolRefAttr variable;
  llvm::SmallVector<mlir::FlatSymbolRefAttr> slots; ///< as getSlots() has them
  mlir::Value gradient;
  mlir::Value rate; ///< what the schedule says; null: the rate is a number
  llvm::SmallVector<mlir::Value> values; ///< as buildStepValues() made them
  mlir::Value scale; ///< what the gradient is multiplied by first; null: nothing
  std::optional<double> clipValue; ///< then no element is larger in magnitude
  mlir::FlatSymbolRefAttr average; ///< the variable's moving average; null: none
  double averageDecay = 0;
};

} // namespace graphc::graph

#include "dialects/graph/GraphAttrInterfaces.h.inc"
#include "dialects/graph/GraphDialect.h.inc"
#include "dialects/graph/GraphEnums.h.inc"
#include "dialects/graph/GraphOpInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/graph/GraphAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/graph/GraphOps.h.inc"

namespace graphc::graph {

/// The op's `graph.device`, or null.
inline DeviceAttr getDevice(mlir::Operation *op) {
  return op->getAttrOfType<DeviceAttr>(GraphDialect::kDevice);
}
/// Where a value of a placed function is; null: an argument. What a graph.repeat gives is where it
/// is yielded.
DeviceAttr getDeviceOf(mlir::Value value);
inline void setDevice(mlir::Operation *op, DeviceAttr device) {
  if (device)
    op->setAttr(GraphDialect::kDevice, device);
  else
    op->removeAttr(GraphDialect::kDevice);
}

} // namespace graphc::graph

#endif
