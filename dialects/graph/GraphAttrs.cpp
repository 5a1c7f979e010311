//===- GraphAttrs.cpp - attributes: checks, interfaces; their text forms are in GraphAttrText.cpp --------------===//
#include "dialects/graph/CarriedAttributes.h"
#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/Suggestions.h"
#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/common/device/Kinds.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

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
    parser.emitError(parser.getCurrentLocation()) << "expected the end of #graph." << text.split('<').first << " here";
    return {};
  }
  return attribute;
}

void GraphDialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
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

//===----------------------------------------------------------------------------------------------------------===//
// Replicas, cluster, strategy
//===----------------------------------------------------------------------------------------------------------===//

/// Each entry is a task or a run of tasks, `/job:worker/task:0-3`; there is one.
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

/// What passes rely on without asking: each job once, with a task at least; devices of jobs that there are, each once,
/// with kind and number; a chief that is one of the tasks.
LogicalResult ClusterAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<NamedAttribute> jobs,
                                  ArrayRef<NamedAttribute> devices, DeviceAttr chief) {
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
  for (NamedAttribute job : devices) {
    StringRef name = job.getName().getValue();
    auto list = dyn_cast<ArrayAttr>(job.getValue());
    if (!list || list.empty())
      return emitError() << "expected at least one device for job '" << name << "'";
    for (Attribute entry : list) {
      std::string error;
      auto text = dyn_cast<StringAttr>(entry);
      std::optional<DeviceName> device;
      if (text)
        device = DeviceName::parse("/device:" + text.str(), error);
      if (!device || device->kind.empty() || !device->index)
        return emitError() << "expected the devices of job '" << name << "' as strings such as \"CPU:0\", got "
                           << entry;
      if (llvm::count(list, entry) > 1)
        return emitError() << "job '" << name << "' has the device " << entry << " twice";
    }
    if (llvm::none_of(jobs, [&](NamedAttribute other) { return other.getName() == job.getName(); }))
      return emitError() << "devices are given for job '" << name << "', which is not in the cluster";
    if (llvm::count_if(devices, [&](NamedAttribute other) { return other.getName() == job.getName(); }) > 1)
      return emitError() << "the devices of job '" << name << "' are given twice";
  }
  if (chief.getTask() < 0 || chief.getTask() >= tasks)
    return emitError() << "chief '" << chief.str() << "' is no task of the cluster";
  return success();
}

int64_t ClusterAttr::getTasks(StringRef job) const {
  int64_t index = getJobIndex(job);
  return index < 0 ? 0 : cast<IntegerAttr>(getJobs()[index].getValue()).getInt();
}

SmallVector<DeviceAttr> ClusterAttr::getDevices(StringRef job, int64_t task) const {
  SmallVector<DeviceAttr> devices;
  auto add = [&](const std::string &text) {
    std::string error;
    DeviceName name = *DeviceName::parse("/device:" + text, error); // verify() has read it
    devices.push_back(DeviceAttr::get(getContext(), job, task, name.kind, *name.index));
  };
  for (NamedAttribute given : getDevices())
    if (given.getName() == job)
      for (StringRef text : cast<ArrayAttr>(given.getValue()).getAsValueRange<StringAttr>())
        add(text.str());
  if (devices.empty())
    add(device::hostDevice());
  // A task computes on its GPUs where it has some; one of job ps stores for others, and that in the host's memory.
  SmallVector<DeviceAttr> ordered;
  for (bool first : {true, false})
    llvm::copy_if(devices, std::back_inserter(ordered), [&](DeviceAttr device) {
      return ((device.getKind() == StringRef(device::hostKind().name)) == (job == "ps")) == first;
    });
  return ordered;
}

int64_t ClusterAttr::getJobIndex(StringRef job) const {
  for (auto [index, attribute] : llvm::enumerate(getJobs()))
    if (attribute.getName() == job)
      return index;
  return -1;
}

