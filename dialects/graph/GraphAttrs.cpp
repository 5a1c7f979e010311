//===- GraphAttrs.cpp - attributes: text forms, checks, interfaces --------------------------------------------===//
#include "dialects/graph/GraphDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include <charconv>
#include <cmath>

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

//===----------------------------------------------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------------------------------------------===//

FailureOr<Real> graphc::graph::parseReal(AsmParser &parser) {
  double value;
  if (parser.parseFloat(value))
    return failure();
  return Real(value);
}

void graphc::graph::printReal(AsmPrinter &printer, const Real &real) {
  char buffer[40];
  auto [end, code] = std::to_chars(buffer, buffer + sizeof(buffer), real.value);
  StringRef text(buffer, end - buffer);
  // MLIR's float literals need a point before the exponent.
  auto [mantissa, exponent] = text.split('e');
  printer << mantissa << (mantissa.contains('.') ? "" : ".0");
  if (!exponent.empty())
    printer << 'e' << exponent;
}

//===----------------------------------------------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------------------------------------------===//

DeviceAttr DeviceAttr::get(MLIRContext *context, const DeviceName &name) {
  return get(context, name.job, name.task.value_or(-1), name.kind, name.index.value_or(-1));
}

DeviceName DeviceAttr::getName() const {
  DeviceName name;
  name.job = getJob().str();
  name.kind = getKind().str();
  if (getTask() >= 0)
    name.task = getTask();
  if (getIndex() >= 0)
    name.index = getIndex();
  return name;
}

std::string DeviceAttr::str() const { return getName().str(); }
bool DeviceAttr::isFull() const { return getName().isFull(); }
DeviceAttr DeviceAttr::over(DeviceAttr outer) const {
  return outer ? get(getContext(), getName().over(outer.getName())) : *this;
}

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

//===----------------------------------------------------------------------------------------------------------===//
// Replicas, cluster, strategy
//===----------------------------------------------------------------------------------------------------------===//

LogicalResult ReplicasAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayAttr ranges) {
  if (ranges.empty())
    return emitError() << "expected at least one range of tasks";
  for (Attribute range : ranges) {
    auto text = dyn_cast<StringAttr>(range);
    std::string error = "expected a string like \"/job:worker/task:0-1\"";
    if (!text || !ReplicaRange::parse(text, error))
      return emitError() << error;
  }
  return success();
}

SmallVector<ReplicaRange> ReplicasAttr::getReplicaRanges() const {
  SmallVector<ReplicaRange> ranges;
  std::string error;
  for (auto text : getRanges().getAsRange<StringAttr>())
    ranges.push_back(*ReplicaRange::parse(text, error));
  return ranges;
}

int64_t ReplicasAttr::getSize() const {
  int64_t size = 0;
  for (const ReplicaRange &range : getReplicaRanges())
    size += range.count;
  return size;
}

DeviceName ReplicasAttr::getTaskOf(int64_t replica) const {
  DeviceName name;
  for (const ReplicaRange &range : getReplicaRanges()) {
    if (replica < range.count) {
      name.job = range.job;
      name.task = range.first + replica;
      break;
    }
    replica -= range.count;
  }
  return name;
}

LogicalResult ClusterAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<NamedAttribute> jobs,
                                  ArrayRef<NamedAttribute> cpus, DeviceAttr chief) {
  int64_t tasks = 0;
  for (NamedAttribute job : jobs) {
    auto count = dyn_cast<IntegerAttr>(job.getValue());
    if (!count || count.getInt() < 1)
      return emitError() << "expected at least one task in job '" << job.getName().getValue() << "'";
    if (llvm::count_if(jobs, [&](NamedAttribute other) { return other.getName() == job.getName(); }) > 1)
      return emitError() << "job '" << job.getName().getValue() << "' is given twice";
    if (job.getName() == chief.getJob())
      tasks = count.getInt();
  }
  for (NamedAttribute job : cpus) {
    auto count = dyn_cast<IntegerAttr>(job.getValue());
    if (!count || count.getInt() < 1)
      return emitError() << "expected at least one CPU for job '" << job.getName().getValue() << "'";
    if (llvm::none_of(jobs, [&](NamedAttribute other) { return other.getName() == job.getName(); }))
      return emitError() << "CPUs are given for job '" << job.getName().getValue() << "', which is not in the cluster";
    if (llvm::count_if(cpus, [&](NamedAttribute other) { return other.getName() == job.getName(); }) > 1)
      return emitError() << "the CPUs of job '" << job.getName().getValue() << "' are given twice";
  }
  if (chief.getTask() < 0 || chief.getTask() >= tasks)
    return emitError() << "chief '" << chief.str() << "' is no task of the cluster";
  return success();
}

