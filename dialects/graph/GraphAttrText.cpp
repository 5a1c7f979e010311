//===- GraphAttrText.cpp - attributes as text ----------------------------------------------------------------===//
//
// By hand, because what TableGen would make of an assemblyFormat says each mistake twice, with the names of C++ types.
//
//===----------------------------------------------------------------------------------------------------------===//
#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/Suggestions.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>

using namespace mlir;
using namespace graphc::graph;

//===----------------------------------------------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------------------------------------------===//

/// Whether a number without point or exponent comes next, as in `learning_rate = 1`.
static bool isWholeNumber(AsmParser &parser) {
  const char *c = parser.getCurrentLocation().getPointer();
  c += *c == '-';
  if (!llvm::isDigit(*c))
    return false;
  while (llvm::isDigit(*c))
    ++c;
  return *c != '.' && *c != 'x' && *c != 'X';
}

static ParseResult parseValue(AsmParser &parser, Real &value) {
  int64_t whole;
  if (!isWholeNumber(parser))
    return parser.parseFloat(value.value);
  if (parser.parseInteger(whole))
    return failure();
  value = double(whole);
  return success();
}

static ParseResult parseValue(AsmParser &parser, int64_t &value) { return parser.parseInteger(value); }
static ParseResult parseValue(AsmParser &parser, uint64_t &value) { return parser.parseInteger(value); }

static ParseResult parseValue(AsmParser &parser, bool &value) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)) || (word != "true" && word != "false"))
    return parser.emitError(loc, "expected true or false");
  value = word == "true";
  return success();
}

static ParseResult parseValue(AsmParser &parser, std::string &value) { return parser.parseString(&value); }

