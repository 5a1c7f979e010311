//===- GraphFolds.cpp - folds and canonicalisations -----------------------------------------------------------===//
//
// Bit exact only: an op goes away where what replaces it has the same bits for every input (NaN payloads aside), and a
// constant is computed here only where IEEE 754 or integer arithmetic says its bits. So x * 1, x - 0 and x + -0 fold,
// x + 0 does not (-0 + 0 is +0), and exp of a constant is left to the kernel that would compute it.
//
//===----------------------------------------------------------------------------------------------------------===//
#include "dialects/graph/GraphFolds.h"
#include "dialects/graph/GraphDialect.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace graphc::graph;

//===----------------------------------------------------------------------------------------------------------===//
// Constants, element by element
//===----------------------------------------------------------------------------------------------------------===//

/// A constant of `type` from elements computed by `combine`, from one operand or two.
template <typename Element, typename Function>
static Attribute mapElements(Type type, DenseElementsAttr a, DenseElementsAttr b, Function combine) {
  auto shaped = cast<ShapedType>(type);
  if (a.isSplat() && (!b || b.isSplat())) {
    Element element = a.getSplatValue<Element>();
    return DenseElementsAttr::get(shaped, combine(element, b ? b.getSplatValue<Element>() : element));
  }
  using Result = decltype(combine(a.getSplatValue<Element>(), a.getSplatValue<Element>()));
  SmallVector<Result> elements;
  auto left = a.getValues<Element>();
  auto right = (b ? b : a).getValues<Element>();
  for (auto [x, y] : llvm::zip_equal(left, right))
    elements.push_back(combine(x, y));
  return DenseElementsAttr::get(shaped, ArrayRef<Result>(elements));
}

template <typename FloatFunction, typename IntegerFunction>
static Attribute foldBinary(Type type, Attribute lhs, Attribute rhs, FloatFunction ofFloats,
                            IntegerFunction ofIntegers) {
  auto a = dyn_cast_or_null<DenseElementsAttr>(lhs), b = dyn_cast_or_null<DenseElementsAttr>(rhs);
  if (!isFoldable(a) || !isFoldable(b))
    return {};
  if (isa<FloatType>(a.getElementType()))
    return mapElements<APFloat>(type, a, b, ofFloats);
  return mapElements<APInt>(type, a, b, ofIntegers);
}

template <typename FloatFunction, typename IntegerFunction>
static Attribute foldUnary(Type type, Attribute operand, FloatFunction ofFloat, IntegerFunction ofInteger) {
  auto a = dyn_cast_or_null<DenseElementsAttr>(operand);
  if (!isFoldable(a))
    return {};
  if (isa<FloatType>(a.getElementType()))
    return mapElements<APFloat>(type, a, {}, [&](const APFloat &x, const APFloat &) { return ofFloat(x); });
  return mapElements<APInt>(type, a, {}, [&](const APInt &x, const APInt &) { return ofInteger(x); });
}

/// All elements of a constant are this float (sign of zero included) or this integer.
static bool isAll(Attribute attribute, double value) {
  auto constant = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!constant || !constant.isSplat())
    return false;
  if (auto type = dyn_cast<FloatType>(constant.getElementType())) {
    APFloat expected(value);
    bool lossy;
    expected.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
    return constant.getSplatValue<APFloat>().bitwiseIsEqual(expected);
  }
  APInt element = constant.getSplatValue<APInt>();
  return element == APInt(element.getBitWidth(), int64_t(value), /*isSigned=*/true, /*implicitTrunc=*/true);
}

static bool isInteger(Value value) { return isGraphTensor(value.getType(), IntegerKind); }
static bool isFloat(Value value) { return isGraphTensor(value.getType(), FloatKind); }

//===----------------------------------------------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // The neutral element of floats is -0.
  for (auto [constant, other] : {std::pair(adaptor.getLhs(), getRhs()), std::pair(adaptor.getRhs(), getLhs())})
    if (isAll(constant, isFloat(other) ? -0.0 : 0))
      return other;
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(), [](const APFloat &a, const APFloat &b) { return a + b; },
      [](const APInt &a, const APInt &b) { return a + b; });
}