int64_t ClusterAttr::getTasks(StringRef job) const {
  int64_t index = getJobIndex(job);
  return index < 0 ? 0 : cast<IntegerAttr>(getJobs()[index].getValue()).getInt();
}

int64_t ClusterAttr::getCpus(StringRef job) const {
  for (NamedAttribute count : getCpus())
    if (count.getName() == job)
      return cast<IntegerAttr>(count.getValue()).getInt();
  return 1;
}

int64_t ClusterAttr::getJobIndex(StringRef job) const {
  for (auto [index, attribute] : llvm::enumerate(getJobs()))
    if (attribute.getName() == job)
      return index;
  return -1;
}

Attribute ClusterAttr::parse(AsmParser &parser, Type) {
  SmallVector<NamedAttribute> jobs, cpus;
  Builder &builder = parser.getBuilder();
  SMLoc loc = parser.getCurrentLocation();
  auto parseCounts = [&](SmallVector<NamedAttribute> &counts) -> ParseResult {
    auto parseCount = [&]() -> ParseResult {
      std::string name;
      int64_t count;
      if (parser.parseKeywordOrString(&name) || parser.parseEqual() || parser.parseInteger(count))
        return failure();
      counts.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(count)));
      return success();
    };
    return failure(parser.parseEqual() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseCount) ||
                   parser.parseComma());
  };
  if (parser.parseLess() || parser.parseKeyword("jobs") || parseCounts(jobs))
    return {};
  if (succeeded(parser.parseOptionalKeyword("cpus")) && parseCounts(cpus))
    return {};
  if (parser.parseKeyword("chief") || parser.parseEqual())
    return {};
  FailureOr<DeviceAttr> chief = parseDeviceString(parser);
  if (failed(chief) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), jobs, cpus, *chief);
}

void ClusterAttr::print(AsmPrinter &printer) const {
  auto printCounts = [&](ArrayRef<NamedAttribute> counts) {
    llvm::interleaveComma(counts, printer, [&](NamedAttribute job) {
      printer.printKeywordOrString(job.getName());
      printer << " = " << cast<IntegerAttr>(job.getValue()).getInt();
    });
  };
  printer << "<jobs = [";
  printCounts(getJobs());
  if (!getCpus().empty()) {
    printer << "], cpus = [";
    printCounts(getCpus());
  }
  printer << "], chief = \"" << getChief().str() << "\">";
}

LogicalResult StrategyAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name, bool async,
                                   int64_t microBatches, bool, ArrayAttr devices, int64_t maxStaleness,
                                   int64_t replicasToAggregate, bool, int64_t bucketBytes) {
  if (microBatches < 1)
    return emitError() << "expected micro_batches of at least 1, got " << microBatches;
  for (Attribute device : devices ? devices.getValue() : ArrayRef<Attribute>()) {
    auto text = dyn_cast<StringAttr>(device);
    std::string error;
    if (!text || !DeviceName::parse(text.getValue(), error))
      return emitError() << "expected devices as strings such as \"/job:worker/task:0/device:CPU:0\", got " << device;
  }
  if (maxStaleness < -1 || (maxStaleness >= 0 && !async))
    return emitError() << "expected max_staleness of at least 0 beside async = true, got " << maxStaleness;
  if (replicasToAggregate < 0 || (replicasToAggregate > 0 && async))
    return emitError() << "expected replicas_to_aggregate of at least 1 without async, got " << replicasToAggregate;
  if (bucketBytes < 0)
    return emitError() << "expected bucket_bytes of at least 1, got " << bucketBytes;
  return success();
}

//===----------------------------------------------------------------------------------------------------------===//
// Initializers
//===----------------------------------------------------------------------------------------------------------===//

LogicalResult ZerosAttr::verifyFor(RankedTensorType, function_ref<InFlightDiagnostic()>) const { return success(); }

LogicalResult ValueAttr::verifyFor(RankedTensorType type, function_ref<InFlightDiagnostic()> emitError) const {
  auto given = getValue().getType();
  if (given == type || (getValue().isSplat() && given.getElementType() == type.getElementType() &&
                        (given.getRank() == 0 || given.getShape() == type.getShape())))
    return success();
  return emitError() << "initializer of type " << given << " does not fit a variable of type " << type
                     << ", expected that type or a scalar of its element type";
}

static LogicalResult expectFloat(RankedTensorType type, function_ref<InFlightDiagnostic()> emitError) {
  if (isa<FloatType>(type.getElementType()))
    return success();
  return emitError() << "random initializers need a float variable, got " << type;
}

