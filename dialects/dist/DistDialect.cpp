#include "dialects/dist/DistDialect.h"

#include "dialects/graph/DiscardableAttributes.h"
#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/NameSuggestions.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

#include "dialects/dist/DistDialect.cpp.inc"
#include "dialects/dist/DistInterfaces.cpp.inc"

namespace graphc::dist {

void DistDialect::initialize() {
  graph::addCheckedOperations<
#define GET_OP_LIST
#include "dialects/dist/DistOps.cpp.inc"
      >(*this);
}

std::optional<Dialect::ParseOpHook> DistDialect::getParseOperationHook(StringRef) const {
  return graph::parseUnknownOp;
}

LogicalResult DistDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return graph::verifyCarriedAttribute(op, attribute);
}

/// An argument of a kernel may say how the kernel accesses it, and which is its scratch memory.
LogicalResult DistDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == "dist.scratch" || name == "dist.access") // what an access may be, schedule says
    return success();
  return op->emitOpError() << "arguments have no attribute '" << name << "'"
                           << graph::suggestName(name, {"dist.access", "dist.scratch"});
}

uint64_t getBufferBytes(Value buffer) {
  return uint64_t(graph::getByteSize(cast<ShapedType>(buffer.getType())));
}

std::optional<BufferAccess> getAccess(FunctionOpInterface kernel, unsigned argument) {
  auto access = kernel.getArgAttrOfType<StringAttr>(argument, "dist.access");
  return llvm::StringSwitch<std::optional<BufferAccess>>(access ? access.getValue() : "")
      .Case("read", BufferAccess::Read)
      .Case("write", BufferAccess::Write)
      .Case("read_write", BufferAccess::ReadWrite)
      .Default(std::nullopt);
}

std::string getBodyName(StringRef kernel) { return (kernel + ".body").str(); }

FunctionOpInterface findKernelBody(const SymbolTable &symbols, StringRef kernel) {
  auto body = symbols.lookup<FunctionOpInterface>(getBodyName(kernel));
  if (body && body->getName().getStringRef() == "llvm.func") // by name: this library has no LLVM
    return body;
  return symbols.lookup<FunctionOpInterface>(kernel);
}

unsigned getBufferCount(FunctionOpInterface kernel) {
  return unsigned(llvm::count_if(kernel.getArgumentTypes(),
                                 [](Type type) { return !type.isIntOrIndexOrFloat(); }));
}

} // namespace graphc::dist

#define GET_OP_CLASSES
#include "dialects/dist/DistOps.cpp.inc"
