//===- KnownAttributeCheck.cpp ----------------------------------------------------------------===//
//
// Attributes that an op does not have; messages of the parser; places of named ops.
//
//===------------------------------------------------------------------------------------------===//
#include "dialects/graph/KnownAttributeCheck.h"

#include "dialects/graph/DiscardableAttributes.h"
#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/NameSuggestions.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace graphc::graph {

//===------------------------------------------------------------------------------------------===//
// Messages
//===------------------------------------------------------------------------------------------===//

static bool isNameChar(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-';
}

/// `@enc/w`, of which the parser has read `@enc`: the whole name, or "".
/// Not before `first`, where the op's name begins.
static std::string findUnquotedName(const char *slash, const char *first) {
  if (slash <= first || *slash != '/' || !isNameChar(slash[1]) || !isNameChar(slash[-1]))
    return "";
  const char *begin = slash - 1, *end = slash + 1;
  while (begin > first && isNameChar(*begin))
    --begin;
  while (isNameChar(*end) || (*end == '/' && isNameChar(end[1])))
    ++end;
  return *begin == '@' ? std::string(begin + 1, end) : "";
}

static std::string describeUnknown(StringRef name, OperationName op, DictionaryAttr given);
static bool isSyntax(StringRef name);

/// `padding = …` in the text of the op at `first`, where the parser wants something else: what is
/// wrong with that word; "" of anything else.
static std::string describeWord(const char *at, const char *first, MLIRContext *context) {
  const auto wordAt = [](const char *begin) {
    const char *end = begin;
    while (isNameChar(*end))
      ++end;
    return StringRef(begin, size_t(end - begin));
  };
  const StringRef word = wordAt(at);
  const char *behind = word.end();
  while (*behind == ' ')
    ++behind;
  const auto op = RegisteredOperationName::lookup(wordAt(first), context);
  if (word.empty() || *behind != '=' || behind[1] == '=' || !op)
    return "";
  if (!llvm::is_contained(op->getAttributeNames(), word) || isSyntax(word))
    return describeUnknown(word, *op, {});
  return "has '" + word.str() +
         "' where it cannot stand; expected it in {…} behind the operands, or, where docs/dialects/graph.md has it "
         "outside of "
         "that, once and in the order there";
}

ParseMessages::ParseMessages(MLIRContext *context, AsmParser *parser)
    : ScopedDiagnosticHandler(context), context_(context), parser_(parser) {
  setHandler([this](Diagnostic &diagnostic) { return handle(diagnostic); });
}

LogicalResult ParseMessages::handle(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error || isRewriting_)
    return failure(); // the next handler's
  if (hasError_ && parser_)
    return success();
  hasError_ = true;
  std::string text = diagnostic.str();
  if (StringRef(text).starts_with("Dialect `") &&
      StringRef(text).contains("' not found for custom op '")) {
    StringRef op = StringRef(text).split("custom op '").second.split('\'').first;
    isRewriting_ = true;
    emitError(diagnostic.getLocation())
        << "custom op '" << op << "' is unknown" << suggestOp(op, context_);
    isRewriting_ = false;
    return success();
  }
  if (parser_ && StringRef(text).ends_with("expected ':'"))
    if (std::string what = describeWord(parser_->getCurrentLocation().getPointer(),
                                        parser_->getNameLoc().getPointer(), context_);
        !what.empty()) {
      isRewriting_ = true;
      parser_->emitError(parser_->getCurrentLocation()) << what;
      isRewriting_ = false;
      return success();
    }
  constexpr llvm::StringLiteral isFloat = "' failed to satisfy constraint: 64-bit float attribute";
  if (StringRef rest(text); parser_ && rest.consume_back(isFloat)) {
    isRewriting_ = true;
    parser_->emitError(parser_->getNameLoc())
        << "attribute '" << rest.rsplit('\'').second
        << "' must be a number with a point or an exponent, such as 1.0";
    isRewriting_ = false;
    return success();
  }
  // MLIR's parser and the op both say which op it is.
  if (auto [op, rest] = StringRef(text).split("' '");
      rest.contains("' op ") && op.starts_with("custom op '"))
    if (auto [again, what] = rest.split("' op ");
        op.drop_front(StringRef("custom op '").size()) == again) {
      isRewriting_ = true;
      emitError(diagnostic.getLocation()) << op << "' " << what;
      isRewriting_ = false;
      return success();
    }
  if (parser_ && !StringRef(text).contains("needs quotes"))
    if (std::string name = findUnquotedName(parser_->getCurrentLocation().getPointer(),
                                            parser_->getNameLoc().getPointer());
        !name.empty())
      diagnostic << "; a name with '/' needs quotes: @\"" << name << "\"";
  return failure();
}

