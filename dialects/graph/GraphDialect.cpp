//===- GraphDialect.cpp - registration, discardable attributes ------------------------------------------------===//
#include "dialects/graph/GraphDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graphc::graph;

#include "dialects/graph/GraphAttrInterfaces.cpp.inc"
#include "dialects/graph/GraphDialect.cpp.inc"
#include "dialects/graph/GraphOpInterfaces.cpp.inc"

void GraphDialect::initialize() {
  registerAttributes();
  registerOps();
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
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
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding() || llvm::is_contained(tensor.getShape(), 0))
    return false;
  if (tensor.getRank() > kMaxRank || !isSizeWithinLimits(tensor.getShape()))
    return false;
  Type element = tensor.getElementType();
  unsigned kind = element.isInteger(1)                                             ? BoolKind
                  : element.isSignlessInteger(32) || element.isSignlessInteger(64) ? IntegerKind
                  : element.isF32() || element.isF64()                             ? FloatKind
                                                                                   : 0;
  return kind & kinds;
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

Value graphc::graph::createSplat(OpBuilder &builder, Location loc, Type type, double value) {
  auto tensor = cast<RankedTensorType>(type);
  Attribute element;
  if (auto floating = dyn_cast<FloatType>(tensor.getElementType()))
    element = FloatAttr::get(floating, value);
  else
    element = IntegerAttr::get(tensor.getElementType(), int64_t(value));
  return ConstantOp::create(builder, loc, tensor, DenseElementsAttr::get(tensor, element));
}

FlatSymbolRefAttr graphc::graph::getStateVariable(Operation *op) {
  return llvm::TypeSwitch<Operation *, FlatSymbolRefAttr>(op)
      .Case<ReadOp, AssignOp, AssignAddOp, ApplySgdOp, ApplyMomentumOp>(
          [](auto state) { return state.getVariableAttr(); })
      .Default(FlatSymbolRefAttr());
}

//===----------------------------------------------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------------------------------------------===//

static bool isLinks(Attribute value) {
  auto isLink = [](Attribute element) {
    auto link = dyn_cast<ArrayAttr>(element);
    if (!link || link.size() != 4 || !isa<DeviceAttr>(link[0]) || !isa<DeviceAttr>(link[1]))
      return false;
    auto speed = dyn_cast<FloatAttr>(link[2]), latency = dyn_cast<FloatAttr>(link[3]);
    return speed && latency && speed.getType().isF64() && latency.getType().isF64() && speed.getValueAsDouble() > 0 &&
           latency.getValueAsDouble() >= 0;
  };
  auto links = dyn_cast<ArrayAttr>(value);
  return links && llvm::all_of(links, isLink);
}

// Checks: the attribute is one of the dialect's, it has the right kind, and it is on an op that may carry it.
LogicalResult GraphDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  auto expect = [&](bool good, StringRef what) -> LogicalResult {
    if (good)
      return success();
    return op->emitOpError() << "attribute '" << name << "' must be " << what << ", got " << value;
  };
  if (name == kDevice)
    return expect(isa<DeviceAttr>(value), "a #graph.device");
  if (name == kColocateWith)
    return expect(isa<FlatSymbolRefAttr>(value), "the symbol of a variable");
  if (name == kDeviceRule) {
    auto rule = dyn_cast<StringAttr>(value);
    return expect(rule && (rule == "round_robin" || rule == "balanced" || rule == "pin") &&
                      (isa<ScopeOp>(op) || isa<VariableOp>(op)),
                  "\"round_robin\", \"balanced\" or \"pin\", on a scope");
  }
  if (name == kSoftPlacement)
    return expect(isa<UnitAttr>(value) && isa<ModuleOp>(op), "a unit, on the module");
  if (name == kStage)
    return expect(isa<StringAttr>(value) && isa<ModuleOp>(op), "the name of a stage, on the module");
  if (name == kCluster)
    return expect(isa<ClusterAttr>(value) && isa<ModuleOp>(op), "a #graph.cluster, on the module");
  if (name == kStrategy)
    return expect(isa<StrategyAttr>(value) && isa<ModuleOp>(op), "a #graph.strategy, on the module");
  if (name == kReplicas)
    return expect(isa<ReplicasAttr>(value) && isa<ModuleOp>(op), "a #graph.replicas, on the module");
  if (name == kPlacement)
    return expect(isa<ArrayAttr>(value) && isa<ModuleOp>(op),
                  "an array of [\"pattern\", #graph.device<…>], on the module");
  if (name == kVariablePlacement)
    return expect(isa<StringAttr>(value) && isa<ModuleOp>(op), "the name of a policy, on the module");
  if (name == kMinShardBytes || name == kMaxShards) {
    auto count = dyn_cast<IntegerAttr>(value);
    return expect(count && count.getType().isInteger(64) && count.getInt() >= 1 && isa<ModuleOp>(op),
                  "an i64 of 1 or more, on the module");
  }
  if (name == kPartOf)
    return expect(isa<PartAttr>(value) && isa<VariableOp>(op), "a #graph.part, on a variable");
  if (name == kLinks)
    return expect(isLinks(value) && isa<ModuleOp>(op),
                  "an array of [#graph.device<…>, #graph.device<…>, gigabits per second above 0 : f64, "
                  "microseconds : f64], on the module");
  if (name == kSlotOf)
    return expect(isa<FlatSymbolRefAttr>(value) && isa<VariableOp>(op), "the symbol of a variable, on a variable");
  if (name == kName || name == kReduction)
    return op->emitOpError() << "attribute '" << name << "' belongs to an argument or a result of a function";
  return op->emitOpError()
         << "unknown attribute '" << name
         << "' of the graph dialect, expected graph.device, graph.colocate_with, graph.device_rule, "
            "graph.slot_of, graph.part_of, graph.stage, graph.cluster, graph.strategy, graph.replicas, "
            "graph.placement, graph.variable_placement, graph.min_shard_bytes, graph.max_shards, "
            "graph.soft_placement or graph.links";
}

static LogicalResult verifyPortName(Operation *op, NamedAttribute attribute) {
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  if (name && !name.empty())
    return success();
  return op->emitOpError() << "attribute 'graph.name' must be a string that is not empty, got " << attribute.getValue();
}

LogicalResult GraphDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned, NamedAttribute attribute) {
  if (attribute.getName() == kName)
    return verifyPortName(op, attribute);
  return op->emitOpError() << "unknown argument attribute '" << attribute.getName().getValue()
                           << "', expected graph.name";
}

LogicalResult GraphDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned, NamedAttribute attribute) {
  if (attribute.getName() == kName)
    return verifyPortName(op, attribute);
  if (attribute.getName() == kReduction) {
    auto text = dyn_cast<StringAttr>(attribute.getValue());
    if (text && (text == "mean" || text == "sum" || text == "first_replica"))
      return success();
    return op->emitOpError() << "attribute 'graph.reduction' must be \"mean\", \"sum\" or \"first_replica\", got "
                             << attribute.getValue();
  }
  return op->emitOpError() << "unknown result attribute '" << attribute.getName().getValue()
                           << "', expected graph.name or graph.reduction";
}
