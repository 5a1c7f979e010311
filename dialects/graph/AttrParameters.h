//===- AttrParameters.h - attributes' parameters as text: `<name = value, …>` -------*- C++ -*-===//
//
// By hand, because what TableGen would make of an assemblyFormat says each mistake twice, with the
// names of C++ types.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_DIALECTS_GRAPH_ATTRPARAMETERS_H
#define GRAPHC_DIALECTS_GRAPH_ATTRPARAMETERS_H

#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/NameSuggestions.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>

namespace graphc::graph {

using namespace mlir;

//===------------------------------------------------------------------------------------------===//
// Values
//===------------------------------------------------------------------------------------------===//

/// Whether a number without point or exponent comes next, as in `learning_rate = 1`.
inline bool isWholeNumber(AsmParser &parser) {
  const char *c = parser.getCurrentLocation().getPointer();
  c += *c == '-';
  if (!llvm::isDigit(*c))
    return false;
  while (llvm::isDigit(*c))
    ++c;
  return *c != '.' && *c != 'x' && *c != 'X';
}

inline ParseResult parseValue(AsmParser &parser, BitwiseDouble &value) {
  int64_t whole;
  if (!isWholeNumber(parser))
    return parser.parseFloat(value.value);
  if (parser.parseInteger(whole))
    return failure();
  value = double(whole);
  return success();
}

inline ParseResult parseValue(AsmParser &parser, FloatAttr &value) {
  BitwiseDouble number;
  if (parseValue(parser, number))
    return failure();
  value = parser.getBuilder().getF64FloatAttr(number);
  return success();
}
inline ParseResult parseValue(AsmParser &parser, int64_t &value) {
  return parser.parseInteger(value);
}
inline ParseResult parseValue(AsmParser &parser, uint64_t &value) {
  return parser.parseInteger(value);
}

inline ParseResult parseValue(AsmParser &parser, bool &value) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)) || (word != "true" && word != "false"))
    return parser.emitError(loc, "expected true or false");
  value = word == "true";
  return success();
}

inline ParseResult parseValue(AsmParser &parser, std::string &value) {
  return parser.parseString(&value);
}

/// An attribute or a type of one kind.
template <typename Kind> ParseResult parseKind(AsmParser &parser, Kind &value, StringRef expected) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute attribute;
  if (parser.parseAttribute(attribute))
    return failure();
  value = dyn_cast<Kind>(attribute);
  if (!value)
    return parser.emitError(loc) << "expected " << expected << ", got " << attribute;
  return success();
}
inline ParseResult parseValue(AsmParser &parser, ArrayAttr &value) {
  return parseKind(parser, value, "a list in brackets");
}
inline ParseResult parseValue(AsmParser &parser, StringAttr &value) {
  return parseKind(parser, value, "a text in quotes");
}
inline ParseResult parseValue(AsmParser &parser, MeshAttr &value) {
  return parseKind(parser, value, "a #graph.mesh");
}
inline ParseResult parseValue(AsmParser &parser, RankedTensorType &value) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  value = dyn_cast<RankedTensorType>(type);
  if (!value)
    return parser.emitError(loc) << "expected a tensor type, got " << type;
  return success();
}

/// The fewest digits that read back as the same number.
inline void printValue(AsmPrinter &printer, const BitwiseDouble &real) {
  char buffer[40];
  auto [end, code] = std::to_chars(buffer, buffer + sizeof(buffer), real.value);
  StringRef text(buffer, end - buffer);
  // MLIR's float literals need a point before the exponent.
  auto [mantissa, exponent] = text.split('e');
  printer << mantissa << (mantissa.contains('.') ? "" : ".0");
  if (!exponent.empty())
    printer << 'e' << exponent;
}
inline void printValue(AsmPrinter &printer, FloatAttr value) {
  printValue(printer, BitwiseDouble(value.getValueAsDouble()));
}
inline void printValue(AsmPrinter &printer, bool value) { printer << (value ? "true" : "false"); }
inline void printValue(AsmPrinter &printer, StringRef value) { printer.printString(value); }
template <typename Value> void printValue(AsmPrinter &printer, Value value) { printer << value; }