ParseResult parseUnknownOp(OpAsmParser &parser, OperationState &state) {
  return parser.emitError(parser.getNameLoc())
         << "is unknown" << suggestOp(state.name.getStringRef(), parser.getContext());
}

//===------------------------------------------------------------------------------------------===//
// Attributes
//===------------------------------------------------------------------------------------------===//

/// What no one writes in `{…}`.
static bool isSyntax(StringRef name) {
  return llvm::is_contained({"sym_name", "sym_visibility", "function_type", "arg_attrs",
                             "res_attrs", "operandSegmentSizes", "resultSegmentSizes"},
                            name);
}

/// "has no attribute 'shufle'; did you mean …".
static std::string describeUnknown(StringRef name, OperationName op, DictionaryAttr given) {
  SmallVector<StringRef> known;
  for (StringAttr own : op.getAttributeNames())
    if (!isSyntax(own) && !(given && given.contains(own)))
      known.push_back(own);
  llvm::append_range(known, getCarriedNames(op));
  return "has no attribute '" + name.str() + "'" + suggestName(name, known);
}

static bool isOwn(StringAttr name, OperationName op) {
  return llvm::is_contained(op.getAttributeNames(), name);
}

/// Attributes of the two dialects have a verifier of their own, which knows where each may stand.
static bool isCarried(StringRef name) {
  return llvm::any_of(getCarriedAttributes(),
                      [&](const CarriedAttribute &known) { return known.name == name; });
}

/// "arguments have no attribute 'nmae'; did you mean …" of a function's arguments and results; ""
/// where all is well.
static std::string describeUnknownPort(StringRef attribute, Attribute value, StringRef &name) {
  SmallVector<StringRef> known{GraphDialect::kName};
  if (attribute == "res_attrs")
    known.push_back(GraphDialect::kReduction);
  for (auto port : cast<ArrayAttr>(value).getAsRange<DictionaryAttr>())
    for (NamedAttribute each : port)
      if (name = each.getName(); !llvm::is_contained(known, name))
        return std::string(attribute == "res_attrs" ? "results" : "arguments") +
               " have no attribute '" + name.str() + "'" + suggestName(name, known);
  return "";
}
/// What is no array of dictionaries is the business of the op's own constraint, which comes later.
static bool describesPorts(NamedAttribute attribute) {
  auto ports = dyn_cast<ArrayAttr>(attribute.getValue());
  return (attribute.getName() == "arg_attrs" || attribute.getName() == "res_attrs") && ports &&
         llvm::all_of(ports, llvm::IsaPred<DictionaryAttr>);
}

/// Every attribute is the op's own or one of the list of DiscardableAttributes.h: a name that was
/// mistyped is no silent comment.
LogicalResult detail::verifyKnownAttributes(Operation *op) {
  if (isa<FuncOp>(op))
    for (NamedAttribute attribute : op->getAttrs())
      if (StringRef name; describesPorts(attribute))
        if (std::string unknown =
                describeUnknownPort(attribute.getName(), attribute.getValue(), name);
            !unknown.empty())
          return op->emitOpError() << unknown;
  for (NamedAttribute attribute : op->getDiscardableAttrDictionary())
    if (!isCarried(attribute.getName()) && !isOwn(attribute.getName(), op->getName()))
      return op->emitOpError() << describeUnknown(attribute.getName(), op->getName(), {});
  return success();
}

/// The same for what stands in `<{…}>`, which MLIR would drop without a word where it has no place
/// for it.
LogicalResult detail::checkPropertyNames(StringRef op, ArrayRef<StringRef> known, Attribute given,
                                         function_ref<InFlightDiagnostic()> emitError) {
  auto dictionary = dyn_cast_if_present<DictionaryAttr>(given);
  if (!dictionary)
    return success(); // the op's own function says so
  for (NamedAttribute attribute : dictionary)
    if (StringRef name = attribute.getName(); !llvm::is_contained(known, name))
      return emitError() << "'" << op << "' has no attribute '" << name << "'"
                         << suggestName(name, known);
  return success();
}

/// The place of an attribute's name in the text of an op: the first of that name that something
/// like `{`, `,` or a line's begin precedes and that is no value. The op's own place where there is
/// none.
static SMLoc findAttribute(OpAsmParser &parser, StringRef name) {
  const char *begin = parser.getNameLoc().getPointer();
  StringRef text(begin, parser.getCurrentLocation().getPointer() - begin);
  for (size_t at = text.find(name); at != StringRef::npos; at = text.find(name, at + 1)) {
    StringRef before = text.take_front(at), after = text.drop_front(at + name.size());
    if (before.ends_with("\"") && after.starts_with("\""))
      before = before.drop_back(), after = after.drop_front();
    before = before.rtrim(), after = after.ltrim();
    if (before.ends_with("{") || before.ends_with(","))
      if (after.starts_with("=") || after.starts_with(",") || after.starts_with("}"))
        return SMLoc::getFromPointer(begin + at);
  }
  return parser.getNameLoc();
}