OpFoldResult SubtractOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 0.0))
    return getLhs();
  if (getLhs() == getRhs() && isInteger(getLhs()))
    return Builder(getContext()).getZeroAttr(getType());
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(), [](const APFloat &a, const APFloat &b) { return a - b; },
      [](const APInt &a, const APInt &b) { return a - b; });
}

OpFoldResult MultiplyOp::fold(FoldAdaptor adaptor) {
  for (auto [constant, other] : {std::pair(adaptor.getLhs(), getRhs()), std::pair(adaptor.getRhs(), getLhs())}) {
    if (isAll(constant, 1))
      return other;
    if (isInteger(other) && isAll(constant, 0))
      return constant;
  }
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(), [](const APFloat &a, const APFloat &b) { return a * b; },
      [](const APInt &a, const APInt &b) { return a * b; });
}

OpFoldResult DivideOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 1))
    return getLhs();
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(), [](const APFloat &a, const APFloat &b) { return a / b; },
      [](const APInt &a, const APInt &b) { return b.isZero() ? b : a.sdiv(b); });
}

OpFoldResult MaximumOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(),
      [](const APFloat &a, const APFloat &b) { return llvm::maximum(a, b); },
      [](const APInt &a, const APInt &b) { return llvm::APIntOps::smax(a, b); });
}

OpFoldResult MinimumOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(),
      [](const APFloat &a, const APFloat &b) { return llvm::minimum(a, b); },
      [](const APInt &a, const APInt &b) { return llvm::APIntOps::smin(a, b); });
}

OpFoldResult PowerOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 1))
    return getLhs();
  return {};
}

/// Exponents -4 … 4 are products, computed as x·x, (x·x)·x, (x·x)·(x·x); this is their definition, not a shortcut.
LogicalResult PowerOp::canonicalize(PowerOp op, PatternRewriter &rewriter) {
  DenseElementsAttr constant;
  if (!matchPattern(op.getRhs(), m_Constant(&constant)) || !constant.isSplat())
    return failure();
  double exponent = constant.getSplatValue<APFloat>().convertToDouble();
  if (exponent != std::trunc(exponent) || std::abs(exponent) > 4)
    return failure();
  Value one = createSplat(rewriter, op.getLoc(), op.getType(), 1), x = op.getLhs(), product = one;
  setDevice(one.getDefiningOp(), getDevice(op));
  auto make = [&](auto made) -> Value {
    setDevice(made, getDevice(op));
    return made;
  };
  auto multiply = [&](Value a, Value b) { return make(MultiplyOp::create(rewriter, op.getLoc(), a, b)); };
  switch (int(std::abs(exponent))) {
  case 1:
    product = x;
    break;
  case 2:
    product = multiply(x, x);
    break;
  case 3:
    product = multiply(multiply(x, x), x);
    break;
  case 4:
    product = multiply(x, x), product = multiply(product, product);
    break;
  }
  if (exponent < 0)
    product = make(DivideOp::create(rewriter, op.getLoc(), one, product));
  rewriter.replaceOp(op, product);
  return success();
}

OpFoldResult NegateOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NegateOp>())
    return inner.getOperand();
  return foldUnary(
      getType(), adaptor.getOperand(), [](const APFloat &x) { return llvm::neg(x); },
      [](const APInt &x) { return -x; });
}

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getDefiningOp<AbsOp>())
    return getOperand();
  return foldUnary(
      getType(), adaptor.getOperand(), [](const APFloat &x) { return llvm::abs(x); },
      [](const APInt &x) { return x.abs(); });
}

