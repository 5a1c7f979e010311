//===- StablehloDialect.h - StableHLO as JAX and PyTorch write it, to be read -------*- C++ -*-===//
//
// No package has StableHLO as a library, and nothing here computes in it: its text is parsed, and
// import-stablehlo makes ops of the graph dialect of it at once (StablehloToGraph.h). So these
// dialects define no ops: any name is taken, in MLIR's generic form, and what cannot be imported is
// listed with all else that cannot. Their attributes become builtin ones as they are parsed:
//
//   #stablehlo<comparison_direction LT>                             "LT"
//   #stablehlo.dot<lhs_contracting_dimensions = [1]>                {lhs_contracting_dimensions = array<i64: 1>}
//   #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>        {input = "b01f", kernel = "01io", output = "b01f"}
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_DIALECTS_STABLEHLO_STABLEHLODIALECT_H
#define GRAPHC_DIALECTS_STABLEHLO_STABLEHLODIALECT_H

#include "mlir/IR/Dialect.h"

namespace graphc::stablehlo {

/// What both have in common.
class ImportedDialect : public mlir::Dialect {
public:
  mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser, mlir::Type type) const override;
  std::optional<ParseOpHook> getParseOperationHook(mlir::StringRef op) const override;

protected:
  ImportedDialect(mlir::StringRef name, mlir::MLIRContext *context, mlir::TypeID id);
};

class StablehloDialect : public ImportedDialect {
public:
  explicit StablehloDialect(mlir::MLIRContext *context);
  static constexpr mlir::StringLiteral getDialectNamespace() { return "stablehlo"; }
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StablehloDialect)
};

/// CHLO: what frameworks write beside it.
class ChloDialect : public ImportedDialect {
public:
  explicit ChloDialect(mlir::MLIRContext *context);
  static constexpr mlir::StringLiteral getDialectNamespace() { return "chlo"; }
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChloDialect)
};

} // namespace graphc::stablehlo

#endif
