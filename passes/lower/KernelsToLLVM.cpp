// Kernels in the LLVM dialect. A kernel `@k(memref…)` becomes
//   llvm.func internal @k.body(ptr noalias align 64 …)      the loops
//   llvm.func internal @k(ptr buffers, ptr context) -> i32  fetches the pointers: the type GraphcKernel
// and `graphc_kernels` lists all of the latter, each with the bytes and the access of its
// arguments.
#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"
#include "passes/lower/KernelConstants.h"
#include "passes/lower/KernelPatterns.h"

#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// Buffers never alias and are aligned: KernelAbi.h promises it.
void markPointers(LLVM::LLVMFuncOp body) {
  Builder builder(body.getContext());
  for (unsigned i = 0, count = dist::getBufferCount(body); i < count; ++i) {
    body.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
    body.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                    builder.getI64IntegerAttr(kBufferAlignment));
    body.setArgAttr(i, LLVM::LLVMDialect::getNoCaptureAttrName(), builder.getUnitAttr());
  }
}

/// GraphcContext.firstBlock and .endBlock, of `blocks` in all.
std::pair<Value, Value> loadBlocks(OpBuilder &builder, Location loc, Value context,
                                   int64_t blocks) {
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto load = [&](size_t offset) -> Value {
    Value field = LLVM::GEPOp::create(builder, loc, context.getType(), builder.getI8Type(), context,
                                      ArrayRef<LLVM::GEPArg>{int32_t(offset)});
    return LLVM::ZExtOp::create(builder, loc, i64, LLVM::LoadOp::create(builder, loc, i32, field));
  };
  auto number = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(value));
  };
  Value first = load(offsetof(GraphcContext, firstBlock)),
        end = load(offsetof(GraphcContext, endBlock));
  Value isAll = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, end, number(0));
  return {first, LLVM::SelectOp::create(builder, loc, isAll, number(blocks), end)};
}

/// The function of the table: int (void *const *buffers, const GraphcContext *context).
LLVM::LLVMFuncOp makeEntry(OpBuilder &builder, LLVM::LLVMFuncOp body, StringRef name,
                           int64_t blocks) {
  Location loc = body.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), {pointer, pointer});
  auto entry = LLVM::LLVMFuncOp::create(builder, loc, name, type, LLVM::Linkage::Internal);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = entry.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  SmallVector<Value> pointers;
  for (unsigned i = 0, count = dist::getBufferCount(body); i < count; ++i) {
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, block->getArgument(0),
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    pointers.push_back(LLVM::LoadOp::create(builder, loc, pointer, slot));
  }
  if (blocks > 1) {
    auto [first, end] = loadBlocks(builder, loc, block->getArgument(1), blocks);
    pointers.append({first, end});
  }
  LLVM::CallOp::create(builder, loc, body, pointers);
  Value zero =
      LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(0));
  LLVM::ReturnOp::create(builder, loc, zero);
  return entry;
}

/// A constant global whose initialiser `build` returns.
LLVM::GlobalOp makeGlobal(OpBuilder &builder, Location loc, Type type, StringRef name,
                          LLVM::Linkage linkage, llvm::function_ref<Value()> build) {
  auto global =
      LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true, linkage, name, Attribute());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(builder, loc, build());
  return global;
}

/// What a kernel takes, as its memrefs say: {bytes, access}.
using Arguments = SmallVector<std::pair<uint64_t, GraphcAccess>>;

Arguments argumentsOf(func::FuncOp kernel) {
  static_assert(int(dist::BufferAccess::Read) == int(GRAPHC_READ) &&
                int(dist::BufferAccess::Write) == int(GRAPHC_WRITE) &&
                int(dist::BufferAccess::ReadWrite) == int(GRAPHC_READ_WRITE));
  Arguments arguments;
  for (auto [i, type] :
       llvm::enumerate(kernel.getArgumentTypes().take_front(dist::getBufferCount(kernel)))) {
    auto memref = cast<MemRefType>(type);
    dist::BufferAccess access =
        dist::getAccess(kernel, unsigned(i)).value_or(dist::BufferAccess::ReadWrite);
    arguments.emplace_back(uint64_t(graph::getByteSize(memref)), GraphcAccess(access));
  }
  return arguments;
}

struct Entry {
  LLVM::LLVMFuncOp function;
  Arguments arguments;
  int64_t blocks;
};

/// Builds the constants of KernelAbi.h's types.
class TableBuilder {
public:
  explicit TableBuilder(ModuleOp module)
      : builder_(OpBuilder::atBlockEnd(module.getBody())),
        loc_(UnknownLoc::get(module.getContext())),
        pointer_(LLVM::LLVMPointerType::get(module.getContext())), i32_(builder_.getI32Type()),
        i64_(builder_.getI64Type()) {}

