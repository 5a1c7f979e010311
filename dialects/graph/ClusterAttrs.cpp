//===- ClusterAttrs.cpp - devices, replicas, the cluster and the strategy that is asked for ---===//
#include "dialects/graph/AttrParameters.h"
#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/common/device/DeviceKinds.h"

using namespace mlir;
using namespace graphc::graph;

//===------------------------------------------------------------------------------------------===//
// Device
//===------------------------------------------------------------------------------------------===//

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

//===------------------------------------------------------------------------------------------===//
// Replicas, cluster, strategy, part of a variable
//===------------------------------------------------------------------------------------------===//

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

/// What passes rely on without asking: each job once, with a task at least; devices of jobs that
/// there are, each once, with kind and number; a chief that is one of the tasks.
LogicalResult ClusterAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<NamedAttribute> jobs, ArrayRef<NamedAttribute> devices,
                                  DeviceAttr chief) {
  int64_t tasks = 0;
  for (NamedAttribute job : jobs) {
    auto count = dyn_cast<IntegerAttr>(job.getValue());
    if (!count || count.getInt() < 1)
      return emitError() << "expected at least one task in job '" << job.getName().getValue()
                         << "'";
    if (llvm::count_if(jobs,
                       [&](NamedAttribute other) { return other.getName() == job.getName(); }) > 1)
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
        return emitError() << "expected the devices of job '" << name
                           << "' as strings such as \"CPU:0\", got " << entry;
      if (llvm::count(list, entry) > 1)
        return emitError() << "job '" << name << "' has the device " << entry << " twice";
    }
    if (llvm::none_of(jobs, [&](NamedAttribute other) { return other.getName() == job.getName(); }))
      return emitError() << "devices are given for job '" << name
                         << "', which is not in the cluster";
    if (llvm::count_if(devices,
                       [&](NamedAttribute other) { return other.getName() == job.getName(); }) > 1)
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
  // A task computes on its GPUs where it has some; one of job ps stores for others, and that in the
  // host's memory.
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
LogicalResult StrategyAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name,
                                   bool async, int64_t microBatches, int64_t sumLeaves,
                                   bool inGraph, ArrayAttr devices, int64_t maxStaleness,
                                   int64_t replicasToAggregate, bool, int64_t bucketBytes,
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
      return emitError()
             << "expected devices as strings such as \"/job:worker/task:0/device:CPU:0\", got "
             << device;
  }
  if (maxStaleness < -1 || (maxStaleness >= 0 && !async))
    return emitError() << "expected max_staleness of at least 0 beside async = true, got "
                       << maxStaleness;
  if (replicasToAggregate < 0 || (replicasToAggregate > 0 && async))
    return emitError() << "expected replicas_to_aggregate of at least 1 without async, got "
                       << replicasToAggregate;
  if (bucketBytes < 0)
    return emitError() << "expected bucket_bytes of at least 1, got " << bucketBytes;
  if (hosts != 1 && (hosts < 1 || name != "all_reduce" || inGraph))
    return emitError()
           << "expected hosts of at least 1, and more of all_reduce without in_graph alone, got "
           << hosts;
  const bool sumsAmongWorkers = name == "all_reduce" && !inGraph;
  if (recoversFromMemory && !sumsAmongWorkers)
    return emitError() << "expected recovers_from_memory of all_reduce without in_graph";
  if (distinctRows && (name == "one_device" || sumsAmongWorkers))
    return emitError()
           << "expected distinct_rows of a strategy by which rows travel, not one_device, nor all_reduce "
              "without in_graph";
  return success();
}

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
    return failure(parser.parseEqual() ||
                   parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseEntry) ||
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
  bool async = false, inGraph = false, fast = false, distinctRows = false,
       recoversFromMemory = false;
  int64_t microBatches = 0, sumLeaves = 0, maxStaleness = -1, replicasToAggregate = 0,
          bucketBytes = 0, hosts = 1;
  ParameterParser parameters(parser, getMnemonic());
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
  return getCheckedAt<StrategyAttr>(parser, parameters.getLoc(), name, async, microBatches,
                                    sumLeaves, inGraph, devices, maxStaleness, replicasToAggregate,
                                    fast, bucketBytes, hosts, distinctRows, recoversFromMemory);
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
  ParameterParser parameters(parser, getMnemonic());
  if (parameters.need("of", of).need("type", type).need("row", row).parse())
    return {};
  return get(parser.getContext(), of, type, row);
}
void PartAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer).add("of", getOf()).add("type", getType()).add("row", getRow());
}
