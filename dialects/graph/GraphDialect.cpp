//===- GraphDialect.cpp - registration, names that nobody registered, types -------------------===//
#include "dialects/graph/ops/ComputeOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graphc::graph;

#include "dialects/graph/GraphAttrInterfaces.cpp.inc"
#include "dialects/graph/GraphDialect.cpp.inc"
#include "dialects/graph/GraphOpInterfaces.cpp.inc"

void GraphDialect::initialize() {
  // of loops that ops write themselves
  getContext()->loadDialect<memref::MemRefDialect, scf::SCFDialect>();
  registerAttributes();
  registerOps();
}

std::optional<Dialect::ParseOpHook> GraphDialect::getParseOperationHook(StringRef) const {
  return parseUnknownOp;
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

bool graphc::graph::isSizeWithinLimits(ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t size : shape)
    if (llvm::MulOverflow(elements, size, elements) || elements > kMaxElements)
      return false;
  return true;
}

bool graphc::graph::isGraphTensor(Type type, unsigned kinds) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding() ||
      llvm::is_contained(tensor.getShape(), 0))
    return false;
  if (tensor.getRank() > kMaxRank || !isSizeWithinLimits(tensor.getShape()))
    return false;
  Type element = tensor.getElementType();
  unsigned kind = element.isSignlessInteger(1)                                     ? BoolKind
                  : element.isSignlessInteger(32) || element.isSignlessInteger(64) ? IntegerKind
                  : element.isF32() || element.isF64()                             ? FloatKind
                  : element.isSignlessInteger(8) || element.isUnsignedInteger(8)   ? ByteKind
                  : element.isUnsignedInteger(32)                                  ? WordKind
                  : element.isBF16()                                               ? BfloatKind
                                                                                   : 0;
  return kind & kinds;
}

Type graphc::graph::getComputeElement(Type element) {
  MLIRContext *context = element.getContext();
  if (element.isBF16())
    return Float32Type::get(context);
  if (element.isInteger(8))
    return IntegerType::get(context, 32);
  return element.isUnsignedInteger(32) ? IntegerType::get(context, 64) : element;
}

Type graphc::graph::getScalarElement(Type element) {
  if (element.isBF16() || element.isUnsignedInteger())
    return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
  return element;
}

TypedAttr graphc::graph::getScalarAttr(TypedAttr element) {
  Type type = getScalarElement(element.getType());
  if (type == element.getType())
    return element;
  if (auto number = dyn_cast<FloatAttr>(element))
    return IntegerAttr::get(type, number.getValue().bitcastToAPInt());
  return IntegerAttr::get(type, cast<IntegerAttr>(element).getValue());
}

Type graphc::graph::getStoredElement(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : getScalarElement(element);
}

Type graphc::graph::withElement(Type type, Type element) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? Type(tensor.clone(element)) : Type();
}

int64_t graphc::graph::getElementBytes(Type element) {
  return int64_t(llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

int64_t graphc::graph::getByteSize(ShapedType type) {
  return type.getNumElements() * getElementBytes(type.getElementType());
}

int64_t graphc::graph::getByteSize(Value value) {
  return getByteSize(cast<ShapedType>(value.getType()));
}

RankedTensorType graphc::graph::getJoinedType(RankedTensorType piece, int64_t count) {
  SmallVector<int64_t> shape(piece.getShape());
  if (shape.empty() || llvm::MulOverflow(shape[0], count, shape[0]))
    return {};
  return piece.clone(shape);
}

graphc::graph::DeviceAttr graphc::graph::getDeviceOf(Value value) {
  Operation *def = value.getDefiningOp();
  if (auto repeat = dyn_cast_if_present<RepeatOp>(def))
    if (Operation *yielded = repeat.getYielded(cast<OpResult>(value)).getDefiningOp();
        yielded && yielded->getParentOp() == repeat &&
        getDevice(yielded)) // what is made outside is summed where the loop is
      return getDevice(yielded);
  return def ? getDevice(def) : DeviceAttr();
}