/// The same while text is parsed, so that the error stands at the attribute's name and not at the
/// op's.
static ParseResult checkAttributes(OpAsmParser &parser, OperationState &state, Attribute given) {
  auto outside = dyn_cast_if_present<DictionaryAttr>(given);
  for (NamedAttribute attribute : state.attributes) {
    StringAttr name = attribute.getName();
    if (outside && outside.contains(name))
      return parser.emitError(findAttribute(parser, name))
             << "has '" << name.getValue() << "' outside of {…} already";
    if (!isOwn(name, state.name) && !isCarried(name))
      return parser.emitError(findAttribute(parser, name))
             << describeUnknown(name, state.name, outside);
    if (StringRef port; describesPorts(attribute))
      if (std::string unknown = describeUnknownPort(name, attribute.getValue(), port);
          !unknown.empty())
        return parser.emitError(findAttribute(parser, port)) << unknown;
  }
  // What the op's own parser leaves to the verifier, where an attribute of the wrong kind counts as
  // none.
  return state.name.verifyInherentAttrs(state.attributes,
                                        [&] { return parser.emitError(parser.getNameLoc()); });
}

//===------------------------------------------------------------------------------------------===//
// Places
//===------------------------------------------------------------------------------------------===//

Location keepPlace(Location location, Location place) {
  auto named = dyn_cast<NameLoc>(location);
  if (!named)
    return location;
  Location child = named.getChildLoc();
  return NameLoc::get(named.getName(), isa<UnknownLoc>(child) ? place : keepPlace(child, place));
}

/// What an op's text may have made beside it, at the op's own place (ops/ScalarOperands.h): a
/// constant, or something of one scalar. Nobody has verified it: what counts its operands by an
/// attribute is not asked, for the attribute may say anything.
static bool isOfText(Operation *op) {
  if (!op || !op->getBlock() || op->hasTrait<OpTrait::AttrSizedOperandSegments>())
    return false;
  auto isScalar = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 0;
  };
  const bool fits = op->hasTrait<OpTrait::ConstantLike>() ||
                    (op->getNumOperands() == 1 && isScalar(op->getOperand(0).getType()));
  return fits && isPure(op);
}

/// What the text of an op has made beside it, behind the values that it needs: where the op stands
/// in a region and the values do not, it belongs there too, so that it has the region's device.
static void bringIn(Region &region) {
  auto placeOf = [](Operation *op) {
    Location place = op->getLoc();
    while (auto named = dyn_cast<NameLoc>(place))
      place = named.getChildLoc();
    return place;
  };
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(block))
      for (Value operand : op.getOperands())
        if (Operation *made = operand.getDefiningOp();
            isOfText(made) && made->getBlock() != &block && operand.hasOneUse() &&
            placeOf(made) == placeOf(&op) && !isa<UnknownLoc>(placeOf(made)))
          made->moveBefore(&op);
}

ParseResult detail::parseChecked(OpAsmParser &parser, OperationState &state, ParseFn parse,
                                 GivenFn given) {
  ParseMessages messages(parser.getContext(), &parser);
  if (parse(parser, state))
    return failure();
  if (!state.attributes.empty() && checkAttributes(parser, state, given(state)))
    return failure();
  // MLIR would set this location by itself, in the place of the one that the op has from its place
  // in the text.
  std::optional<Location> trailing;
  if (parser.parseOptionalLocationSpecifier(trailing))
    return failure();
  Location place = state.location;
  if (trailing) {
    state.location = keepPlace(*trailing, place);
    for (Value operand : state.operands)
      if (Operation *made = operand ? operand.getDefiningOp() : nullptr;
          isOfText(made) && made->getLoc() == place)
        made->setLoc(state.location);
    if (auto named = dyn_cast<NameLoc>(*trailing))
      if (std::string defect = findNameDefect(named.getName()); !defect.empty())
        return parser.emitError(parser.getNameLoc()) << "the name in loc(…) " << defect;
  }
  for (std::unique_ptr<Region> &region : state.regions) {
    bringIn(*region);
    for (Block &block : *region)
      for (BlockArgument argument : block.getArguments())
        argument.setLoc(keepPlace(argument.getLoc(), place));
  }
  return success();
}

} // namespace graphc::graph
