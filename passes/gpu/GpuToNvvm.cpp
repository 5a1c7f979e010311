// The gpu dialect's functions in the LLVM dialect with NVVM's operations. The conversion's patterns
// are upstream's, but not those that make calls of libdevice: what is left of math by then are
// instructions of the machine.
#include "passes/Passes.h"
#include "passes/gpu/GpuCode.h"
#include "passes/lower/KernelConstants.h"
#include "passes/lower/KernelPatterns.h"

#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_GPUTONVVM
#include "passes/Passes.h.inc"

namespace {

/// Whether 32 bits, with a sign, are enough for every index of every function: for places in
/// buffers, and for what is counted.
bool isSmall(mlir::gpu::GPUModuleOp code) {
  constexpr int64_t kMost = int64_t(1) << 30;
  WalkResult result = code.walk([&](Operation *op) {
    auto function = dyn_cast<mlir::gpu::GPUFuncOp>(op);
    if (function && llvm::any_of(function.getArgumentTypes(), [&](Type type) {
          return cast<MemRefType>(type).getNumElements() > kMost;
        }))
      return WalkResult::interrupt();
    auto constant = dyn_cast<arith::ConstantIndexOp>(op);
    return constant && constant.value() > kMost ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

struct GpuToNvvmPass : impl::GpuToNvvmBase<GpuToNvvmPass> {
  /// What the pointers promise. Of memory that the kernel writes noalias would be too much: LLVM
  /// takes it that nobody else's threads change such memory, not even behind a barrier.
  static void markPointers(mlir::gpu::GPUFuncOp function) {
    Builder builder(function.getContext());
    for (unsigned i = 0; i < function.getFunctionType().getNumInputs(); ++i) {
      auto access = function.getArgAttrOfType<StringAttr>(i, "dist.access");
      const bool readOnly = access && access.getValue() == "read";
      function.removeArgAttr(i, "dist.access");
      function.removeArgAttr(i, "dist.scratch");
      function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                          builder.getI64IntegerAttr(kBufferAlignment));
      if (!readOnly)
        continue;
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
      function.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(), builder.getUnitAttr());
    }
    for (BlockArgument memory : function.getWorkgroupAttributions()) {
      const unsigned index = memory.getArgNumber() - function.getFunctionType().getNumInputs();
      function.setWorkgroupAttributionAttr(int(index), LLVM::LLVMDialect::getAlignAttrName(),
                                           builder.getI64IntegerAttr(16));
    }
  }

  void runOnOperation() override {
    mlir::gpu::GPUModuleOp code = getOperation();
    MLIRContext *context = &getContext();
    for (auto function : code.getOps<mlir::gpu::GPUFuncOp>())
      markPointers(function);
    LowerToLLVMOptions options(context);
    options.useBarePtrCallConv = true;
    options.overrideIndexBitwidth(isSmall(code) ? 32 : 64);
    LLVMTypeConverter types(context, options);
    configureGpuToNVVMTypeConverter(types);
    RewritePatternSet patterns(context);
    populateGpuToNVVMConversionPatterns(types, patterns);
    populateKernelPatterns(types, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addIllegalDialect<mlir::gpu::GPUDialect>();
    target.addLegalOp<mlir::gpu::GPUModuleOp>();
    if (failed(applyPartialConversion(SmallVector<Operation *>(code.getOps<mlir::gpu::GPUFuncOp>()),
                                      target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

mlir::gpu::GPUModuleOp gpu::getCode(ModuleOp module) {
  return module.lookupSymbol<mlir::gpu::GPUModuleOp>(kCodeModule);
}

} // namespace graphc
