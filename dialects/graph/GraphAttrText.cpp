//===- GraphAttrText.cpp - attributes as text ----------------------------------------------------------------===//
#include "dialects/graph/AttrParameters.h"

using namespace mlir;
using namespace graphc::graph;

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
// Role, comparison, precision
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

Attribute PrecisionAttr::parse(AsmParser &parser, Type) {
  FailureOr<Precision> precision =
      parseWord<Precision>(parser, "precision", symbolizePrecision, {"ieee", "tf32", "bf16"});
  return succeeded(precision) ? get(parser.getContext(), *precision) : Attribute();
}
void PrecisionAttr::print(AsmPrinter &printer) const { printer << ' ' << stringifyPrecision(getValue()); }

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
  bool async = false, inGraph = false, fast = false, distinctRows = false, recoversFromMemory = false;
  int64_t microBatches = 0, sumLeaves = 0, maxStaleness = -1, replicasToAggregate = 0, bucketBytes = 0, hosts = 1;
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
      .take("bucket_bytes", bucketBytes)
      .take("hosts", hosts)
      .take("distinct_rows", distinctRows)
      .take("recovers_from_memory", recoversFromMemory);
  if (parameters.parse())
    return {};
  return getCheckedAt<StrategyAttr>(parser, parameters.getLoc(), name, async, microBatches, sumLeaves, inGraph, devices,
                                    maxStaleness, replicasToAggregate, fast, bucketBytes, hosts, distinctRows,
                                    recoversFromMemory);
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
      .add("bucket_bytes", getBucketBytes(), int64_t(0))
      .add("hosts", getHosts(), int64_t(1))
      .add("distinct_rows", getDistinctRows(), false)
      .add("recovers_from_memory", getRecoversFromMemory(), false);
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
