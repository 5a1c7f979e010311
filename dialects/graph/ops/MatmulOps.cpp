//===- MatmulOps.cpp - sums of products -------------------------------------------------------===//
#include "dialects/graph/ops/ExpansionBuilder.h"
#include "runtime/common/base/OpCount.h"
#include "runtime/common/device/DeviceKinds.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/MatmulOps.cpp.inc"

void graphc::graph::registerMatmulOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/MatmulOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Types
//===------------------------------------------------------------------------------------------===//

// (C1) same element type and rank >= 2   (C2) equal batch dimensions
// (C3) equal contracted dimensions   (C4) lower precision of f32 alone
LogicalResult MatmulOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  RankedTensorType a = tensorOf(adaptor.getA()), b = tensorOf(adaptor.getB());
  if (!a || !b || a.getElementType() != b.getElementType() || a.getRank() != b.getRank() ||
      a.getRank() < 2)
    return emitOptionalError(
        loc, "operands must have the same element type and the same rank of at least 2, got ",
        adaptor.getA().getType(), " and ", adaptor.getB().getType());
  ArrayRef<int64_t> batch = a.getShape().drop_back(2);
  if (batch != b.getShape().drop_back(2))
    return emitOptionalError(loc, "batch dimensions of the operands differ: ", a, " and ", b);
  ArrayRef<int64_t> last = a.getShape().take_back(2), first = b.getShape().take_back(2);
  auto [m, k] = adaptor.getTransposeA() ? std::pair(last[1], last[0]) : std::pair(last[0], last[1]);
  auto [kB, n] =
      adaptor.getTransposeB() ? std::pair(first[1], first[0]) : std::pair(first[0], first[1]);
  if (k != kB)
    return emitOptionalError(loc, "contracted dimensions differ: ", k, " of ", a,
                             adaptor.getTransposeA() ? " (transposed)" : "", " and ", kB, " of ", b,
                             adaptor.getTransposeB() ? " (transposed)" : "");
  if (adaptor.getPrecision() != Precision::Ieee && !a.getElementType().isF32())
    return emitOptionalError(loc, "precision ", stringifyPrecision(adaptor.getPrecision()),
                             " is for operands of f32, got ", a, "; expected ieee");
  SmallVector<int64_t> shape(batch);
  shape.append({m, n});
  types.push_back(a.clone(shape));
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Constraints
//===------------------------------------------------------------------------------------------===//

// (C1) bias is one-dimensional, as long as the input's last dimension, of the same element type
LogicalResult BiasAddOp::verify() {
  RankedTensorType input = tensorOf(getInput()), bias = tensorOf(getBias());
  if (input.getRank() >= 1 && bias.getRank() == 1 &&
      bias.getDimSize(0) == input.getShape().back() &&
      bias.getElementType() == input.getElementType())
    return success();
  return emitOpError()
         << "bias must have one dimension, as long as the input's last, and the input's element type; "
         << "got input " << input << " and bias " << bias;
}

//===------------------------------------------------------------------------------------------===//
// Folds
//===------------------------------------------------------------------------------------------===//

/// The operand of a transpose that swaps the last two dimensions and nothing else; else null.
/// Wherever the transpose stands: a product with a flag may round differently, and bits do not
/// depend on devices.
static Value stripTranspose(Value value) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  if (!transpose)
    return {};
  SmallVector<int64_t> swap =
      llvm::to_vector(llvm::seq<int64_t>(0, transpose.getPermutation().size()));
  std::swap(swap.end()[-1], swap.end()[-2]);
  return transpose.getPermutation() == ArrayRef(swap) ? transpose.getOperand() : Value();
}

LogicalResult MatmulOp::canonicalize(MatmulOp op, PatternRewriter &rewriter) {
  Value a = stripTranspose(op.getA()), b = stripTranspose(op.getB());
  if (!a && !b)
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    if (a) {
      op.getAMutable().assign(a);
      op.setTransposeA(!op.getTransposeA());
    }
    if (b) {
      op.getBMutable().assign(b);
      op.setTransposeB(!op.getTransposeB());
    }
  });
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

