//===- KnownAttributeCheck.h - ops of which nothing is misspelt in silence ----------*- C++ -*-===//
//
// MLIR takes any attribute in an op's `{…}`, so that a misspelt one has no effect and no error. The
// dialects of this project register their ops with addCheckedOperations, which refuses what an op
// does not have, by the names that it registers:
//  - while the text is parsed, at the attribute's place;
//  - in the generic form's `<{…}>`, which MLIR would drop;
//  - in the verifier, whatever made the op (trait KnownAttributes).
// It also keeps the place of an op that has a name: MLIR puts loc("name") in the place of file,
// line and column.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_DIALECTS_GRAPH_KNOWNATTRIBUTECHECK_H
#define GRAPHC_DIALECTS_GRAPH_KNOWNATTRIBUTECHECK_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

namespace graphc::graph {

/// Messages of MLIR's parser, for users: suggestions for ops of unknown dialects and, while
/// `parser` reads one op, quotes for names with '/' and the first error alone, as parsing ends
/// there and what follows says the same in other words.
class ParseMessages : public mlir::ScopedDiagnosticHandler {
public:
  explicit ParseMessages(mlir::MLIRContext *context, mlir::AsmParser *parser = nullptr);

private:
  mlir::LogicalResult handle(mlir::Diagnostic &diagnostic);

  mlir::MLIRContext *context_;
  mlir::AsmParser *parser_;
  bool isRewriting_ = false, hasError_ = false;
};

/// The name that a location gives an op, with `place` where it has none of its own.
mlir::Location keepPlace(mlir::Location location, mlir::Location place);

namespace detail {
using ParseFn = mlir::ParseResult (*)(mlir::OpAsmParser &, mlir::OperationState &);
/// The attributes that the op's text has given outside of `{…}`; null where there are none.
using GivenFn = mlir::Attribute (*)(mlir::OperationState &);
mlir::ParseResult parseChecked(mlir::OpAsmParser &parser, mlir::OperationState &state,
                               ParseFn parse, GivenFn given);
mlir::LogicalResult checkPropertyNames(mlir::StringRef op, llvm::ArrayRef<mlir::StringRef> known,
                                       mlir::Attribute given,
                                       llvm::function_ref<mlir::InFlightDiagnostic()> emitError);
mlir::LogicalResult verifyKnownAttributes(mlir::Operation *op);
} // namespace detail

/// The verifier's half, for every op of both dialects.
template <typename ConcreteType>
struct KnownAttributes : mlir::OpTrait::TraitBase<ConcreteType, KnownAttributes> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyKnownAttributes(op);
  }
};

/// Of an op of another dialect with effects, which a graph.repeat may hold nonetheless.
template <typename ConcreteType>
struct MayBeRepeated : mlir::OpTrait::TraitBase<ConcreteType, MayBeRepeated> {};

/// The parser's half: what MLIR calls in place of ConcreteOp's own functions.
template <typename ConcreteOp> struct CheckedOp : ConcreteOp {
  using ConcreteOp::ConcreteOp;

  static mlir::ParseResult parse(mlir::OpAsmParser &parser, mlir::OperationState &state) {
    return detail::parseChecked(
        parser, state, ConcreteOp::parse, [](mlir::OperationState &state) -> mlir::Attribute {
          using Properties = typename mlir::RegisteredOperationName::Model<ConcreteOp>::Properties;
          if constexpr (mlir::RegisteredOperationName::Model<ConcreteOp>::hasProperties)
            return ConcreteOp::getPropertiesAsAttr(state.getContext(),
                                                   state.getOrAddProperties<Properties>());
          return {};
        });
  }

  template <typename Properties>
  static mlir::LogicalResult
  setPropertiesFromAttr(Properties &properties, mlir::Attribute given,
                        llvm::function_ref<mlir::InFlightDiagnostic()> emitError) {
    if (failed(detail::checkPropertyNames(ConcreteOp::getOperationName(),
                                          ConcreteOp::getAttributeNames(), given, emitError)))
      return mlir::failure();
    return ConcreteOp::setPropertiesFromAttr(properties, given, emitError);
  }
};

template <typename... ConcreteOps> void addCheckedOperations(mlir::Dialect &dialect);

/// For Dialect::getParseOperationHook, which MLIR asks where an op is not registered: says what it
/// might be.
mlir::ParseResult parseUnknownOp(mlir::OpAsmParser &parser, mlir::OperationState &state);

} // namespace graphc::graph

/// A checked op is the op itself.
template <typename ConcreteOp>
class mlir::detail::TypeIDResolver<graphc::graph::CheckedOp<ConcreteOp>> {
public:
  static TypeID resolveTypeID() { return TypeID::get<ConcreteOp>(); }
};

template <typename... ConcreteOps>
void graphc::graph::addCheckedOperations(mlir::Dialect &dialect) {
  (mlir::RegisteredOperationName::insert<CheckedOp<ConcreteOps>>(dialect), ...);
}

#endif
