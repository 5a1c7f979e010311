//===- GraphOps.cpp - registration, text forms and accessors of ops ---------------------------===//
#include "dialects/graph/AttrParameters.h"
#include "dialects/graph/ops/ComputeOps.h"
#include "dialects/graph/ops/PassOpBuilders.h"

#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace graphc::graph;

//===------------------------------------------------------------------------------------------===//
// Custom directives
//===------------------------------------------------------------------------------------------===//

/// `(tensor<784xf32>, tensor<i32>)`
static ParseResult parseComponentTypes(OpAsmParser &parser, ArrayAttr &components) {
  SmallVector<Attribute> types;
  auto parseType = [&]() -> ParseResult {
    Type type;
    if (parser.parseType(type))
      return failure();
    types.push_back(TypeAttr::get(type));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseType))
    return failure();
  components = parser.getBuilder().getArrayAttr(types);
  return success();
}
static void printComponentTypes(OpAsmPrinter &printer, Operation *, ArrayAttr components) {
  printer << '(';
  llvm::interleaveComma(components.getAsValueRange<TypeAttr>(), printer);
  printer << ')';
}

static ParseResult parseInitializer(OpAsmParser &parser, InitializerAttrInterface &value) {
  return parseKind(
      parser, value,
      "#graph.zeros, #graph.value, #graph.uniform, #graph.normal, #graph.glorot_uniform or "
      "#graph.uninitialized");
}
static void printInitializer(OpAsmPrinter &printer, Operation *, InitializerAttrInterface value) {
  printer << value;
}
static ParseResult parseSource(OpAsmParser &parser, DatasetSourceAttrInterface &value) {
  return parseKind(
      parser, value,
      "#graph.idx, #graph.npy, #graph.csv, #graph.text, #graph.cifar10 or #graph.synthetic");
}
static void printSource(OpAsmPrinter &printer, Operation *, DatasetSourceAttrInterface value) {
  printer << value;
}

#define GET_OP_CLASSES
#include "dialects/graph/GraphOps.cpp.inc"

void GraphDialect::registerOps() {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/GraphOps.cpp.inc"
      >(*this);
  registerArithmeticOps(*this);
  registerRoundingOps(*this);
  registerTranscendentalOps(*this);
  registerBitwiseOps(*this);
  registerCompareSelectOps(*this);
  registerShapeOps(*this);
  registerSliceOps(*this);
  registerPaddingOps(*this);
  registerGatherScatterOps(*this);
  registerDynamicSliceOps(*this);
  registerEmbeddingOps(*this);
  registerTopKOps(*this);
  registerDistinctOps(*this);
  registerReductionOps(*this);
  registerScanOps(*this);
  registerMatmulOps(*this);
  registerDotGeneralOps(*this);
  registerConvolutionOps(*this);
  registerPoolingOps(*this);
  registerActivationOps(*this);
  registerLossOps(*this);
  registerNormalizationOps(*this);
  registerAttentionOps(*this);
  registerRandomOps(*this);
  registerUpdateOps(*this);
  registerOptimizerOps(*this);
}

//===------------------------------------------------------------------------------------------===//
// Functions
//===------------------------------------------------------------------------------------------===//

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

std::string FuncOp::getArgumentName(unsigned index) {
  auto name = getArgAttrOfType<StringAttr>(index, GraphDialect::kName);
  return name ? name.str() : "arg" + std::to_string(index);
}

std::string FuncOp::getResultName(unsigned index) {
  auto name = getResultAttrOfType<StringAttr>(index, GraphDialect::kName);
  return name ? name.str() : "result" + std::to_string(index);
}

//===------------------------------------------------------------------------------------------===//
// Accessors
//===------------------------------------------------------------------------------------------===//

void VariableOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                       RankedTensorType type, InitializerAttrInterface initializer,
                       bool trainable) {
  build(builder, state, builder.getStringAttr(name), TypeAttr::get(type), initializer,
        builder.getBoolAttr(trainable),
        /*aggregation=*/StringAttr(), /*drawn_as=*/StringAttr());
}

int64_t VariableOp::getBytes() { return getByteSize(getTensorType()); }
PartAttr VariableOp::getPart() { return (*this)->getAttrOfType<PartAttr>(GraphDialect::kPartOf); }

SmallVector<RankedTensorType> DatasetOp::getComponentTypes() {
  return llvm::map_to_vector(getComponents().getAsValueRange<TypeAttr>(),
                             [](Type type) { return cast<RankedTensorType>(type); });
}

std::pair<Value, Value> MetricOp::buildSums(OpBuilder &builder) {
  Value values = getValues(), mask = getMask();
  RankedTensorType type = cast<RankedTensorType>(values.getType());
  Type element = type.getElementType(), i64 = builder.getI64Type();
  Type wide = isa<FloatType>(element) ? Type(builder.getF64Type()) : i64;
  auto dimensions = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  auto sumUp = [&](Value value) -> Value {
    return type.getRank() > 0 ? ReduceSumOp::create(builder, getLoc(), value, dimensions) : value;
  };
  auto widen = [&](Value value, Type to) -> Value {
    return ConvertOp::create(builder, getLoc(), withElement(value.getType(), to), value);
  };
  if (mask && element.isInteger(1))
    values = AndOp::create(builder, getLoc(), values, mask);
  if (wide != element)
    values = widen(values, wide);
  if (mask && !element.isInteger(1)) {
    Value zero = createSplat(builder, getLoc(), values.getType(), 0);
    values = SelectOp::create(builder, getLoc(), mask, values, zero);
  }
  Value sum = sumUp(values);
  if (mask)
    return {sum, sumUp(widen(mask, i64))};
  return {sum, createSplat(builder, getLoc(), RankedTensorType::get({}, i64),
                           double(type.getNumElements()))};
}

/// One addition a replica; this counts one replica's.
uint64_t AggregateOp::getFlops() { return uint64_t(getType().getNumElements()); }
uint64_t CollectOp::getFlops() { return 0; }
uint64_t DealOp::getFlops() { return 0; }
