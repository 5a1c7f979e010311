// Kernels that a GPU's queue launches become functions of the gpu dialect over blocks and threads;
// see passes/KernelPasses.td.
#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"
#include "passes/PartRangeLoop.h"
#include "passes/Passes.h"
#include "passes/gpu/BlockEmitter.h"
#include "passes/gpu/GpuCode.h"
#include "runtime/common/abi/PtxAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_KERNELSTOGPU
#include "passes/Passes.h.inc"

namespace {

/// Addresses in the 4,096 bytes of a function's parameters; bytes of a block that need no leave of
/// the driver.
constexpr unsigned kMostArguments = 512;
constexpr uint64_t kMostShared = 48 * 1024;

/// One launch of a kernel as a function.
class LaunchBuilder {
public:
  LaunchBuilder(func::FuncOp kernel, const gpu::GridLaunch &launch, OpBuilder &builder)
      : kernel_(kernel), launch_(launch), builder_(builder) {}

  LogicalResult build(StringRef name) {
    Location loc = kernel_.getLoc();
    if (kernel_.getNumArguments() > kMostArguments)
      return kernel_.emitError() << "kernel '" << kernel_.getSymName() << "' takes "
                                 << kernel_.getNumArguments() << " buffers; a GPU's takes at most "
                                 << kMostArguments;
    auto function = mlir::gpu::GPUFuncOp::create(builder_, loc, name, kernel_.getFunctionType());
    function->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), builder_.getUnitAttr());
    function.setKnownBlockSizeAttr(builder_.getDenseI32ArrayAttr({int32_t(launch_.threads), 1, 1}));
    function->setAttr(gpu::kBlocks, builder_.getI64IntegerAttr(launch_.blocks()));
    function->setAttr(gpu::kThreads, builder_.getI64IntegerAttr(launch_.threads));
    function.setKnownGridSizeAttr(builder_.getDenseI32ArrayAttr({int32_t(launch_.blocks()), 1, 1}));
    for (unsigned i = 0; i < kernel_.getNumArguments(); ++i)
      function.setArgAttrs(i, kernel_.getArgAttrDict(i));
    IRMapping mapping;
    mapping.map(kernel_.getArguments(),
                function.getArguments().take_front(kernel_.getNumArguments()));
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToStart(&function.getBody().front());
    gpu::ThreadBlock block(function, launch_.threads, builder_);
    if (launch_.blocks() > 1)
      blockNumber_ = mlir::gpu::BlockIdOp::create(builder_, loc, mlir::gpu::Dimension::x);
    for (Operation &op : kernel_.getBody().front().without_terminator())
      builder_.clone(op, mapping);
    mlir::gpu::ReturnOp::create(builder_, loc);
    if (failed(emitStages(function, block)))
      return failure();
    uint64_t shared = 0;
    for (BlockArgument memory : function.getWorkgroupAttributions())
      shared += uint64_t(graph::getByteSize(cast<MemRefType>(memory.getType())));
    if (shared > kMostShared)
      return kernel_.emitError() << "kernel '" << kernel_.getSymName() << "' shares " << shared
                                 << " bytes in a block; a GPU has " << kMostShared << " for it";
    return success();
  }

