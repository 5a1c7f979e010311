// Kernels in the LLVM dialect. A kernel `@k(memref…)` becomes
//   llvm.func internal @k.body(ptr noalias align 64 …)      the loops
//   llvm.func internal @k(ptr buffers, ptr context) -> i32  fetches the pointers: the type GraphcKernel
// and `graphc_kernels` lists all of the latter.
#include "dialects/dist/DistDialect.h"
#include "passes/Passes.h"
#include "passes/lower/Kernels.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_KERNELSTOLLVM
#include "passes/Passes.h.inc"

namespace {

constexpr uint64_t kBufferAlignment = 64;

/// Buffers never alias and are aligned: KernelAbi.h promises it.
void markPointers(LLVM::LLVMFuncOp body) {
  Builder builder(body.getContext());
  for (unsigned i = 0; i < body.getNumArguments(); ++i) {
    body.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
    body.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(kBufferAlignment));
    body.setArgAttr(i, LLVM::LLVMDialect::getNoCaptureAttrName(), builder.getUnitAttr());
  }
}

/// The function of the table: int (void *const *buffers, const GraphcContext *context).
LLVM::LLVMFuncOp makeEntry(OpBuilder &builder, LLVM::LLVMFuncOp body, StringRef name) {
  Location loc = body.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), {pointer, pointer});
  auto entry = LLVM::LLVMFuncOp::create(builder, loc, name, type, LLVM::Linkage::Internal);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = entry.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  SmallVector<Value> pointers;
  for (unsigned i = 0; i < body.getNumArguments(); ++i) {
    Value slot =
        LLVM::GEPOp::create(builder, loc, pointer, pointer, block->getArgument(0), ArrayRef<LLVM::GEPArg>{int32_t(i)});
    pointers.push_back(LLVM::LoadOp::create(builder, loc, pointer, slot));
  }
  LLVM::CallOp::create(builder, loc, body, pointers);
  Value zero = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(0));
  LLVM::ReturnOp::create(builder, loc, zero);
  return entry;
}

/// A constant global whose initialiser `build` returns.
LLVM::GlobalOp makeGlobal(OpBuilder &builder, Location loc, Type type, StringRef name, LLVM::Linkage linkage,
                          llvm::function_ref<Value()> build) {
  auto global = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true, linkage, name, Attribute());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(builder, loc, build());
  return global;
}

/// GraphcKernelTable {version, count, kernels}.
void makeTable(ModuleOp module, ArrayRef<LLVM::LLVMFuncOp> entries) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = UnknownLoc::get(module.getContext());
  auto pointer = LLVM::LLVMPointerType::get(module.getContext());
  Type listType = LLVM::LLVMArrayType::get(pointer, std::max<size_t>(entries.size(), 1));
  LLVM::GlobalOp list = makeGlobal(builder, loc, listType, "graphc_kernel_list", LLVM::Linkage::Internal, [&] {
    Value value = LLVM::ZeroOp::create(builder, loc, listType);
    for (auto [i, entry] : llvm::enumerate(entries)) {
      Value address = LLVM::AddressOfOp::create(builder, loc, entry);
      value = LLVM::InsertValueOp::create(builder, loc, value, address, ArrayRef<int64_t>{int64_t(i)});
    }
    return value;
  });
  Type i32 = builder.getI32Type();
  Type tableType = LLVM::LLVMStructType::getLiteral(module.getContext(), {i32, i32, pointer});
  makeGlobal(builder, loc, tableType, kKernelTableSymbol, LLVM::Linkage::External, [&] {
    Value value = LLVM::ZeroOp::create(builder, loc, tableType);
    auto number = [&](int32_t n) {
      return LLVM::ConstantOp::create(builder, loc, i32, builder.getI32IntegerAttr(n)).getResult();
    };
    value = LLVM::InsertValueOp::create(builder, loc, value, number(kKernelAbiVersion), ArrayRef<int64_t>{0});
    value = LLVM::InsertValueOp::create(builder, loc, value, number(int32_t(entries.size())), ArrayRef<int64_t>{1});
    Value address = LLVM::AddressOfOp::create(builder, loc, list);
    return LLVM::InsertValueOp::create(builder, loc, value, address, ArrayRef<int64_t>{2}).getResult();
  });
}

struct KernelsToLLVMPass : impl::KernelsToLLVMBase<KernelsToLLVMPass> {
  LogicalResult convert() {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter types(context, options);
    RewritePatternSet patterns(context);
    populateSCFToControlFlowConversionPatterns(patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    populateFuncToLLVMConversionPatterns(types, patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
    populateVectorToLLVMConversionPatterns(types, patterns);
    ub::populateUBToLLVMConversionPatterns(types, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    target.markOpRecursivelyLegal<dist::ProgramOp>();
    target.addLegalDialect<dist::DistDialect>();
    target.addLegalOp<dist::ProgramOp>();
    SmallVector<Operation *> kernels(getOperation().getOps<func::FuncOp>());
    return applyPartialConversion(kernels, target, std::move(patterns));
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<std::string> names;
    for (auto kernel : module.getOps<func::FuncOp>())
      names.push_back(kernel.getSymName().str());
    if (names.empty())
      return;
    if (failed(convert()))
      return signalPassFailure();
    SmallVector<LLVM::LLVMFuncOp> entries;
    for (StringRef name : names) {
      auto body = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
      body.setSymName((name + ".body").str());
      body.setLinkage(LLVM::Linkage::Internal);
      markPointers(body);
      OpBuilder builder(module.getContext());
      builder.setInsertionPointAfter(body);
      entries.push_back(makeEntry(builder, body, name));
    }
    makeTable(module, entries);
  }
};

} // namespace
} // namespace graphc
