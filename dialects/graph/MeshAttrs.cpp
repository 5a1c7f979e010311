//===- MeshAttrs.cpp - the mesh of devices, and the strategy resolved on it -------------------===//
#include "dialects/graph/AttrParameters.h"
#include "runtime/common/cluster/ClusterConfig.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace graphc::graph;

namespace {
/// "/job:worker/task:0-1/device:CPU:0"
struct DeviceRange {
  ReplicaRange tasks;
  std::string kind;
  int64_t index = 0;

  static std::optional<DeviceRange> parse(StringRef text) {
    std::string error;
    auto [tasks, device] = text.split("/device:");
    std::optional<ReplicaRange> range = ReplicaRange::parse(tasks, error);
    std::optional<DeviceName> name = DeviceName::parse(("/device:" + device).str(), error);
    if (!range || !name || name->kind.empty() || !name->index)
      return std::nullopt;
    return DeviceRange{*range, name->kind, *name->index};
  }
  std::string str() const { return tasks.str() + "/device:" + kind + ":" + std::to_string(index); }
};
} // namespace

/// Ranges that the verifier has passed.
static SmallVector<DeviceRange> getDeviceRanges(ArrayAttr ranges) {
  return llvm::map_to_vector(ranges.getAsRange<StringAttr>(),
                             [](StringAttr text) { return *DeviceRange::parse(text.getValue()); });
}

MeshAttr MeshAttr::get(MLIRContext *context, StringRef axis, ArrayRef<DeviceAttr> devices) {
  Builder builder(context);
  SmallVector<DeviceRange> ranges;
  for (DeviceAttr device : devices) {
    DeviceRange *last = ranges.empty() ? nullptr : &ranges.back();
    if (last && last->tasks.job == device.getJob() && last->kind == device.getKind() &&
        last->index == device.getIndex() &&
        last->tasks.first + last->tasks.count == device.getTask())
      ++last->tasks.count;
    else
      ranges.push_back({{device.getJob().str(), device.getTask(), 1},
                        device.getKind().str(),
                        device.getIndex()});
  }
  SmallVector<Attribute> texts;
  for (const DeviceRange &range : ranges)
    texts.push_back(builder.getStringAttr(range.str()));
  return get(context,
             {builder.getNamedAttr(axis, builder.getI64IntegerAttr(int64_t(devices.size())))},
             builder.getArrayAttr(texts));
}

// (ME1) axes, (ME2) ranges, (ME3) as many devices as places, none twice
LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<NamedAttribute> axes, ArrayAttr ranges) {
  int64_t places = 1;
  for (NamedAttribute axis : axes) { // (ME1)
    auto size = dyn_cast<IntegerAttr>(axis.getValue());
    if (axis.getName().empty() || !size || size.getInt() < 1 || size.getInt() > INT32_MAX ||
        llvm::count_if(axes,
                       [&](NamedAttribute other) { return other.getName() == axis.getName(); }) > 1)
      return emitError()
             << "expected each axis of a mesh once, with a name and at least one place, got \""
             << axis.getName().getValue() << "\" = " << (size ? size.getInt() : 0);
    places = std::min<int64_t>(places * size.getInt(), INT32_MAX);
  }
  llvm::StringSet<> seen;
  int64_t devices = 0;
  for (Attribute entry : ranges) { // (ME2)
    auto text = dyn_cast<StringAttr>(entry);
    std::optional<DeviceRange> range = text ? DeviceRange::parse(text.getValue()) : std::nullopt;
    if (!range)
      return emitError()
             << "expected the devices of a mesh as strings such as \"/job:worker/task:0-1/device:CPU:0\", got "
             << entry;
    devices += range->tasks.count;
    for (int64_t task = 0; task < range->tasks.count && devices <= places; ++task) { // (ME3)
      DeviceRange one{{range->tasks.job, range->tasks.first + task, 1}, range->kind, range->index};
      if (!seen.insert(one.str()).second)
        return emitError() << "has the device \"" << one.str() << "\" twice in its mesh";
    }
  }
  if (devices != places || axes.empty()) // (ME3)
    return emitError() << "expected as many devices as a mesh has places, got " << devices
                       << " for " << places;
  return success();
}

int64_t MeshAttr::getSize() const {
  int64_t size = 1;
  for (NamedAttribute axis : getAxes())
    size *= cast<IntegerAttr>(axis.getValue()).getInt();
  return size;
}