/// Loops: batch, m, n, and k innermost.
Nests MatmulOp::getLoopNests() {
  int64_t rank = typeOf(getResult()).getRank();
  auto dim = [&](int64_t i) { return getAffineDimExpr(unsigned(i), getContext()); };
  AffineExpr m = dim(rank - 2), n = dim(rank - 1), k = dim(rank);
  auto map = [&](AffineExpr row, AffineExpr column) {
    SmallVector<AffineExpr> place;
    for (int64_t i = 0; i < rank - 2; ++i)
      place.push_back(dim(i));
    place.append({row, column});
    return getMap(size_t(rank + 1), place, getContext());
  };
  LoopNest nest = getParallelNest(rank + 1);
  nest.iterators.back() = utils::IteratorType::reduction;
  nest.reads = {{0, getTransposeA() ? map(k, m) : map(m, k)},
                {1, getTransposeB() ? map(n, k) : map(k, n)}};
  nest.writes = {map(m, n)};
  return {nest};
}

TypedAttr MatmulOp::getStart(unsigned) { return getStartOf(getResult(), ReductionIdentity::Zero); }
Results MatmulOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  ScalarArithmetic s{builder, getLoc()};
  return {s.add(old[0], s.multiply(x[0], x[1]))};
}

Nests BiasAddOp::getLoopNests() {
  LoopNest nest = getElementwiseNest(*this);
  nest.reads[1].map =
      getMap(nest.iterators.size(), nest.reads[0].map.getResults().back(), getContext());
  return {nest};
}

Results BiasAddOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {ScalarArithmetic{builder, getLoc()}.add(x[0], x[1])};
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

// With C = A B: dA = G Bᵀ, dB = Aᵀ G; an operand that is stored transposed gets its gradient
// transposed. In the precision of C.
void MatmulOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                             Gradients result) {
  bool ta = getTransposeA(), tb = getTransposeB();
  auto matmul = [&](Value a, Value b, bool transposeA, bool transposeB) -> Value {
    return MatmulOp::create(builder, getLoc(), a, b, transposeA, transposeB, getPrecision());
  };
  if (needed[0])
    result[0] = ta ? matmul(getB(), g[0], tb, true) : matmul(g[0], getB(), false, !tb);
  if (needed[1])
    result[1] = tb ? matmul(g[0], getA(), true, ta) : matmul(getA(), g[0], !ta, false);
}

void BiasAddOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                              Gradients result) {
  result[0] = g[0];
  int64_t last = typeOf(getInput()).getRank() - 1;
  if (needed[1])
    result[1] =
        GradientBuilder(builder, *this).sum(g[0], llvm::to_vector(llvm::seq<int64_t>(0, last)));
}

//===------------------------------------------------------------------------------------------===//
// What libraries and passes ask
//===------------------------------------------------------------------------------------------===//

MatmulOp::Sizes MatmulOp::getSizes() {
  auto a = cast<RankedTensorType>(getA().getType()),
       result = cast<RankedTensorType>(getResult().getType());
  Sizes sizes{1, result.getShape().end()[-2], result.getShape().back(),
              getTransposeA() ? a.getShape().end()[-2] : a.getShape().back()};
  for (int64_t size : result.getShape().drop_back(2))
    sizes.batch *= size;
  return sizes;
}

StringRef MatmulOp::getLibraryKernel(StringRef kind) {
  // Below so many multiply-adds a call of the CPU's library costs more than the product. A GPU's
  // compiled kernel loads two numbers a multiply-add, from caches: up to so many that takes no
  // longer than a launch does, and it does so for rows or columns that are few.
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
    return work * double(sizes.batch) >= gpuLeast && std::min(sizes.m, sizes.n) >= gpuLeastSide &&
                   sizes.batch < most
               ? "gpu_matmul"
               : "";
  return work >= cpuLeast ? "matmul" : "";
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
  if (getPrecision() != Precision::Ieee)
    descriptor.append(stringifyPrecision(getPrecision()), builder.getUnitAttr());
  return descriptor.getDictionary(getContext());
}

/// Both round in the CPU's library as they would alone. A GPU's says neither what becomes of a NaN
/// nor that it takes the same algorithm.
bool MatmulOp::takesPostOp(StringRef kernel, StringRef name, ArrayRef<StringRef> before) {
  return kernel == "matmul" && ((name == "bias" && before.empty()) ||
                                (name == "relu" && before == ArrayRef<StringRef>{"bias"}));
}

StringRef BiasAddOp::getPostOpName() { return "bias"; }
OpOperand &BiasAddOp::getPostOpInput() { return getInputMutable(); }

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t MatmulOp::getFlops() {
  Sizes sizes = getSizes();
  return base::multiplyOps(
      {2, uint64_t(sizes.batch), uint64_t(sizes.m), uint64_t(sizes.n), uint64_t(sizes.k)});
}
uint64_t BiasAddOp::getFlops() { return count(getResult()); }
