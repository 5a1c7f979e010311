//===- StablehloDialect.cpp - StableHLO as JAX and PyTorch write it, to be read ---------------===//
#include "dialects/stablehlo/StablehloDialect.h"

#include "dialects/graph/KnownAttributeCheck.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::stablehlo;

ImportedDialect::ImportedDialect(StringRef name, MLIRContext *context, TypeID id)
    : Dialect(name, context, id) {
  allowUnknownOperations();
}

StablehloDialect::StablehloDialect(MLIRContext *context)
    : ImportedDialect(getDialectNamespace(), context, TypeID::get<StablehloDialect>()) {}

ChloDialect::ChloDialect(MLIRContext *context)
    : ImportedDialect(getDialectNamespace(), context, TypeID::get<ChloDialect>()) {}

/// `[b, 0, 1, f]` as "b01f".
static ParseResult parseLayout(AsmParser &parser, std::string &layout) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    int64_t number = 0;
    StringRef word;
    if (OptionalParseResult parsed = parser.parseOptionalInteger(number); parsed.has_value()) {
      if (failed(*parsed))
        return failure();
      if (number < 0 || number > 9)
        return parser.emitError(parser.getCurrentLocation(),
                                "expected a dimension of space from 0 to 9, got ")
               << number;
      layout += char('0' + number);
      return success();
    }
    if (parser.parseKeyword(&word))
      return failure();
    if (word.size() != 1)
      return parser.emitError(parser.getCurrentLocation(),
                              "expected a letter for a dimension, got ")
             << word;
    layout += word;
    return success();
  });
}

static Attribute parseConvolution(AsmParser &parser) {
  Builder &builder = parser.getBuilder();
  std::string input, kernel, output;
  if (parser.parseLess() || parseLayout(parser, input) || parser.parseKeyword("x") ||
      parseLayout(parser, kernel) || parser.parseArrow() || parseLayout(parser, output) ||
      parser.parseGreater())
    return {};
  return builder.getDictionaryAttr({builder.getNamedAttr("input", builder.getStringAttr(input)),
                                    builder.getNamedAttr("kernel", builder.getStringAttr(kernel)),
                                    builder.getNamedAttr("output", builder.getStringAttr(output))});
}

/// `<lhs_contracting_dimensions = [1], index_vector_dim = 2>`
static Attribute parseFields(AsmParser &parser) {
  NamedAttrList fields;
  auto parseOne = [&]() -> ParseResult {
    StringRef name;
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    SmallVector<int64_t> values;
    int64_t value = 0;
    Attribute read;
    if (OptionalParseResult parsed = parser.parseOptionalInteger(value); parsed.has_value()) {
      if (failed(*parsed))
        return failure();
      read = parser.getBuilder().getI64IntegerAttr(value);
    } else if (succeeded(parser.parseOptionalKeyword("true"))) {
      read = parser.getBuilder().getBoolAttr(true);
    } else if (succeeded(parser.parseOptionalKeyword("false"))) {
      read = parser.getBuilder().getBoolAttr(false);
    } else if (OptionalParseResult parsed = parser.parseOptionalAttribute(read);
               parsed.has_value()) {
      // or [1, 2]
      auto list = succeeded(*parsed) ? dyn_cast<ArrayAttr>(read) : ArrayAttr();
      if (failed(*parsed))
        return failure();
      for (Attribute one : list ? list.getValue() : ArrayRef<Attribute>())
        if (auto number = dyn_cast<IntegerAttr>(one))
          values.push_back(number.getInt());
      if (list && values.size() == list.size())
        read = parser.getBuilder().getDenseI64ArrayAttr(values);
    } else {
      return parser.emitError(parser.getCurrentLocation(),
                              "expected a number, a list of numbers or an attribute");
    }
    if (fields.get(name))
      return parser.emitError(place, "'") << name << "' is given twice";
    fields.append(name, read);
    return success();
  };
  if (parser.parseLess())
    return {};
  if (failed(parser.parseOptionalGreater()) &&
      (parser.parseCommaSeparatedList(parseOne) || parser.parseGreater()))
    return {};
  return fields.getDictionary(parser.getContext());
}

/// `LT`, or `<LT>` behind a name with a dot.
static Attribute parseWord(AsmParser &parser) {
  StringRef word;
  const bool isPretty = succeeded(parser.parseOptionalLess());
  if (parser.parseKeyword(&word) || (isPretty && parser.parseGreater()))
    return {};
  return parser.getBuilder().getStringAttr(word);
}

Attribute ImportedDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  StringRef kind;
  if (parser.parseKeyword(&kind))
    return {};
  if (kind == "conv")
    return parseConvolution(parser);
  if (kind == "precision" || kind == "comparison_type" || kind == "comparison_direction" ||
      kind == "rng_algorithm" || kind == "rng_distribution" || kind == "fft_type" ||
      kind == "transpose" || kind == "result_accuracy_mode" || kind == "custom_call_api_version")
    return parseWord(parser);
  // dot, gather, scatter; one that nobody knows is said with the op that has it
  return parseFields(parser);
}

std::optional<Dialect::ParseOpHook> ImportedDialect::getParseOperationHook(StringRef) const {
  return ParseOpHook(graph::parseUnknownOp);
}