/// An attribute or a type of one kind.
template <typename Kind> static ParseResult parseKind(AsmParser &parser, Kind &value, StringRef expected) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute attribute;
  if (parser.parseAttribute(attribute))
    return failure();
  value = dyn_cast<Kind>(attribute);
  if (!value)
    return parser.emitError(loc) << "expected " << expected << ", got " << attribute;
  return success();
}
static ParseResult parseValue(AsmParser &parser, ArrayAttr &value) {
  return parseKind(parser, value, "a list in brackets");
}
static ParseResult parseValue(AsmParser &parser, StringAttr &value) {
  return parseKind(parser, value, "a text in quotes");
}
static ParseResult parseValue(AsmParser &parser, RankedTensorType &value) {
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
static void printValue(AsmPrinter &printer, const Real &real) {
  char buffer[40];
  auto [end, code] = std::to_chars(buffer, buffer + sizeof(buffer), real.value);
  StringRef text(buffer, end - buffer);
  // MLIR's float literals need a point before the exponent.
  auto [mantissa, exponent] = text.split('e');
  printer << mantissa << (mantissa.contains('.') ? "" : ".0");
  if (!exponent.empty())
    printer << 'e' << exponent;
}
static void printValue(AsmPrinter &printer, bool value) { printer << (value ? "true" : "false"); }
static void printValue(AsmPrinter &printer, StringRef value) { printer.printString(value); }
template <typename Value> static void printValue(AsmPrinter &printer, Value value) { printer << value; }

//===----------------------------------------------------------------------------------------------------------===//
// Parameters: `<name = value, …>`
//===----------------------------------------------------------------------------------------------------------===//

namespace {

class Parameters {
public:
  Parameters(AsmParser &parser, StringRef attribute)
      : parser(parser), attribute(attribute), loc(parser.getCurrentLocation()) {}

  template <typename Value> Parameters &need(StringRef name, Value &value) { return add(name, value, true); }
  template <typename Value> Parameters &take(StringRef name, Value &value) { return add(name, value, false); }

  ParseResult parse() {
    bool isOptional = llvm::none_of(all, [](const Parameter &each) { return each.isNeeded; });
    if (isOptional && failed(parser.parseOptionalLess()))
      return success();
    if (!isOptional && parser.parseLess())
      return failure();
    if (isOptional && succeeded(parser.parseOptionalGreater()))
      return success();
    if (parser.parseCommaSeparatedList([&] { return parseOne(); }))
      return failure();
    for (const Parameter &each : all)
      if (each.isNeeded && !each.isGiven)
        return parser.emitError(parser.getCurrentLocation())
               << "#graph." << attribute << " needs the parameter '" << each.name << "'";
    return parser.parseGreater();
  }

  SMLoc getLoc() const { return loc; }

private:
  struct Parameter {
    StringRef name;
    std::function<ParseResult()> parse;
    bool isNeeded, isGiven = false;
  };

  template <typename Value> Parameters &add(StringRef name, Value &value, bool isNeeded) {
    all.push_back({name, [this, &value] { return parseValue(parser, value); }, isNeeded});
    return *this;
  }

  ParseResult parseOne() {
    SMLoc place = parser.getCurrentLocation();
    StringRef name;
    SmallVector<StringRef> known = llvm::map_to_vector(all, [](const Parameter &each) { return each.name; });
    if (failed(parser.parseOptionalKeyword(&name)))
      return parser.emitError(place) << "expected a parameter of #graph." << attribute << ", known are "
                                     << llvm::join(known, ", ");
    auto *found = llvm::find_if(all, [&](const Parameter &each) { return each.name == name; });
    if (found == all.end())
      return parser.emitError(place) << "#graph." << attribute << " has no parameter '" << name << "'"
                                     << suggestName(name, known);
    if (found->isGiven)
      return parser.emitError(place) << "parameter '" << name << "' is given twice";
    found->isGiven = true;
    return failure(parser.parseEqual() || found->parse());
  }

  AsmParser &parser;
  StringRef attribute;
  SMLoc loc;
  SmallVector<Parameter, 9> all;
};

/// Prints what differs from its default; no brackets around nothing.
class ParameterPrinter {
public:
  explicit ParameterPrinter(AsmPrinter &printer) : printer(printer) {}
  ~ParameterPrinter() {
    if (any)
      printer << ">";
  }
  template <typename Value> ParameterPrinter &add(StringRef name, Value value) {
    printer << (any ? ", " : "<") << name << " = ";
    printValue(printer, value);
    any = true;
    return *this;
  }
  template <typename Value> ParameterPrinter &add(StringRef name, Value value, Value unsaid) {
    return value == unsaid ? *this : add(name, value);
  }

private:
  AsmPrinter &printer;
  bool any = false;
};

} // namespace

/// The attribute, or null after an error at `loc`. The arguments have the types of its parameters: with others MLIR's own
/// function would be meant, which needs to know how attributes are stored.
template <typename Result, typename... Arguments>
static Result getCheckedAt(AsmParser &parser, SMLoc loc, const Arguments &...arguments) {
  auto complain = [&]() -> InFlightDiagnostic { return parser.emitError(loc); };
  function_ref<InFlightDiagnostic()> emitError = complain;
  return Result::getChecked(emitError, parser.getContext(), arguments...);
}

/// `<word>` or `word`, one of an enumeration.
template <typename Enum>
static FailureOr<Enum> parseWord(AsmParser &parser, StringRef what, std::optional<Enum> (*find)(StringRef),
                                 ArrayRef<StringRef> known) {
  SMLoc loc = parser.getCurrentLocation();
  std::string word;
  if (failed(parser.parseOptionalKeywordOrString(&word)))
    return parser.emitError(loc) << "expected " << what << ", known are " << llvm::join(known, ", ");
  if (std::optional<Enum> found = find(word))
    return *found;
  return parser.emitError(loc) << "unknown " << what << " '" << word << "'" << suggestName(word, known);
}

//===----------------------------------------------------------------------------------------------------------===//
// Role, comparison
//===----------------------------------------------------------------------------------------------------------===//

Attribute RoleAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<Role> role = parseWord<Role>(parser, "role", symbolizeRole, {"train", "eval", "predict"});
  if (failed(role) || parser.parseGreater())
    return {};
  return get(parser.getContext(), *role);
}
void RoleAttr::print(AsmPrinter &printer) const { printer << "<" << stringifyRole(getValue()) << ">"; }

Attribute ComparisonAttr::parse(AsmParser &parser, Type) {
  FailureOr<Comparison> relation =
      parseWord<Comparison>(parser, "relation", symbolizeComparison, {"eq", "ne", "lt", "le", "gt", "ge"});
  return succeeded(relation) ? get(parser.getContext(), *relation) : Attribute();
}
void ComparisonAttr::print(AsmPrinter &printer) const { printer << ' ' << stringifyComparison(getValue()); }

//===----------------------------------------------------------------------------------------------------------===//
// Machines
//===----------------------------------------------------------------------------------------------------------===//

static FailureOr<DeviceAttr> parseDeviceString(AsmParser &parser) {
  std::string text, error;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&text))
    return failure();
  std::optional<DeviceName> name = DeviceName::parse(text, error);
  if (!name)
    return parser.emitError(loc, error);
  return DeviceAttr::get(parser.getContext(), *name);
}