//===------------------------------------------------------------------------------------------===//
// Parameters: `<name = value, …>`
//===------------------------------------------------------------------------------------------===//

class ParameterParser {
public:
  ParameterParser(AsmParser &parser, StringRef attribute)
      : parser_(parser), attribute_(attribute), loc_(parser.getCurrentLocation()) {}

  template <typename Value> ParameterParser &need(StringRef name, Value &value) {
    return add(name, value, true);
  }
  template <typename Value> ParameterParser &take(StringRef name, Value &value) {
    return add(name, value, false);
  }

  ParseResult parse() {
    bool isOptional = llvm::none_of(all_, [](const Parameter &each) { return each.isNeeded; });
    if (isOptional && failed(parser_.parseOptionalLess()))
      return success();
    if (!isOptional && parser_.parseLess())
      return failure();
    if (isOptional && succeeded(parser_.parseOptionalGreater()))
      return success();
    if (parser_.parseCommaSeparatedList([&] { return parseOne(); }))
      return failure();
    for (const Parameter &each : all_)
      if (each.isNeeded && !each.isGiven)
        return parser_.emitError(parser_.getCurrentLocation())
               << "#graph." << attribute_ << " needs the parameter '" << each.name << "'";
    return parser_.parseGreater();
  }

  SMLoc getLoc() const { return loc_; }

private:
  struct Parameter {
    StringRef name;
    std::function<ParseResult()> parse;
    bool isNeeded, isGiven = false;
  };

  template <typename Value> ParameterParser &add(StringRef name, Value &value, bool isNeeded) {
    all_.push_back({name, [this, &value] { return parseValue(parser_, value); }, isNeeded});
    return *this;
  }

  ParseResult parseOne() {
    SMLoc place = parser_.getCurrentLocation();
    StringRef name;
    SmallVector<StringRef> known =
        llvm::map_to_vector(all_, [](const Parameter &each) { return each.name; });
    if (failed(parser_.parseOptionalKeyword(&name)))
      return parser_.emitError(place) << "expected a parameter of #graph." << attribute_
                                      << ", known are " << llvm::join(known, ", ");
    auto *found = llvm::find_if(all_, [&](const Parameter &each) { return each.name == name; });
    if (found == all_.end())
      return parser_.emitError(place) << "#graph." << attribute_ << " has no parameter '" << name
                                      << "'" << suggestName(name, known);
    if (found->isGiven)
      return parser_.emitError(place) << "parameter '" << name << "' is given twice";
    found->isGiven = true;
    return failure(parser_.parseEqual() || found->parse());
  }

  AsmParser &parser_;
  StringRef attribute_;
  SMLoc loc_;
  SmallVector<Parameter, 17> all_;
};

/// Prints what differs from its default; no brackets around nothing.
class ParameterPrinter {
public:
  explicit ParameterPrinter(AsmPrinter &printer) : printer_(printer) {}
  ~ParameterPrinter() {
    if (any_)
      printer_ << ">";
  }
  template <typename Value> ParameterPrinter &add(StringRef name, Value value) {
    printer_ << (any_ ? ", " : "<") << name << " = ";
    printValue(printer_, value);
    any_ = true;
    return *this;
  }
  template <typename Value> ParameterPrinter &add(StringRef name, Value value, Value unsaid) {
    return value == unsaid ? *this : add(name, value);
  }

private:
  AsmPrinter &printer_;
  bool any_ = false;
};

/// The attribute, or null after an error at `loc`. The arguments have the types of its parameters:
/// with others MLIR's own function would be meant, which needs to know how attributes are stored.
template <typename Result, typename... Arguments>
Result getCheckedAt(AsmParser &parser, SMLoc loc, const Arguments &...arguments) {
  auto complain = [&]() -> InFlightDiagnostic { return parser.emitError(loc); };
  function_ref<InFlightDiagnostic()> emitError = complain;
  return Result::getChecked(emitError, parser.getContext(), arguments...);
}

} // namespace graphc::graph

#endif
