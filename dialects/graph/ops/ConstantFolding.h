//===- ConstantFolding.h - constants, element by element ----------------------------*- C++ -*-===//
//
// Bit exact only: an op goes away where what replaces it has the same bits for every input (NaN
// payloads aside), and a constant is computed here only where IEEE 754 or integer arithmetic says
// its bits. So x * 1, x - 0 and x + -0 fold, x + 0 does not (-0 + 0 is +0), and exp of a constant
// is left to the kernel that would compute it.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_CONSTANTFOLDING_H
#define GRAPHC_DIALECTS_GRAPH_OPS_CONSTANTFOLDING_H

#include "dialects/graph/ops/OpHelpers.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"

namespace graphc::graph {

/// Larger constants are computed only where they are splats, which cost nothing to keep.
inline constexpr int64_t kFoldedElements = 256;

inline bool isFoldable(mlir::DenseElementsAttr value) {
  return value && (value.isSplat() || value.getNumElements() <= kFoldedElements);
}

/// What functions of APInt and APFloat say of an element is so: it has a sign, and no other type is
/// computed in.
inline bool isComputedAsItIs(mlir::DenseElementsAttr value) {
  return getComputeElement(value.getElementType()) == value.getElementType();
}

/// A constant of `type` from elements computed by `combine`, from one operand or two.
template <typename Element, typename Function>
mlir::Attribute mapElements(mlir::Type type, mlir::DenseElementsAttr a, mlir::DenseElementsAttr b,
                            Function combine) {
  auto shaped = mlir::cast<mlir::ShapedType>(type);
  if (a.isSplat() && (!b || b.isSplat())) {
    Element element = a.getSplatValue<Element>();
    return mlir::DenseElementsAttr::get(shaped,
                                        combine(element, b ? b.getSplatValue<Element>() : element));
  }
  using Result = decltype(combine(a.getSplatValue<Element>(), a.getSplatValue<Element>()));
  mlir::SmallVector<Result> elements;
  auto left = a.getValues<Element>();
  auto right = (b ? b : a).getValues<Element>();
  for (auto [x, y] : llvm::zip_equal(left, right))
    elements.push_back(combine(x, y));
  return mlir::DenseElementsAttr::get(shaped, mlir::ArrayRef<Result>(elements));
}

template <typename FloatFunction, typename IntegerFunction>
mlir::Attribute foldBinary(mlir::Type type, mlir::Attribute lhs, mlir::Attribute rhs,
                           FloatFunction ofFloats, IntegerFunction ofIntegers) {
  auto a = mlir::dyn_cast_or_null<mlir::DenseElementsAttr>(lhs),
       b = mlir::dyn_cast_or_null<mlir::DenseElementsAttr>(rhs);
  if (!isFoldable(a) || !isFoldable(b) || !isComputedAsItIs(a))
    return {};
  if (mlir::isa<mlir::FloatType>(a.getElementType()))
    return mapElements<llvm::APFloat>(type, a, b, ofFloats);
  return mapElements<llvm::APInt>(type, a, b, ofIntegers);
}

template <typename FloatFunction, typename IntegerFunction>
mlir::Attribute foldUnary(mlir::Type type, mlir::Attribute operand, FloatFunction ofFloat,
                          IntegerFunction ofInteger) {
  auto a = mlir::dyn_cast_or_null<mlir::DenseElementsAttr>(operand);
  if (!isFoldable(a) || !isComputedAsItIs(a))
    return {};
  if (mlir::isa<mlir::FloatType>(a.getElementType()))
    return mapElements<llvm::APFloat>(
        type, a, {}, [&](const llvm::APFloat &x, const llvm::APFloat &) { return ofFloat(x); });
  return mapElements<llvm::APInt>(
      type, a, {}, [&](const llvm::APInt &x, const llvm::APInt &) { return ofInteger(x); });
}

/// All elements of a constant are this float (sign of zero included) or this integer.
inline bool isAll(mlir::Attribute attribute, double value) {
  auto constant = mlir::dyn_cast_or_null<mlir::DenseElementsAttr>(attribute);
  if (!constant || !constant.isSplat())
    return false;
  if (auto type = mlir::dyn_cast<mlir::FloatType>(constant.getElementType())) {
    llvm::APFloat expected(value);
    bool lossy;
    expected.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lossy);
    return constant.getSplatValue<llvm::APFloat>().bitwiseIsEqual(expected);
  }
  llvm::APInt element = constant.getSplatValue<llvm::APInt>();
  return element == llvm::APInt(element.getBitWidth(), int64_t(value), /*isSigned=*/true,
                                /*implicitTrunc=*/true);
}

inline bool isInteger(mlir::Value value) { return isGraphTensor(value.getType(), IntegerKind); }

} // namespace graphc::graph

#endif