SmallVector<DeviceAttr> MeshAttr::getPlaces() const {
  SmallVector<DeviceAttr> places;
  for (const DeviceRange &range : getDeviceRanges(getRanges()))
    for (int64_t task = 0; task < range.tasks.count; ++task)
      places.push_back(DeviceAttr::get(getContext(), range.tasks.job, range.tasks.first + task,
                                       range.kind, range.index));
  return places;
}

SmallVector<ReplicaRange> MeshAttr::getTasks() const {
  return llvm::map_to_vector(getDeviceRanges(getRanges()),
                             [](const DeviceRange &range) { return range.tasks; });
}

// (DI1) the axis, (DI2) the strategy, (DI3) stores, (DI4) placement, (DI5) async, (DI6) counts,
//       (DI7) hosts, (DI8) recovery, (DI9) rows
LogicalResult DistributionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                       StringAttr strategy, MeshAttr mesh, ArrayAttr stores,
                                       bool oneClient, bool async, int64_t microBatches,
                                       int64_t sumLeaves, int64_t maxStaleness,
                                       int64_t replicasToAggregate, bool, int64_t bucketBytes,
                                       int64_t hosts, StringAttr placement, int64_t minShardBytes,
                                       int64_t maxShards, bool distinctRows,
                                       bool recoversFromMemory) {
  if (mesh.getAxes().size() != 1 || mesh.getAxes().front().getName() != "data") // (DI1)
    return emitError() << "expected a mesh with the axis \"data\" alone, got " << mesh;
  if (!llvm::is_contained({"one_device", "in_graph", "mirrored", "parameter_server", "all_reduce"},
                          strategy.getValue())) // (DI2)
    return emitError()
           << "unknown strategy " << strategy
           << "; expected one_device, in_graph, mirrored, parameter_server or all_reduce";
  const bool onChief = strategy == "one_device" || strategy == "in_graph",
             mirrored = strategy == "mirrored";
  if (onChief && mesh.getSize() != 1) // (DI1)
    return emitError() << "expected a mesh of one device, the chief's, for " << strategy << ", got "
                       << mesh;
  if (oneClient && (onChief || mirrored)) // (DI2)
    return emitError() << "expected in_graph of parameter_server or all_reduce, got it of "
                       << strategy;
  auto isStore = [](Attribute store) {
    auto text = dyn_cast<StringAttr>(store);
    std::string error;
    std::optional<DeviceName> name =
        text ? DeviceName::parse(text.getValue(), error) : std::nullopt;
    return name && name->isFull();
  };
  if (stores.empty() || !llvm::all_of(stores, isStore)) // (DI3)
    return emitError() << "expected stores as strings such as \"/job:ps/task:0/device:CPU:0\", got "
                       << stores;
  // (DI4)
  if (placement && !llvm::is_contained({"round_robin", "balanced", "split"}, placement.getValue()))
    return emitError() << "unknown placement of variables " << placement
                       << "; expected round_robin, balanced or split";
  if (placement && placement == "split" && (minShardBytes < 1 || maxShards < 1)) // (DI4)
    return emitError()
           << "expected min_shard_bytes and max_shards of at least 1 beside placement = \"split\", got "
           << minShardBytes << " and " << maxShards;
  // (DI5)
  if (async && (oneClient || mirrored || strategy == "all_reduce" || replicasToAggregate > 0))
    return emitError()
           << "expected mirrored, all_reduce, in_graph and replicas_to_aggregate without async";
  if (maxStaleness < -1 || (!async && maxStaleness >= 0))
    return emitError() << "expected max_staleness of at least 0 beside async = true, got "
                       << maxStaleness;
  if (replicasToAggregate < 0 || replicasToAggregate >= mesh.getSize() ||
      (replicasToAggregate > 0 && (strategy != "parameter_server" || oneClient)))
    return emitError() << "expected replicas_to_aggregate of fewer than the " << mesh.getSize()
                       << " replicas of a parameter_server, got " << replicasToAggregate;
  constexpr int64_t kMost = graphc::cluster::kMostMicroBatches;
  // (DI6)
  for (auto [name, count] : {std::pair("micro_batches", microBatches), {"sum_leaves", sumLeaves}})
    if (count < 1 || count > kMost)
      return emitError() << "expected " << name << " of 1 to " << kMost << ", got " << count;
  if (async ? microBatches != mesh.getSize() : microBatches % mesh.getSize() != 0)
    return emitError() << "expected as many micro-batches for each of " << mesh.getSize()
                       << " devices" << (async ? ", one where they are asynchronous" : "")
                       << ", got " << microBatches;
  if (recoversFromMemory && (strategy != "all_reduce" || oneClient || mesh.getSize() < 2)) // (DI8)
    return emitError()
           << "expected recovers_from_memory of all_reduce without in_graph, of two replicas or more";
  // (DI9)
  if (distinctRows && (strategy == "one_device" || (strategy == "all_reduce" && !oneClient)))
    return emitError()
           << "expected distinct_rows of a strategy by which rows travel, not one_device, nor all_reduce "
              "without in_graph";
  if (bucketBytes < 0 || minShardBytes < 0 || maxShards < 0)
    return emitError() << "expected no negative bucket_bytes, min_shard_bytes or max_shards";
  // (DI7)
  if (hosts != 1 &&
      (hosts < 1 || strategy != "all_reduce" || oneClient || mesh.getSize() % hosts ||
       mesh.getSize() == hosts || !llvm::isPowerOf2_64(uint64_t(mesh.getSize() / hosts))))
    return emitError() << "expected hosts of an all_reduce, with as many of the " << mesh.getSize()
                       << " replicas on each, a power of two of at least 2, got " << hosts;
  return success();
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  Builder &builder = parser.getBuilder();
  SmallVector<NamedAttribute> axes;
  ArrayAttr ranges;
  auto parseAxis = [&]() -> ParseResult {
    std::string name;
    int64_t size;
    if (parser.parseString(&name) || parser.parseEqual() || parser.parseInteger(size))
      return failure();
    if (name.empty())
      return parser.emitError(loc, "expected axes with names");
    axes.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(size)));
    return success();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis) ||
      parser.parseComma() || parseValue(parser, ranges) || parser.parseGreater())
    return {};
  return getCheckedAt<MeshAttr>(parser, loc, ArrayRef(axes), ranges);
}
void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getAxes(), printer, [&](NamedAttribute axis) {
    printer.printString(axis.getName());
    printer << " = " << cast<IntegerAttr>(axis.getValue()).getInt();
  });
  printer << "], " << getRanges() << ">";
}