Attribute DeviceAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<DeviceAttr> device = parseDeviceString(parser);
  if (failed(device) || parser.parseGreater())
    return {};
  return *device;
}
void DeviceAttr::print(AsmPrinter &printer) const { printer << "<\"" << str() << "\">"; }

Attribute ReplicasAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  ArrayAttr ranges;
  if (parser.parseLess() || parseValue(parser, ranges) || parser.parseGreater())
    return {};
  return getCheckedAt<ReplicasAttr>(parser, loc, ranges);
}
void ReplicasAttr::print(AsmPrinter &printer) const { printer << "<" << getRanges() << ">"; }

Attribute ClusterAttr::parse(AsmParser &parser, Type) {
  SmallVector<NamedAttribute> jobs, devices;
  Builder &builder = parser.getBuilder();
  SMLoc loc = parser.getCurrentLocation();
  auto parseByJob = [&](SmallVector<NamedAttribute> &list,
                        function_ref<ParseResult(Attribute &)> parseOne) -> ParseResult {
    auto parseEntry = [&]() -> ParseResult {
      std::string name;
      Attribute value;
      if (parser.parseKeywordOrString(&name) || parser.parseEqual() || parseOne(value))
        return failure();
      list.push_back(builder.getNamedAttr(name, value));
      return success();
    };
    return failure(parser.parseEqual() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseEntry) ||
                   parser.parseComma());
  };
  auto parseCount = [&](Attribute &value) -> ParseResult {
    int64_t count;
    if (parser.parseInteger(count))
      return failure();
    value = builder.getI64IntegerAttr(count);
    return success();
  };
  auto parseNames = [&](Attribute &value) -> ParseResult {
    ArrayAttr names;
    if (parseValue(parser, names))
      return failure();
    value = names;
    return success();
  };
  if (parser.parseLess() || parser.parseKeyword("jobs") || parseByJob(jobs, parseCount))
    return {};
  if (succeeded(parser.parseOptionalKeyword("devices")) && parseByJob(devices, parseNames))
    return {};
  if (parser.parseKeyword("chief") || parser.parseEqual())
    return {};
  FailureOr<DeviceAttr> chief = parseDeviceString(parser);
  if (failed(chief) || parser.parseGreater())
    return {};
  return getCheckedAt<ClusterAttr>(parser, loc, ArrayRef(jobs), ArrayRef(devices), *chief);
}

void ClusterAttr::print(AsmPrinter &printer) const {
  printer << "<jobs = [";
  llvm::interleaveComma(getJobs(), printer, [&](NamedAttribute job) {
    printer.printKeywordOrString(job.getName());
    printer << " = " << cast<IntegerAttr>(job.getValue()).getInt();
  });
  if (!getDevices().empty()) {
    printer << "], devices = [";
    llvm::interleaveComma(getDevices(), printer, [&](NamedAttribute job) {
      printer.printKeywordOrString(job.getName());
      printer << " = " << job.getValue();
    });
  }
  printer << "], chief = \"" << getChief().str() << "\">";
}

Attribute StrategyAttr::parse(AsmParser &parser, Type) {
  StringAttr name;
  ArrayAttr devices;
  bool async = false, inGraph = false, fast = false;
  int64_t microBatches = 0, sumLeaves = 0, maxStaleness = -1, replicasToAggregate = 0, bucketBytes = 0;
  Parameters parameters(parser, getMnemonic());
  parameters.need("name", name)
      .take("async", async)
      .take("micro_batches", microBatches)
      .take("sum_leaves", sumLeaves)
      .take("in_graph", inGraph)
      .take("devices", devices)
      .take("max_staleness", maxStaleness)
      .take("replicas_to_aggregate", replicasToAggregate)
      .take("fast", fast)
      .take("bucket_bytes", bucketBytes);
  if (parameters.parse())
    return {};
  return getCheckedAt<StrategyAttr>(parser, parameters.getLoc(), name, async, microBatches, sumLeaves, inGraph, devices,
                                    maxStaleness, replicasToAggregate, fast, bucketBytes);
}
void StrategyAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("name", getName())
      .add("async", getAsync(), false)
      .add("micro_batches", getMicroBatches(), int64_t(0))
      .add("sum_leaves", getSumLeaves(), int64_t(0))
      .add("in_graph", getInGraph(), false)
      .add("devices", getDevices(), ArrayAttr())
      .add("max_staleness", getMaxStaleness(), int64_t(-1))
      .add("replicas_to_aggregate", getReplicasToAggregate(), int64_t(0))
      .add("fast", getFast(), false)
      .add("bucket_bytes", getBucketBytes(), int64_t(0));
}