  void build(ArrayRef<Entry> entries) {
    Type argumentType = record({i64_, i64_}),
         entryType = record({pointer_, i32_, i32_, i32_, i32_});
    uint64_t count = 0;
    for (const Entry &entry : entries)
      count += entry.arguments.size();
    LLVM::GlobalOp arguments = list("graphc_kernel_arguments", argumentType, count, [&](auto add) {
      for (const Entry &entry : entries)
        for (auto [bytes, access] : entry.arguments)
          add({number(i64_, bytes), number(i64_, access)});
    });
    LLVM::GlobalOp kernels = list("graphc_kernel_list", entryType, entries.size(), [&](auto add) {
      uint64_t first = 0;
      for (const Entry &entry : entries) {
        Value address = LLVM::AddressOfOp::create(builder_, loc_, entry.function);
        add({address, number(i32_, first), number(i32_, entry.arguments.size()),
             number(i32_, entry.blocks), number(i32_, 0)});
        first += entry.arguments.size();
      }
    });
    Type table = record({i32_, i32_, pointer_, pointer_, i64_});
    makeGlobal(builder_, loc_, table, kKernelTableSymbol, LLVM::Linkage::External, [&] {
      Value value = LLVM::ZeroOp::create(builder_, loc_, table);
      return fill(value, {},
                  {number(i32_, kKernelAbiVersion), number(i32_, entries.size()),
                   LLVM::AddressOfOp::create(builder_, loc_, kernels),
                   LLVM::AddressOfOp::create(builder_, loc_, arguments), number(i64_, count)});
    });
  }

private:
  Type record(ArrayRef<Type> fields) {
    return LLVM::LLVMStructType::getLiteral(builder_.getContext(), fields);
  }
  Value number(Type type, uint64_t value) {
    return LLVM::ConstantOp::create(builder_, loc_, type,
                                    builder_.getIntegerAttr(type, int64_t(value)));
  }
  /// `fields` put into the struct at `at` of `value`.
  Value fill(Value value, ArrayRef<int64_t> at, ArrayRef<Value> fields) {
    for (auto [i, field] : llvm::enumerate(fields)) {
      SmallVector<int64_t> place(at);
      place.push_back(int64_t(i));
      value = LLVM::InsertValueOp::create(builder_, loc_, value, field, place);
    }
    return value;
  }
  /// An array of structs, each with the fields that `each` hands to its callback. A large one is
  /// made of rows, the last filled up with zeros, which is the same memory: to put a field into a
  /// constant copies the constant.
  template <typename Each>
  LLVM::GlobalOp list(StringRef name, Type element, uint64_t count, Each each) {
    constexpr uint64_t kRow = 64;
    uint64_t size = std::clamp<uint64_t>(count, 1, kRow), rows = llvm::divideCeil(count, kRow);
    Type row = LLVM::LLVMArrayType::get(element, size),
         type = rows > 1 ? LLVM::LLVMArrayType::get(row, rows) : row;
    return makeGlobal(builder_, loc_, type, name, LLVM::Linkage::Internal, [&] {
      SmallVector<Value> values{LLVM::ZeroOp::create(builder_, loc_, row)};
      uint64_t next = 0;
      each([&](std::initializer_list<Value> fields) {
        if (next == size) {
          values.push_back(LLVM::ZeroOp::create(builder_, loc_, row));
          next = 0;
        }
        values.back() = fill(values.back(), {int64_t(next++)}, fields);
      });
      if (rows <= 1)
        return values.front();
      Value whole = LLVM::ZeroOp::create(builder_, loc_, type);
      for (auto [i, value] : llvm::enumerate(values))
        whole = LLVM::InsertValueOp::create(builder_, loc_, whole, value, int64_t(i));
      return whole;
    });
  }

  OpBuilder builder_;
  Location loc_;
  Type pointer_, i32_, i64_;
};

struct KernelsToLLVMPass : impl::KernelsToLLVMBase<KernelsToLLVMPass> {
  LogicalResult convert() {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter types(context, options);
    RewritePatternSet patterns(context);
    populateKernelPatterns(types, patterns);
    populateFuncToLLVMConversionPatterns(types, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    target.markOpRecursivelyLegal<dist::ProgramOp>();
    target.addLegalDialect<dist::DistDialect>();
    target.addLegalOp<dist::ProgramOp>();
    SmallVector<Operation *> kernels;
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (!kernel.isExternal()) // a GPU's alone
        kernels.push_back(kernel);
    return applyPartialConversion(kernels, target, std::move(patterns));
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    struct Kernel {
      std::string name;
      Arguments arguments;
      int64_t blocks;
    };
    SmallVector<Kernel> kernels;
    for (auto kernel : module.getOps<func::FuncOp>())
      if (!kernel.isExternal()) {
        auto blocks = kernel->getAttrOfType<IntegerAttr>(kKernelBlocks);
        kernels.push_back(
            {kernel.getSymName().str(), argumentsOf(kernel), blocks ? blocks.getInt() : 1});
      }
    if (kernels.empty())
      return;
    if (failed(convert()))
      return signalPassFailure();
    SmallVector<Entry> entries;
    SymbolTable symbols(module);
    for (auto &[name, arguments, blocks] : kernels) {
      auto body = symbols.lookup<LLVM::LLVMFuncOp>(name);
      body.setSymName(dist::getBodyName(name));
      body.setLinkage(LLVM::Linkage::Internal);
      markPointers(body);
      OpBuilder builder(module.getContext());
      builder.setInsertionPointAfter(body);
      entries.push_back({makeEntry(builder, body, name, blocks), std::move(arguments), blocks});
    }
    TableBuilder(module).build(entries);
  }
};

} // namespace
} // namespace graphc