/// Settings within their bounds, and none beside one that excludes it.
LogicalResult StrategyAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name, bool async,
                                   int64_t microBatches, int64_t sumLeaves, bool inGraph, ArrayAttr devices,
                                   int64_t maxStaleness, int64_t replicasToAggregate, bool, int64_t bucketBytes,
                                   int64_t hosts, bool distinctRows, bool recoversFromMemory) {
  constexpr int64_t kMost = graphc::cluster::kMostMicroBatches;
  if (microBatches < 0 || microBatches > kMost)
    return emitError() << "expected micro_batches of 1 to " << kMost << ", got " << microBatches;
  if (sumLeaves < 0 || sumLeaves > kMost)
    return emitError() << "expected sum_leaves of 1 to " << kMost << ", got " << sumLeaves;
  if (devices && devices.empty())
    return emitError() << "expected at least one device, or no devices for the default";
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
  if (hosts != 1 && (hosts < 1 || name != "all_reduce" || inGraph))
    return emitError() << "expected hosts of at least 1, and more of all_reduce without in_graph alone, got " << hosts;
  const bool sumsAmongWorkers = name == "all_reduce" && !inGraph;
  if (recoversFromMemory && !sumsAmongWorkers)
    return emitError() << "expected recovers_from_memory of all_reduce without in_graph";
  if (distinctRows && (name == "one_device" || sumsAmongWorkers))
    return emitError() << "expected distinct_rows of a strategy by which rows travel, not one_device, nor all_reduce "
                          "without in_graph";
  return success();
}

//===----------------------------------------------------------------------------------------------------------===//
// Initializers
//===----------------------------------------------------------------------------------------------------------===//

LogicalResult ZerosAttr::verifyFor(RankedTensorType, function_ref<InFlightDiagnostic()>) const { return success(); }
LogicalResult UninitializedAttr::verifyFor(RankedTensorType, function_ref<InFlightDiagnostic()>) const {
  return success(); // of every type
}

/// The elements are as many as the variable's, or one for all, and of its element type.
LogicalResult ValueAttr::verifyFor(RankedTensorType type, function_ref<InFlightDiagnostic()> emitError) const {
  auto given = getValue().getType();
  if (given == type || (getValue().isSplat() && given.getElementType() == type.getElementType() &&
                        (given.getRank() == 0 || given.getShape() == type.getShape())))
    return success();
  return emitError() << "initializer of type " << given << " does not fit a variable of type " << type
                     << ", expected that type or a scalar of its element type";
}

static LogicalResult expectFloat(RankedTensorType type, function_ref<InFlightDiagnostic()> emitError) {
  if (isGraphTensor(type, FloatKind))
    return success();
  return emitError() << "random initializers need a variable of f32 or f64, got " << type;
}

static LogicalResult expectFinite(StringRef what, double value, function_ref<InFlightDiagnostic()> emitError) {
  if (std::isfinite(value))
    return success();
  return emitError() << what << " must be finite, got " << value;
}

/// A float variable, and bounds in order.
LogicalResult UniformAttr::verifyFor(RankedTensorType type, function_ref<InFlightDiagnostic()> emitError) const {
  if (!(getLow() <= getHigh()))
    return emitError() << "expected low <= high, got " << double(getLow()) << " and " << double(getHigh());
  if (failed(expectFinite("low", getLow(), emitError)) || failed(expectFinite("high", getHigh(), emitError)))
    return failure();
  return expectFloat(type, emitError);
}

/// A float variable, and a deviation that is one.
LogicalResult NormalAttr::verifyFor(RankedTensorType type, function_ref<InFlightDiagnostic()> emitError) const {
  if (!(getStddev() >= 0))
    return emitError() << "expected stddev >= 0, got " << double(getStddev());
  if (failed(expectFinite("mean", getMean(), emitError)) || failed(expectFinite("stddev", getStddev(), emitError)))
    return failure();
  return expectFloat(type, emitError);
}

/// Its limit is of the numbers of inputs and outputs, the last two dimensions; its values are no integers.
LogicalResult GlorotUniformAttr::verifyFor(RankedTensorType type, function_ref<InFlightDiagnostic()> emitError) const {
  if (type.getRank() < 2)
    return emitError() << "glorot_uniform needs at least two dimensions, got " << type;
  return expectFloat(type, emitError);
}

double GlorotUniformAttr::getLimit(RankedTensorType type) const {
  ArrayRef<int64_t> fans = type.getShape().take_back(2);
  return std::sqrt(6.0 / double(fans[0] + fans[1]));
}