LogicalResult UniformAttr::verifyFor(RankedTensorType type, function_ref<InFlightDiagnostic()> emitError) const {
  if (!(getLow() <= getHigh()))
    return emitError() << "expected low <= high, got " << double(getLow()) << " and " << double(getHigh());
  return expectFloat(type, emitError);
}

LogicalResult NormalAttr::verifyFor(RankedTensorType type, function_ref<InFlightDiagnostic()> emitError) const {
  if (!(getStddev() >= 0))
    return emitError() << "expected stddev >= 0, got " << double(getStddev());
  return expectFloat(type, emitError);
}

LogicalResult GlorotUniformAttr::verifyFor(RankedTensorType type, function_ref<InFlightDiagnostic()> emitError) const {
  if (type.getRank() < 2)
    return emitError() << "glorot_uniform needs at least two dimensions, got " << type;
  return expectFloat(type, emitError);
}

double GlorotUniformAttr::getLimit(RankedTensorType type) const {
  ArrayRef<int64_t> fans = type.getShape().take_back(2);
  return std::sqrt(6.0 / double(fans[0] + fans[1]));
}

//===----------------------------------------------------------------------------------------------------------===//
// Data set sources
//===----------------------------------------------------------------------------------------------------------===//

LogicalResult IdxAttr::verifyFor(ArrayRef<RankedTensorType> components,
                                 function_ref<InFlightDiagnostic()> emitError) const {
  for (Attribute file : getFiles())
    if (!isa<StringAttr>(file))
      return emitError() << "expected file names in quotes, got " << file;
  if (getFiles().size() != components.size())
    return emitError() << "expected one file a component, got " << getFiles().size() << " files and "
                       << components.size() << " components";
  return success();
}

LogicalResult SyntheticAttr::verifyFor(ArrayRef<RankedTensorType> components,
                                       function_ref<InFlightDiagnostic()> emitError) const {
  if (getSamples() < 1)
    return emitError() << "expected at least one sample, got " << getSamples();
  if (getLimits() && getLimits().size() != components.size())
    return emitError() << "expected one limit a component, got " << getLimits().size() << " limits and "
                       << components.size() << " components";
  for (auto [index, type] : llvm::enumerate(components)) {
    auto limit = getLimits() ? dyn_cast<IntegerAttr>(getLimits()[index]) : IntegerAttr();
    if (getLimits() && !limit)
      return emitError() << "expected integer limits, got " << getLimits()[index];
    if (isa<FloatType>(type.getElementType()) ? limit && limit.getInt() != 0 : !limit || limit.getInt() < 1)
      return emitError() << "component " << index << " of type " << type << " needs a limit "
                         << (isa<FloatType>(type.getElementType()) ? "of 0" : "of at least 1");
  }
  return success();
}

//===----------------------------------------------------------------------------------------------------------===//
// Optimizers
//===----------------------------------------------------------------------------------------------------------===//

static LogicalResult expectRate(function_ref<InFlightDiagnostic()> emitError, double rate) {
  if (std::isfinite(rate) && rate >= 0)
    return success();
  return emitError() << "expected a learning_rate that is finite and not negative, got " << rate;
}

LogicalResult SgdAttr::verify(function_ref<InFlightDiagnostic()> emitError, Real learningRate) {
  return expectRate(emitError, learningRate);
}

LogicalResult MomentumAttr::verify(function_ref<InFlightDiagnostic()> emitError, Real learningRate, Real momentum) {
  if (!(momentum >= 0 && momentum <= 1))
    return emitError() << "expected a momentum in [0, 1], got " << double(momentum);
  return expectRate(emitError, learningRate);
}

SmallVector<StringRef> SgdAttr::getSlotNames() const { return {}; }
SmallVector<StringRef> MomentumAttr::getSlotNames() const { return {"Momentum"}; }

Operation *SgdAttr::buildApply(OpBuilder &builder, Location loc, FlatSymbolRefAttr variable,
                               ArrayRef<FlatSymbolRefAttr>, Value gradient) const {
  return ApplySgdOp::create(builder, loc, variable, gradient, builder.getF64FloatAttr(getLearningRate()));
}

Operation *MomentumAttr::buildApply(OpBuilder &builder, Location loc, FlatSymbolRefAttr variable,
                                    ArrayRef<FlatSymbolRefAttr> slots, Value gradient) const {
  return ApplyMomentumOp::create(builder, loc, variable, slots.front(), gradient,
                                 builder.getF64FloatAttr(getLearningRate()), builder.getF64FloatAttr(getMomentum()));
}
