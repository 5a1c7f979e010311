//===- DiscardableAttributes.cpp - the table of them, and what verifies by it -----------------===//
#include "dialects/graph/DiscardableAttributes.h"

#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/NameSuggestions.h"
#include "runtime/common/base/TextUtils.h"

using namespace mlir;

namespace graphc::graph {

namespace {

// Where.
/// place gives functions a device as well.
bool isOnPlaced(OperationName op) {
  return mayStandInModel(op) && op.getStringRef() != DatasetOp::getOperationName();
}
bool isOnOps(OperationName op) {
  return isOnPlaced(op) && op.getStringRef() != FuncOp::getOperationName();
}
bool isOnVariables(OperationName op) { return op.getStringRef() == VariableOp::getOperationName(); }
bool isOnScopes(OperationName op) {
  return op.getStringRef() == ScopeOp::getOperationName() || isOnVariables(op);
}
bool isOnNamed(OperationName op) {
  return isOnOps(op) && !isOnScopes(op) &&
         !llvm::is_contained({ReturnOp::getOperationName(), YieldOp::getOperationName()},
                             op.getStringRef());
}
bool isOnModule(OperationName op) { return op.getStringRef() == ModuleOp::getOperationName(); }
bool isOnProgram(OperationName op) { return op.getStringRef() == "dist.program"; }
bool isOnKernel(OperationName op) { return op.getStringRef() == "func.func"; }
bool isOnLowered(OperationName op) { return isOnKernel(op) || op.getStringRef() == "llvm.func"; }
bool isOnWork(OperationName op) { return isOnLowered(op) || isOnProgram(op); }
bool isOnLaunch(OperationName op) {
  return llvm::is_contained({"gpu.func", "llvm.func"}, op.getStringRef());
}

// What.
template <typename Kind> bool is(Attribute value) { return isa<Kind>(value); }
bool isRule(Attribute value) {
  auto rule = dyn_cast<StringAttr>(value);
  return rule && (rule == "round_robin" || rule == "balanced" || rule == "pin");
}
bool isCount(Attribute value) {
  auto count = dyn_cast<IntegerAttr>(value);
  return count && count.getType().isInteger(64) && count.getInt() >= 1;
}
bool isWork(Attribute value) {
  auto count = dyn_cast<IntegerAttr>(value);
  return count && count.getType().isInteger(64) && count.getInt() >= 0;
}
bool isFindings(Attribute value) {
  auto findings = dyn_cast<DenseI64ArrayAttr>(value);
  return findings && findings.size() == 4 &&
         llvm::all_of(findings.asArrayRef(), [](int64_t n) { return n >= 0; });
}
bool isPlaces(Attribute value) {
  auto places = dyn_cast<DictionaryAttr>(value);
  return places && llvm::all_of(places, [](NamedAttribute place) {
           return isa<LocationAttr>(place.getValue());
         });
}
bool isRanks(Attribute value) {
  auto ranks = dyn_cast<DenseI32ArrayAttr>(value);
  return ranks && llvm::all_of(ranks.asArrayRef(), [](int32_t rank) { return rank >= 1; });
}
bool isLinks(Attribute value) {
  auto isLink = [](Attribute element) {
    auto link = dyn_cast<ArrayAttr>(element);
    if (!link || link.size() != 4 || !isa<DeviceAttr>(link[0]) || !isa<DeviceAttr>(link[1]))
      return false;
    auto speed = dyn_cast<FloatAttr>(link[2]), latency = dyn_cast<FloatAttr>(link[3]);
    return speed && latency && speed.getType().isF64() && latency.getType().isF64() &&
           speed.getValueAsDouble() > 0 && latency.getValueAsDouble() >= 0;
  };
  auto links = dyn_cast<ArrayAttr>(value);
  return links && llvm::all_of(links, isLink);
}

bool isName(Attribute value) {
  auto name = dyn_cast<StringAttr>(value);
  return name && findNameDefect(name).empty();
}

constexpr CarriedAttribute kCarried[] = {
    {GraphDialect::kDevice, isOnPlaced, is<DeviceAttr>,
     "#graph.device<\"/job:…\">, on an op of a function or a variable"},
    {GraphDialect::kColocateWith, isOnOps, is<FlatSymbolRefAttr>,
     "the symbol of a variable, on an op of a function or a variable"},
    {GraphDialect::kName, isOnNamed, isName,
     "a name that is neither empty nor has control characters, on an op of a function"},
    {kKept, isOnNamed, is<UnitAttr>, "a unit, on an op of a function"},
    {GraphDialect::kDeviceRule, isOnScopes, isRule,
     "\"round_robin\", \"balanced\" or \"pin\", on a scope"},
    {GraphDialect::kSlotOf, isOnVariables, is<FlatSymbolRefAttr>,
     "the symbol of a variable, on a variable"},
    {GraphDialect::kPartOf, isOnVariables, is<PartAttr>, "a #graph.part, on a variable"},
    {GraphDialect::kStage, isOnModule, is<StringAttr>, "the name of a stage, on the module"},
    {GraphDialect::kCluster, isOnModule, is<ClusterAttr>, "a #graph.cluster, on the module"},
    {GraphDialect::kStrategy, isOnModule, is<StrategyAttr>, "a #graph.strategy, on the module"},
    {GraphDialect::kReplicas, isOnModule, is<ReplicasAttr>, "a #graph.replicas, on the module"},
    {GraphDialect::kDistribution, isOnModule, is<DistributionAttr>,
     "a #graph.distribution, on the module"},
    {GraphDialect::kSettings, isOnModule, isPlaces, "a dictionary of locations, on the module"},
    {GraphDialect::kPlacement, isOnModule, is<ArrayAttr>,
     "an array of [\"pattern\", #graph.device<…>], on the module"},
    {GraphDialect::kVariablePlacement, isOnModule, is<StringAttr>,
     "the name of a policy, on the module"},
    {GraphDialect::kMinShardBytes, isOnModule, isCount, "an i64 of 1 or more, on the module"},
    {GraphDialect::kMaxShards, isOnModule, isCount, "an i64 of 1 or more, on the module"},
    {GraphDialect::kSoftPlacement, isOnModule, is<UnitAttr>, "a unit, on the module"},
    {GraphDialect::kNoCublaslt, isOnModule, is<UnitAttr>, "a unit, on the module"},
    {GraphDialect::kLinks, isOnModule, isLinks,
     "an array of [#graph.device<…>, #graph.device<…>, gigabits per second above 0 : f64, microseconds : f64], on the "
     "module"},
    {"dist.event_ranks", isOnProgram, isRanks, "an array of i32 of 1 or more, on a program"},
    {"dist.recompute_bytes", isOnProgram, isCount, "an i64 of 1 or more, on a program"},
    {"dist.recomputed", isOnProgram, isFindings, "an array of four i64 of 0 or more, on a program"},
    {"dist.blocks", isOnLaunch, isCount, "an i64 of 1 or more, on a launch of a kernel"},
    {"dist.threads", isOnLaunch, isCount, "an i64 of 1 or more, on a launch of a kernel"},
    {"dist.kernel_blocks", isOnLowered, isCount, "an i64 of 1 or more, on a kernel"},
    {"dist.launches", isOnKernel, isCount, "an i64 of 1 or more, on a kernel"},
    {"dist.flops", isOnWork, isWork, "an i64 of 0 or more, on a kernel or a program"},
};

bool isPortAttribute(StringRef name) {
  return name == GraphDialect::kName || name == GraphDialect::kReduction;
}

/// The name of a feed or a fetch: a string that findNameDefect finds no fault with.
LogicalResult verifyPortName(Operation *op, NamedAttribute attribute) {
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  std::string defect = name ? findNameDefect(name) : "must be a string that is not empty";
  if (defect.empty())
    return success();
  return op->emitOpError() << "attribute 'graph.name' " << defect << ", got "
                           << attribute.getValue();
}

} // namespace

ArrayRef<CarriedAttribute> getCarriedAttributes() { return kCarried; }

SmallVector<StringRef> getCarriedNames(OperationName op) {
  SmallVector<StringRef> names;
  for (const CarriedAttribute &attribute : kCarried)
    if (attribute.isFor(op))
      names.push_back(attribute.name);
  return names;
}

LogicalResult verifyReduction(Operation *op, StringRef what, StringRef word, Type type) {
  if ((word != "mean" && word != "sum") ||
      !isGraphTensor(type, BoolKind | ByteKind | WordKind | BfloatKind))
    return success();
  return op->emitOpError() << what << " \"" << word
                           << "\" needs elements of i32, i64, f32 or f64, got " << type
                           << "; expected \"first_replica\", or a graph.convert before it";
}

/// An attribute with a dialect's prefix is one of the list, stands on what the list allows, and has
/// a value of its kind.
LogicalResult verifyCarriedAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  for (const CarriedAttribute &known : kCarried) {
    if (known.name != name || (isPortAttribute(name) && !known.isFor(op->getName())))
      continue;
    if (known.isFor(op->getName()) && known.isValid(attribute.getValue()))
      return success();
    return op->emitOpError() << "attribute '" << name << "' must be " << known.expected << ", got "
                             << attribute.getValue();
  }
  if (isPortAttribute(name) || name == "dist.access" || name == "dist.scratch")
    return op->emitOpError() << "attribute '" << name << "' belongs to "
                             << (name == GraphDialect::kName ? "an op, " : "")
                             << "an argument or a result of a function";
  return op->emitOpError() << "has no attribute '" << name << "'"
                           << suggestName(name, getCarriedNames(op->getName()));
}