Attribute DistributionAttr::parse(AsmParser &parser, Type) {
  StringAttr strategy, placement;
  MeshAttr mesh;
  ArrayAttr stores;
  bool inGraph = false, async = false, fast = false, distinctRows = false,
       recoversFromMemory = false;
  int64_t microBatches = 1, sumLeaves = 1, maxStaleness = -1, replicasToAggregate = 0,
          bucketBytes = 0, hosts = 1, minShardBytes = 0, maxShards = 0;
  ParameterParser parameters(parser, getMnemonic());
  parameters.need("strategy", strategy)
      .need("mesh", mesh)
      .need("stores", stores)
      .take("in_graph", inGraph)
      .take("async", async)
      .take("micro_batches", microBatches)
      .take("sum_leaves", sumLeaves)
      .take("max_staleness", maxStaleness)
      .take("replicas_to_aggregate", replicasToAggregate)
      .take("fast", fast)
      .take("bucket_bytes", bucketBytes)
      .take("hosts", hosts)
      .take("placement", placement)
      .take("min_shard_bytes", minShardBytes)
      .take("max_shards", maxShards)
      .take("distinct_rows", distinctRows)
      .take("recovers_from_memory", recoversFromMemory);
  if (parameters.parse())
    return {};
  return getCheckedAt<DistributionAttr>(parser, parameters.getLoc(), strategy, mesh, stores,
                                        inGraph, async, microBatches, sumLeaves, maxStaleness,
                                        replicasToAggregate, fast, bucketBytes, hosts, placement,
                                        minShardBytes, maxShards, distinctRows, recoversFromMemory);
}
void DistributionAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("strategy", getStrategy())
      .add("mesh", getMesh())
      .add("stores", getStores())
      .add("in_graph", getInGraph(), false)
      .add("async", getAsync(), false)
      .add("micro_batches", getMicroBatches(), int64_t(1))
      .add("sum_leaves", getSumLeaves(), int64_t(1))
      .add("max_staleness", getMaxStaleness(), int64_t(-1))
      .add("replicas_to_aggregate", getReplicasToAggregate(), int64_t(0))
      .add("fast", getFast(), false)
      .add("bucket_bytes", getBucketBytes(), int64_t(0))
      .add("hosts", getHosts(), int64_t(1))
      .add("placement", getPlacement(), StringAttr())
      .add("min_shard_bytes", getMinShardBytes(), int64_t(0))
      .add("max_shards", getMaxShards(), int64_t(0))
      .add("distinct_rows", getDistinctRows(), false)
      .add("recovers_from_memory", getRecoversFromMemory(), false);
}
