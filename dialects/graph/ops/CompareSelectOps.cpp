//===- CompareSelectOps.cpp - comparison, choice, conversion ----------------------------------===//
#include "dialects/graph/ops/ConstantFolding.h"
#include "dialects/graph/ops/ExpansionBuilder.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/CompareSelectOps.cpp.inc"

void graphc::graph::registerCompareSelectOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/CompareSelectOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Text
//===------------------------------------------------------------------------------------------===//

ParseResult CompareOp::parse(OpAsmParser &parser, OperationState &state) {
  ComparisonAttr relation;
  Type type;
  if (parser.parseCustomAttributeWithFallback(relation, Type()) || parser.parseComma())
    return failure();
  state.getOrAddProperties<Properties>().relation = relation;
  if (parseElementwiseOperands(parser, state, 2, /*mask=*/false, type))
    return failure();
  state.addTypes(withElement(type, parser.getBuilder().getI1Type()));
  return success();
}
void CompareOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyComparison(getRelation()) << ',';
  printElementwise(printer, *this, getRelationAttrName().getValue());
}

ParseResult SelectOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseElementwise(parser, state, 3, /*mask=*/true);
}
void SelectOp::print(OpAsmPrinter &printer) { printElementwise(printer, *this); }

//===------------------------------------------------------------------------------------------===//
// Types
//===------------------------------------------------------------------------------------------===//

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context, Loc loc, Adaptor adaptor,
                                          Types &types) {
  Type type = withElement(adaptor.getLhs().getType(), IntegerType::get(context, 1));
  if (!type)
    return emitOptionalError(loc, "expected a ranked tensor, got ", adaptor.getLhs().getType());
  types.push_back(type);
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Constraints
//===------------------------------------------------------------------------------------------===//

// (C1) truth values have no order
LogicalResult CompareOp::verify() {
  if (tensorOf(getLhs()).getElementType().isInteger(1) && getRelation() != Comparison::EQ &&
      getRelation() != Comparison::NE)
    return emitOpError() << "relation of i1 operands must be eq or ne, got "
                         << stringifyComparison(getRelation());
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Folds
//===------------------------------------------------------------------------------------------===//

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
  if (getType() == getPredicate().getType() && isAll(adaptor.getOnTrue(), 1) &&
      isAll(adaptor.getOnFalse(), 0))
    return getPredicate();
  return {};
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  auto to = dyn_cast<FloatType>(cast<ShapedType>(getType()).getElementType());
  if (!isFoldable(constant) || !to || (to.isBF16() && !isa<FloatType>(constant.getElementType())))
    return {};
  const llvm::fltSemantics &semantics = to.getFloatSemantics();
  bool isUnsigned =
      constant.getElementType().isInteger(1) || constant.getElementType().isUnsignedInteger();
  if (isa<FloatType>(constant.getElementType()))
    return mapElements<APFloat>(getType(), constant, {}, [&](APFloat x, const APFloat &) {
      bool lossy;
      x.convert(semantics, APFloat::rmNearestTiesToEven, &lossy);
      return x;
    });
  return mapElements<APInt>(getType(), constant, {}, [&](const APInt &x, const APInt &) {
    APFloat result(semantics);
    result.convertFromAPInt(x, /*IsSigned=*/!isUnsigned, APFloat::rmNearestTiesToEven);
    return result;
  });
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

Results CompareOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {ScalarArithmetic{builder, getLoc()}.compare(getRelation(), x[0], x[1])};
}
Results SelectOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {arith::SelectOp::create(builder, getLoc(), x[0], x[1], x[2])};
}
Results ConvertOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {ScalarArithmetic{builder, getLoc()}.convert(x[0], typeOf(getOperand()).getElementType(),
                                                      typeOf(getResult()).getElementType())};
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

void SelectOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                             Gradients result) {
  GradientBuilder make(builder, *this);
  Value zero = make.splat(getType(), 0);
  if (needed[1])
    result[1] = make.select(getPredicate(), g[0], zero);
  if (needed[2])
    result[2] = make.select(getPredicate(), zero, g[0]);
}

void ConvertOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                              Gradients result) {
  if (needed[0])
    result[0] =
        GradientBuilder(builder, *this).convert(g[0], typeOf(getOperand()).getElementType());
}

//===------------------------------------------------------------------------------------------===//
// What libraries and passes ask
//===------------------------------------------------------------------------------------------===//

/// From integers to integers that have all of them.
bool ConvertOp::keepsElements() {
  Type from = getElementTypeOrSelf(getOperand().getType()), to = getElementTypeOrSelf(getType());
  if (!isa<IntegerType>(from) || !isa<IntegerType>(to))
    return false;
  const unsigned has = from.getIntOrFloatBitWidth(), gets = to.getIntOrFloatBitWidth();
  const bool hasSign = !from.isUnsignedInteger() && has > 1,
             getsSign = !to.isUnsignedInteger() && gets > 1;
  return hasSign ? getsSign && has <= gets : has + unsigned(getsSign) <= gets;
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t CompareOp::getFlops() { return count(getResult()); }
uint64_t SelectOp::getFlops() { return count(getResult()); }
uint64_t ConvertOp::getFlops() { return 0; }
