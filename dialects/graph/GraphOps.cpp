//===- GraphOps.cpp - registration, text forms and accessors of ops -------------------------------------------===//
#include "dialects/graph/AttrParameters.h"
#include "dialects/graph/GraphDialect.h"
#include "runtime/device/Kinds.h"

#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace graphc::graph;

//===----------------------------------------------------------------------------------------------------------===//
// Custom directives
//===----------------------------------------------------------------------------------------------------------===//

/// `1`, where MLIR would write `1 : i64`.
static ParseResult parseInteger(OpAsmParser &parser, IntegerAttr &value) {
  int64_t number;
  if (parser.parseInteger(number))
    return failure();
  value = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}
static void printInteger(OpAsmPrinter &printer, Operation *, IntegerAttr value) { printer << value.getInt(); }

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
  return parseKind(parser, value,
                   "#graph.zeros, #graph.value, #graph.uniform, #graph.normal or "
                   "#graph.glorot_uniform");
}
static void printInitializer(OpAsmPrinter &printer, Operation *, InitializerAttrInterface value) { printer << value; }
static ParseResult parseSource(OpAsmParser &parser, DatasetSourceAttrInterface &value) {
  return parseKind(parser, value, "#graph.idx or #graph.synthetic");
}
static void printSource(OpAsmPrinter &printer, Operation *, DatasetSourceAttrInterface value) { printer << value; }

#define GET_OP_CLASSES
#include "dialects/graph/GraphOps.cpp.inc"

void GraphDialect::registerOps() {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/GraphOps.cpp.inc"
      >(*this);
}

//===----------------------------------------------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------------------------------------------===//

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                                  getFunctionTypeAttrName(result.name), buildType,
                                                  getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

std::string FuncOp::getArgumentName(unsigned index) {
  auto name = getArgAttrOfType<StringAttr>(index, GraphDialect::kName);
  return name ? name.str() : "arg" + std::to_string(index);
}

std::string FuncOp::getResultName(unsigned index) {
  auto name = getResultAttrOfType<StringAttr>(index, GraphDialect::kName);
  return name ? name.str() : "result" + std::to_string(index);
}

//===----------------------------------------------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------------------------------------------===//

void VariableOp::build(OpBuilder &builder, OperationState &state, StringRef name, RankedTensorType type,
                       InitializerAttrInterface initializer, bool trainable) {
  build(builder, state, builder.getStringAttr(name), TypeAttr::get(type), initializer, builder.getBoolAttr(trainable),
        /*aggregation=*/StringAttr());
}

int64_t VariableOp::getBytes() { return getByteSize(getTensorType()); }
PartAttr VariableOp::getPart() { return (*this)->getAttrOfType<PartAttr>(GraphDialect::kPartOf); }

SmallVector<RankedTensorType> DatasetOp::getComponentTypes() {
  return llvm::map_to_vector(getComponents().getAsValueRange<TypeAttr>(),
                             [](Type type) { return cast<RankedTensorType>(type); });
}

MatmulOp::Sizes MatmulOp::getSizes() {
  auto a = cast<RankedTensorType>(getA().getType()), result = cast<RankedTensorType>(getResult().getType());
  Sizes sizes{1, result.getShape().end()[-2], result.getShape().back(),
              getTransposeA() ? a.getShape().end()[-2] : a.getShape().back()};
  for (int64_t size : result.getShape().drop_back(2))
    sizes.batch *= size;
  return sizes;
}

StringRef MatmulOp::getLibraryKernel(StringRef kind) {
  // Below so many multiply-adds a call of the CPU's library costs more than the product. A GPU's compiled kernel loads two numbers a
  // multiply-add, from caches: up to so many that takes no longer than a launch does, and it does so for rows or columns that are few.
  constexpr double cpuLeast = 4096, gpuLeast = 1 << 20;
  constexpr int64_t gpuLeastSide = 16;
  // The libraries' sizes, and a plan's.
  constexpr int64_t most = int64_t(1) << 31;
  auto type = cast<RankedTensorType>(getResult().getType());
  const Sizes sizes = getSizes();
  const double work = double(sizes.m) * double(sizes.n) * double(sizes.k);
  if (!type.getElementType().isF32() || std::max({sizes.m, sizes.n, sizes.k}) > most)
    return "";
  if (device::runsPtx(kind))
    return work * double(sizes.batch) >= gpuLeast && std::min(sizes.m, sizes.n) >= gpuLeastSide && sizes.batch < most
               ? "gpu_matmul"
               : "";
  return work >= cpuLeast && type.getRank() == 2 ? "matmul" : "";
}

DictionaryAttr MatmulOp::getLibraryDescriptor(StringRef kernel) {
  Builder builder(getContext());
  NamedAttrList descriptor;
  Sizes sizes = getSizes();
  descriptor.append("m", builder.getI64IntegerAttr(sizes.m));
  descriptor.append("n", builder.getI64IntegerAttr(sizes.n));
  descriptor.append("k", builder.getI64IntegerAttr(sizes.k));
  if (sizes.batch != 1)
    descriptor.append("batch", builder.getI64IntegerAttr(sizes.batch));
  if (getTransposeA())
    descriptor.append("transpose_a", builder.getUnitAttr());
  if (getTransposeB())
    descriptor.append("transpose_b", builder.getUnitAttr());
  if (kernel != "matmul" && getPrecision() != Precision::Ieee) // the CPU's has one precision
    descriptor.append(stringifyPrecision(getPrecision()), builder.getUnitAttr());
  return descriptor.getDictionary(getContext());
}

/// Both round in the CPU's library as they would alone. A GPU's says neither what becomes of a NaN nor that it takes the same algorithm.
bool MatmulOp::takesPostOp(StringRef kernel, StringRef name, ArrayRef<StringRef> before) {
  return kernel == "matmul" &&
         ((name == "bias" && before.empty()) || (name == "relu" && before == ArrayRef<StringRef>{"bias"}));
}

StringRef BiasAddOp::getPostOpName() { return "bias"; }
OpOperand &BiasAddOp::getPostOpInput() { return getInputMutable(); }
StringRef ReluOp::getPostOpName() { return "relu"; }
OpOperand &ReluOp::getPostOpInput() { return getOperandMutable(); }

bool ApplySgdOp::appliesGradient() { return true; }
bool ApplyMomentumOp::appliesGradient() { return true; }

Value SoftmaxCrossEntropyOp::getLabelValue() { return getLabels(); }
int64_t SoftmaxCrossEntropyOp::getNumClasses() {
  return cast<RankedTensorType>(getLogits().getType()).getShape().back();
}
Value NllLossOp::getLabelValue() { return getLabels(); }
int64_t NllLossOp::getNumClasses() { return cast<RankedTensorType>(getLogProbabilities().getType()).getShape().back(); }

/// To no fewer bits, from integers to integers.
bool ConvertOp::keepsElements() {
  Type from = getElementTypeOrSelf(getOperand().getType()), to = getElementTypeOrSelf(getType());
  return isa<IntegerType>(from) && isa<IntegerType>(to) && from.getIntOrFloatBitWidth() <= to.getIntOrFloatBitWidth();
}