LogicalResult GraphDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return verifyCarriedAttribute(op, attribute);
}

/// An argument of a function, a feed, may have a name and nothing else.
LogicalResult GraphDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned,
                                                     NamedAttribute attribute) {
  if (attribute.getName() == kName)
    return verifyPortName(op, attribute);
  return op->emitOpError() << "arguments have no attribute '" << attribute.getName().getValue()
                           << "'" << suggestName(attribute.getName(), {kName});
}

/// A result of a function, a fetch, may have a name, and a reduction that its type allows.
LogicalResult GraphDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned result,
                                                        NamedAttribute attribute) {
  if (attribute.getName() == kName)
    return verifyPortName(op, attribute);
  if (attribute.getName() == kReduction) {
    auto text = dyn_cast<StringAttr>(attribute.getValue());
    if (text && (text == "mean" || text == "sum" || text == "first_replica"))
      return verifyReduction(op, "graph.reduction", text.getValue(),
                             cast<FunctionOpInterface>(op).getResultTypes()[result]);
    return op->emitOpError()
           << "attribute 'graph.reduction' must be \"mean\", \"sum\" or \"first_replica\", got "
           << attribute.getValue();
  }
  return op->emitOpError() << "results have no attribute '" << attribute.getName().getValue() << "'"
                           << suggestName(attribute.getName(), {kName, kReduction});
}

std::string findNameDefect(StringRef name, size_t maxBytes) {
  if (name.empty())
    return "must not be empty";
  if (name.size() > maxBytes)
    return "must have at most " + std::to_string(maxBytes) + " bytes, not " +
           std::to_string(name.size());
  for (StringRef rest = name; !rest.empty();) {
    const size_t bytes = base::utf8Length(rest);
    if (!bytes)
      return "must be UTF-8";
    rest = rest.drop_front(bytes);
  }
  if (llvm::any_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    return "must have no control character";
  return "";
}

} // namespace graphc::graph
