//===- GraphAttrs.cpp - registration of all attributes; roles, comparisons and precisions -----===//
#include "dialects/graph/AttrParameters.h"
#include "dialects/graph/DiscardableAttributes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graphc::graph;

#include "dialects/graph/GraphEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/graph/GraphAttrs.cpp.inc"

void GraphDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/graph/GraphAttrs.cpp.inc"
      >();
}

Attribute GraphDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic, text = parser.getFullSymbolSpec();
  Attribute attribute;
  OptionalParseResult result = generatedAttributeParser(parser, &mnemonic, type, attribute);
  if (!result.has_value()) {
    parser.emitError(loc) << "unknown attribute #graph." << mnemonic << suggestAttribute(mnemonic);
    return {};
  }
  if (failed(*result))
    return {};
  // MLIR skips what is left of `<…>`.
  const char *rest = parser.getCurrentLocation().getPointer();
  if (rest >= text.begin() && rest < text.end()) {
    parser.emitError(parser.getCurrentLocation())
        << "expected the end of #graph." << text.split('<').first << " here";
    return {};
  }
  return attribute;
}

void GraphDialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

//===------------------------------------------------------------------------------------------===//
// Role, comparison, precision
//===------------------------------------------------------------------------------------------===//

/// `<word>` or `word`, one of an enumeration.
template <typename Enum>
static FailureOr<Enum> parseWord(AsmParser &parser, StringRef what,
                                 std::optional<Enum> (*find)(StringRef),
                                 ArrayRef<StringRef> known) {
  SMLoc loc = parser.getCurrentLocation();
  std::string word;
  if (failed(parser.parseOptionalKeywordOrString(&word)))
    return parser.emitError(loc) << "expected " << what << ", known are "
                                 << llvm::join(known, ", ");
  if (std::optional<Enum> found = find(word))
    return *found;
  return parser.emitError(loc) << "unknown " << what << " '" << word << "'"
                               << suggestName(word, known);
}

Attribute RoleAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<Role> role =
      parseWord<Role>(parser, "role", symbolizeRole, {"train", "eval", "predict"});
  if (failed(role) || parser.parseGreater())
    return {};
  return get(parser.getContext(), *role);
}
void RoleAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyRole(getValue()) << ">";
}

Attribute ComparisonAttr::parse(AsmParser &parser, Type) {
  FailureOr<Comparison> relation = parseWord<Comparison>(parser, "relation", symbolizeComparison,
                                                         {"eq", "ne", "lt", "le", "gt", "ge"});
  return succeeded(relation) ? get(parser.getContext(), *relation) : Attribute();
}
void ComparisonAttr::print(AsmPrinter &printer) const {
  printer << ' ' << stringifyComparison(getValue());
}

Attribute PrecisionAttr::parse(AsmParser &parser, Type) {
  FailureOr<Precision> precision =
      parseWord<Precision>(parser, "precision", symbolizePrecision, {"ieee", "tf32", "bf16"});
  return succeeded(precision) ? get(parser.getContext(), *precision) : Attribute();
}
void PrecisionAttr::print(AsmPrinter &printer) const {
  printer << ' ' << stringifyPrecision(getValue());
}
