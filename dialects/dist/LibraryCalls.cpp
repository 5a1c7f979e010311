// Calls of library kernels, as the registry of runtime/kernels/KernelRegistry.h sees them.
#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace graphc::dist {

static std::optional<GraphcElement> getElement(Type type) {
  if (type.isF32())
    return GRAPHC_F32;
  if (type.isF64())
    return GRAPHC_F64;
  if (type.isBF16())
    return GRAPHC_BF16;
  if (auto integer = dyn_cast<IntegerType>(type))
    switch (integer.getWidth()) {
    case 1:
      return GRAPHC_I1;
    case 8:
      return integer.isUnsigned() ? GRAPHC_U8 : GRAPHC_I8;
    case 32:
      return integer.isUnsigned() ? GRAPHC_U32 : GRAPHC_I32;
    case 64:
      return GRAPHC_I64;
    }
  return std::nullopt;
}

/// (LC1): what an entry of the descriptor tells the kernel.
static bool readAttribute(Attribute value, kernels::CallAttribute &out) {
  return llvm::TypeSwitch<Attribute, bool>(value)
      .Case([&](UnitAttr) {
        out.integers = {1};
        return true;
      })
      .Case([&](IntegerAttr integer) {
        out.integers = {integer.getInt()};
        return integer.getType().isSignlessInteger(64);
      })
      .Case([&](FloatAttr number) {
        out.numbers = {number.getValueAsDouble()};
        return true;
      })
      .Case([&](DenseI64ArrayAttr integers) {
        out.integers = integers.asArrayRef().vec();
        return true;
      })
      .Case([&](DenseF64ArrayAttr numbers) {
        out.numbers = numbers.asArrayRef().vec();
        return true;
      })
      .Default([](Attribute) { return false; });
}

FailureOr<kernels::LibraryCall> makeLibraryCall(llvm::function_ref<InFlightDiagnostic()> emitError,
                                                StringRef kernel, DictionaryAttr descriptor,
                                                ArrayRef<StringRef> postOps, TypeRange inputs,
                                                TypeRange outputs) {
  kernels::LibraryCall call;
  call.kernel = kernel.str();
  for (NamedAttribute entry : descriptor) { // in the order of the names
    kernels::CallAttribute &attribute = call.attributes.emplace_back();
    attribute.name = entry.getName().str();
    if (!readAttribute(entry.getValue(), attribute))
      return emitError()
             << "has " << entry.getName() << " = " << entry.getValue()
             << " in its descriptor, expected an i64, a float, an array of i64 or f64, or a unit";
  }
  for (StringRef name : postOps)
    call.postOps.push_back(name.str());
  auto add = [&](Type type, GraphcAccess access) -> LogicalResult {
    auto shaped = cast<ShapedType>(type);
    std::optional<GraphcElement> element = getElement(shaped.getElementType());
    if (!element)
      return emitError() << "has an operand of type " << type << ", which no library takes";
    call.operands.push_back(
        {*element, shaped.getShape().vec(), access, uint64_t(graph::getByteSize(shaped))});
    return success();
  };
  for (Type type : inputs)
    if (failed(add(type, GRAPHC_READ)))
      return failure();
  for (Type type : outputs)
    if (failed(add(type, GRAPHC_WRITE)))
      return failure();
  return call;
}

static FailureOr<kernels::LibraryCall> makeCallOf(LibraryCallOp op) {
  return makeLibraryCall([&] { return op.emitOpError(); }, op.getKernel(), op.getDescriptor(),
                         llvm::to_vector(op.getPostOps().getAsValueRange<StringAttr>()),
                         op.getInputs().getTypes(), op.getOutputs().getTypes());
}

kernels::LibraryCall LibraryCallOp::getCall() { return *makeCallOf(*this); }
uint64_t LibraryCallOp::getFlops() { return kernels::checkCall(getCall())->flops; }

// (LC1), (LC2), (LC3)
LogicalResult LibraryCallOp::verify() {
  FailureOr<kernels::LibraryCall> call = makeCallOf(*this);
  if (failed(call))
    return failure();
  absl::StatusOr<kernels::CallFacts> facts = kernels::checkCall(*call);
  if (!facts.ok())
    return emitOpError("is no call that can be made: ") << std::string(facts.status().message());
  auto program = (*this)->getParentOfType<ProgramOp>();
  if (program && facts->onGpu != program.runsPtx())
    return emitOpError("calls a library of ")
           << (facts->onGpu ? "GPUs" : "CPUs") << " in a program on a " << program.getDeviceKind();
  return success();
}

} // namespace graphc::dist