OpFoldResult ReluOp::fold(FoldAdaptor) {
  if (getOperand().getDefiningOp<ReluOp>())
    return getOperand();
  return {};
}

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  for (auto [constant, other] : {std::pair(adaptor.getLhs(), getRhs()), std::pair(adaptor.getRhs(), getLhs())}) {
    if (isAll(constant, 1))
      return other;
    if (isAll(constant, 0))
      return constant;
  }
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(), [](const APFloat &a, const APFloat &) { return a; },
      [](const APInt &a, const APInt &b) { return a & b; });
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  for (auto [constant, other] : {std::pair(adaptor.getLhs(), getRhs()), std::pair(adaptor.getRhs(), getLhs())}) {
    if (isAll(constant, 0))
      return other;
    if (isAll(constant, 1))
      return constant;
  }
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(), [](const APFloat &a, const APFloat &) { return a; },
      [](const APInt &a, const APInt &b) { return a | b; });
}

OpFoldResult NotOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NotOp>())
    return inner.getOperand();
  return foldUnary(
      getType(), adaptor.getOperand(), [](const APFloat &x) { return x; }, [](const APInt &x) { return ~x; });
}

static APInt holds(Comparison relation, bool less, bool equal, bool greater) {
  bool result = false;
  switch (relation) {
  case Comparison::EQ:
    result = equal;
    break;
  case Comparison::NE:
    result = !equal;
    break;
  case Comparison::LT:
    result = less;
    break;
  case Comparison::LE:
    result = less || equal;
    break;
  case Comparison::GT:
    result = greater;
    break;
  case Comparison::GE:
    result = greater || equal;
    break;
  }
  return APInt(1, result);
}

OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  Comparison relation = getRelation();
  // Floats may be NaN, which is not equal to itself.
  if (getLhs() == getRhs() && !isFloat(getLhs()))
    return DenseElementsAttr::get(cast<ShapedType>(getType()), holds(relation, false, true, false));
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(),
      [&](const APFloat &a, const APFloat &b) {
        auto order = a.compare(b);
        return holds(relation, order == APFloat::cmpLessThan, order == APFloat::cmpEqual,
                     order == APFloat::cmpGreaterThan);
      },
      [&](const APInt &a, const APInt &b) { return holds(relation, a.slt(b), a == b, a.sgt(b)); });
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse())
    return getOnTrue();
  if (isAll(adaptor.getPredicate(), 1))
    return getOnTrue();
  if (isAll(adaptor.getPredicate(), 0))
    return getOnFalse();
  return {};
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  auto to = dyn_cast<FloatType>(cast<ShapedType>(getType()).getElementType());
  if (!isFoldable(constant) || !to)
    return {};
  const llvm::fltSemantics &semantics = to.getFloatSemantics();
  bool isTruth = constant.getElementType().isInteger(1);
  if (isa<FloatType>(constant.getElementType()))
    return mapElements<APFloat>(getType(), constant, {}, [&](APFloat x, const APFloat &) {
      bool lossy;
      x.convert(semantics, APFloat::rmNearestTiesToEven, &lossy);
      return x;
    });
  return mapElements<APInt>(getType(), constant, {}, [&](const APInt &x, const APInt &) {
    APFloat result(semantics);
    result.convertFromAPInt(x, /*IsSigned=*/!isTruth, APFloat::rmNearestTiesToEven);
    return result;
  });
}

//===----------------------------------------------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------------------------------------------===//

OpFoldResult ReduceSumOp::fold(FoldAdaptor) { return getDimensions().empty() ? getOperand() : Value(); }
OpFoldResult ReduceMaxOp::fold(FoldAdaptor) { return getDimensions().empty() ? getOperand() : Value(); }
OpFoldResult ReduceMinOp::fold(FoldAdaptor) { return getDimensions().empty() ? getOperand() : Value(); }
OpFoldResult ReduceMeanOp::fold(FoldAdaptor) { return getDimensions().empty() ? getOperand() : Value(); }

//===----------------------------------------------------------------------------------------------------------===//
// Matmul: a transpose of the last two dimensions becomes a flag
//===----------------------------------------------------------------------------------------------------------===//

/// The operand of a transpose that swaps the last two dimensions and nothing else; else null. Wherever the transpose
/// stands: a product with a flag may round differently, and bits do not depend on devices.
static Value stripTranspose(Value value) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  if (!transpose)
    return {};
  SmallVector<int64_t> swap = llvm::to_vector(llvm::seq<int64_t>(0, transpose.getPermutation().size()));
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