Attribute PartAttr::parse(AsmParser &parser, Type) {
  std::string of;
  RankedTensorType type;
  int64_t row = 0;
  Parameters parameters(parser, getMnemonic());
  if (parameters.need("of", of).need("type", type).need("row", row).parse())
    return {};
  return get(parser.getContext(), of, type, row);
}
void PartAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer).add("of", getOf()).add("type", getType()).add("row", getRow());
}

//===----------------------------------------------------------------------------------------------------------===//
// Initializers
//===----------------------------------------------------------------------------------------------------------===//

Attribute ValueAttr::parse(AsmParser &parser, Type) {
  DenseElementsAttr value;
  if (parser.parseLess() || parseKind(parser, value, "a value like dense<0.0> : tensor<f32>") || parser.parseGreater())
    return {};
  return get(parser.getContext(), value);
}
void ValueAttr::print(AsmPrinter &printer) const { printer << "<" << getValue() << ">"; }

Attribute UniformAttr::parse(AsmParser &parser, Type) {
  Real low = 0.0, high = 1.0;
  uint64_t seed = 0;
  if (Parameters(parser, getMnemonic()).take("low", low).take("high", high).take("seed", seed).parse())
    return {};
  return get(parser.getContext(), low, high, seed);
}
void UniformAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("low", getLow(), Real(0))
      .add("high", getHigh(), Real(1))
      .add("seed", getSeed(), uint64_t(0));
}

Attribute NormalAttr::parse(AsmParser &parser, Type) {
  Real mean = 0.0, stddev = 1.0;
  uint64_t seed = 0;
  bool truncated = false;
  Parameters parameters(parser, getMnemonic());
  parameters.take("mean", mean).take("stddev", stddev).take("seed", seed).take("truncated", truncated);
  if (parameters.parse())
    return {};
  return get(parser.getContext(), mean, stddev, seed, truncated);
}
void NormalAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("mean", getMean(), Real(0))
      .add("stddev", getStddev(), Real(1))
      .add("seed", getSeed(), uint64_t(0))
      .add("truncated", getTruncated(), false);
}

Attribute GlorotUniformAttr::parse(AsmParser &parser, Type) {
  uint64_t seed = 0;
  if (Parameters(parser, getMnemonic()).take("seed", seed).parse())
    return {};
  return get(parser.getContext(), seed);
}
void GlorotUniformAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer).add("seed", getSeed(), uint64_t(0));
}

//===----------------------------------------------------------------------------------------------------------===//
// Data set sources, optimizers
//===----------------------------------------------------------------------------------------------------------===//

Attribute IdxAttr::parse(AsmParser &parser, Type) {
  ArrayAttr files;
  Real scale = 1.0, offset = 0.0;
  if (Parameters(parser, getMnemonic()).need("files", files).take("scale", scale).take("offset", offset).parse())
    return {};
  return get(parser.getContext(), files, scale, offset);
}
void IdxAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("files", getFiles())
      .add("scale", getScale(), Real(1))
      .add("offset", getOffset(), Real(0));
}

Attribute SyntheticAttr::parse(AsmParser &parser, Type) {
  int64_t samples = 0;
  uint64_t seed = 0;
  ArrayAttr limits;
  if (Parameters(parser, getMnemonic()).need("samples", samples).take("seed", seed).take("limits", limits).parse())
    return {};
  return get(parser.getContext(), samples, seed, limits);
}
void SyntheticAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("samples", getSamples())
      .add("seed", getSeed(), uint64_t(0))
      .add("limits", getLimits(), ArrayAttr());
}

Attribute SgdAttr::parse(AsmParser &parser, Type) {
  Real learningRate;
  Parameters parameters(parser, getMnemonic());
  if (parameters.need("learning_rate", learningRate).parse())
    return {};
  return getCheckedAt<SgdAttr>(parser, parameters.getLoc(), learningRate);
}
void SgdAttr::print(AsmPrinter &printer) const { ParameterPrinter(printer).add("learning_rate", getLearningRate()); }

Attribute MomentumAttr::parse(AsmParser &parser, Type) {
  Real learningRate, momentum;
  Parameters parameters(parser, getMnemonic());
  if (parameters.need("learning_rate", learningRate).need("momentum", momentum).parse())
    return {};
  return getCheckedAt<MomentumAttr>(parser, parameters.getLoc(), learningRate, momentum);
}
void MomentumAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer).add("learning_rate", getLearningRate()).add("momentum", getMomentum());
}