private:
  /// Of the copies of all stages those of this launch become loops over threads, the others go.
  LogicalResult emitStages(mlir::gpu::GPUFuncOp function, gpu::ThreadBlock &block) {
    SmallVector<SmallVector<Operation *>> stages = getStages(function.getBody().front());
    for (auto [i, ops] : llvm::enumerate(stages)) {
      const unsigned index = unsigned(i);
      if (index < launch_.firstStage || index >= launch_.firstStage + launch_.stages) {
        for (Operation *op : llvm::reverse(ops))
          op->erase();
        continue;
      }
      if (index > launch_.firstStage) {
        OpBuilder before(ops.front());
        mlir::gpu::BarrierOp::create(before, ops.front()->getLoc());
      }
      if (auto op = dyn_cast<linalg::LinalgOp>(ops.front())) {
        if (failed(emitStructured(op, launch_.blockLoops[index - launch_.firstStage], block)))
          return failure();
      } else if (std::optional<PartLoop> parts = PartLoop::match(ops.front())) {
        byThreads(*parts, block);
      } else {
        byOneThread(ops, block);
      }
    }
    return success();
  }

  LogicalResult emitStructured(linalg::LinalgOp op, const BlockLoop &at, gpu::ThreadBlock &block) {
    OpBuilder here(op);
    FailureOr<FlatLoopNest> nest = buildNest(op, here);
    if (failed(nest))
      return failure();
    std::optional<gpu::OwnedRange> owned;
    if (at.part != BlockLoop::Part::None) {
      const size_t loop = splitLoop(*nest, at, launch_.size);
      Value first =
          arith::ConstantIndexOp::create(here, op.getLoc(), blockNumber_ ? launch_.perBlock : 0);
      if (blockNumber_)
        first = arith::MulIOp::create(here, op.getLoc(), blockNumber_, first);
      owned = gpu::OwnedRange{loop, first, launch_.perBlock, launch_.size};
    }
    return gpu::emitStage(op, *nest, owned, block);
  }

  /// Loops over parts: neighbouring parts by neighbouring threads, those of this block of the grid.
  void byThreads(PartLoop &parts, const gpu::ThreadBlock &block) {
    OpBuilder here(parts.loop);
    Location loc = parts.loop.getLoc();
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(here, loc, value);
    };
    Value first = block.thread, end = index(parts.parts);
    if (blockNumber_) {
      Value begin = arith::MulIOp::create(here, loc, blockNumber_, index(launch_.perBlock));
      first = arith::AddIOp::create(here, loc, begin, first);
      end = arith::MinUIOp::create(
          here, loc, arith::AddIOp::create(here, loc, begin, index(launch_.perBlock)), end);
    }
    auto loop = scf::ForOp::create(here, loc, first, end, index(block.threads));
    OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
    Value part = loop.getInductionVar();
    Value next =
        arith::AddIOp::create(inside, loc, part, arith::ConstantIndexOp::create(inside, loc, 1));
    parts.moveBodyBefore(loop.getBody()->getTerminator(), part, next);
  }

  /// Loops that an operation wrote itself: in its own order, as on a CPU.
  static void byOneThread(ArrayRef<Operation *> ops, const gpu::ThreadBlock &block) {
    Location loc = ops.front()->getLoc();
    OpBuilder builder(ops.front());
    Value first = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, block.thread,
                                        arith::ConstantIndexOp::create(builder, loc, 0));
    auto branch = scf::IfOp::create(builder, loc, first, /*withElseRegion=*/false);
    // What is between them has no effect on memory, and may be wanted by them, or by later stages
    // where it does not need them.
    llvm::SmallPtrSet<Operation *, 8> run(ops.begin(), ops.end());
    for (Operation *op = branch->getNextNode(), *last = ops.back(); op;) {
      Operation *next = op->getNextNode();
      const bool needsRun = llvm::any_of(op->getOperands(), [&](Value operand) {
        return operand.getDefiningOp() && operand.getDefiningOp()->getBlock() == branch.thenBlock();
      });
      if (run.contains(op) || needsRun)
        op->moveBefore(branch.thenBlock()->getTerminator());
      else
        op->moveBefore(branch);
      if (op == last)
        break;
      op = next;
    }
  }

  func::FuncOp kernel_;
  const gpu::GridLaunch &launch_;
  OpBuilder &builder_;
  Value blockNumber_; ///< null: there is one block
};

struct KernelsToGpuPass : impl::KernelsToGpuBase<KernelsToGpuPass> {
  /// Kernels by who calls them: the queues of a GPU, or anybody else.
  struct Callers {
    llvm::SetVector<StringRef> onGpu, elsewhere;
  };

  static Callers findCallers(ModuleOp module) {
    Callers callers;
    for (auto program : module.getOps<dist::ProgramOp>()) {
      const bool gpu = program.runsPtx();
      program.walk([&](Operation *op) {
        for (NamedAttribute attribute : op->getAttrs())
          if (auto name = dyn_cast<FlatSymbolRefAttr>(attribute.getValue()))
            (gpu && isQueued(op) ? callers.onGpu : callers.elsewhere).insert(name.getValue());
      });
    }
    return callers;
  }

  /// Its queue runs the kernel that it names.
  static bool isQueued(Operation *op) {
    auto call = dyn_cast<dist::CallOp>(op);
    auto sum = dyn_cast<dist::AccumulateOp>(op);
    return (call && call.getQueue()) || (sum && sum.getQueue());
  }

  /// Of a kernel that is also called elsewhere: one of their own for the queues of GPUs, which they
  /// then call.
  static func::FuncOp splitOff(func::FuncOp kernel, ModuleOp module) {
    func::FuncOp own = kernel.clone();
    own.setSymName((kernel.getSymName() + "_gpu").str());
    SymbolTable(module).insert(own, std::next(kernel->getIterator()));
    for (auto program : module.getOps<dist::ProgramOp>())
      if (program.runsPtx())
        program.walk([&](Operation *op) {
          if (isQueued(op))
            for (NamedAttribute attribute : llvm::to_vector(op->getAttrs()))
              if (attribute.getValue() == FlatSymbolRefAttr::get(kernel.getSymNameAttr()))
                op->setAttr(attribute.getName(), FlatSymbolRefAttr::get(own.getSymNameAttr()));
        });
    return own;
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Callers callers = findCallers(module);
    if (callers.onGpu.empty())
      return;
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto code = mlir::gpu::GPUModuleOp::create(builder, module.getLoc(), gpu::kCodeModule);
    builder.setInsertionPointToStart(code.getBody());
    for (auto shared : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (!callers.onGpu.contains(shared.getSymName()))
        continue;
      func::FuncOp kernel =
          callers.elsewhere.contains(shared.getSymName()) ? splitOff(shared, module) : shared;
      FailureOr<SmallVector<gpu::GridLaunch>> launches = gpu::cutIntoLaunches(kernel);
      if (failed(launches))
        return signalPassFailure();
      for (auto [i, launch] : llvm::enumerate(*launches))
        if (failed(LaunchBuilder(kernel, launch, builder)
                       .build(kernels::launchName(kernel.getSymName(), unsigned(i)))))
          return signalPassFailure();
      numLaunches += launches->size();
      kernel->setAttr(gpu::kLaunches, builder.getI64IntegerAttr(int64_t(launches->size())));
      kernel.eraseBody(); // what it takes stays
    }
  }
};

} // namespace
} // namespace graphc
