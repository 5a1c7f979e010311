#include "passes/emit/PlanTables.h"

#include "dialects/graph/VariableAccess.h"
#include "passes/emit/DatasetEmitter.h"

#include "passes/gpu/GpuCode.h"
#include "passes/lower/KernelConstants.h"
#include "passes/place/SettingLocation.h"
#include "passes/place/VariablePlacement.h"
#include "passes/schedule/OpTimes.h"
#include "runtime/common/device/DeviceKinds.h"
#include "runtime/common/plan/AllReduceMoves.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace graphc {

using graph::GraphDialect;

//===------------------------------------------------------------------------------------------===//
// Cluster
//===------------------------------------------------------------------------------------------===//

FailureOr<plan::Task> PlanTables::task(Operation *op, const graph::DeviceName &device) {
  for (int i = 0; i < plan_.jobs_size(); ++i)
    if (plan_.jobs(i).name() == device.job && device.task && *device.task >= 0 &&
        *device.task < plan_.jobs(i).tasks()) {
      plan::Task task;
      task.set_job(i);
      task.set_index(uint32_t(*device.task));
      return task;
    }
  return op->emitOpError("is on ") << device.str() << ", which is no task of the cluster";
}

/// Where one task gets the same bits. Kernels have them on every kind of device but library calls,
/// which are the host's own: those have to stay there.
static std::string getReference(ModuleOp module) {
  StringRef other; // a kind with memory of its own on which something is computed
  bool calls = false;
  for (auto program : module.getOps<dist::ProgramOp>()) {
    if (!program.hasQueues())
      calls |= program.walk([](dist::LibraryCallOp) { return WalkResult::interrupt(); })
                   .wasInterrupted();
    else if (program.walk([](dist::CallOp) { return WalkResult::interrupt(); }).wasInterrupted())
      other = program.getDeviceKind();
  }
  if (other.empty())
    return "one_device";
  if (!calls)
    return "one_device on " + other.str() + ":0";
  return "in_graph on a task with " + device::hostDevice() + " and " + other.str() +
         ":0, each operation on the same kind,";
}

LogicalResult PlanTables::fillCluster() {
  auto cluster = module_->getAttrOfType<graph::ClusterAttr>(GraphDialect::kCluster);
  if (!cluster)
    return module_.emitError("has no ") << GraphDialect::kCluster << "; it is written by place";
  for (NamedAttribute job : cluster.getJobs()) {
    plan::Job *out = plan_.add_jobs();
    out->set_name(job.getName().str());
    out->set_tasks(uint32_t(cluster.getTasks(job.getName().strref())));
  }
  FailureOr<plan::Task> chief = task(module_, cluster.getChief().getName());
  if (failed(chief))
    return failure();
  *plan_.mutable_chief() = *chief;

  std::optional<DistributionSpec> distribution = DistributionSpec::of(module_);
  if (!distribution)
    return failure();
  auto attribute = module_->getAttrOfType<graph::DistributionAttr>(GraphDialect::kDistribution);
  plan::Strategy &strategy = *plan_.mutable_strategy();
  strategy.set_name(attribute.getStrategy().str());
  strategy.set_async(distribution->async);
  strategy.set_micro_batches(uint32_t(distribution->microBatches));
  if (!distribution->async && !distribution->toAggregate) {
    strategy.set_sum_leaves(uint32_t(distribution->sumLeaves));
    if (distribution->kind != StrategyKind::OneDevice && !distribution->fast)
      strategy.set_reproduced_by(getReference(module_) + " with micro_batches: " +
                                 std::to_string(distribution->microBatches) +
                                 ", sum_leaves: " + std::to_string(distribution->sumLeaves));
  }
  if (distribution->kind == StrategyKind::Mirrored) {
    strategy.set_in_graph(true);
    strategy.set_towers(uint32_t(distribution->towers.size()));
  }
  fillChoices(strategy, attribute, *distribution);
  if (!distribution->isBetweenGraph())
    return success();
  for (const graph::ReplicaRange &range : distribution->mesh.getTasks()) {
    plan::ReplicaDomain::Range *out = plan_.mutable_replicas()->add_ranges();
    out->set_job(uint32_t(cluster.getJobIndex(range.job)));
    out->set_first(uint32_t(range.first));
    out->set_count(uint32_t(range.count));
  }
  plan_.mutable_replicas()->set_size(uint32_t(distribution->replicas));
  return success();
}

/// What the user chose that no other field says: a setting that is its default is as good as none.
void PlanTables::fillChoices(plan::Strategy &strategy, graph::DistributionAttr attribute,
                             const DistributionSpec &distribution) {
  auto note = [&](StringRef name, const Twine &value) {
    plan::Strategy::Setting *setting = strategy.add_settings();
    setting->set_name(name.str());
    setting->set_value(value.str());
  };
  if (attribute.getInGraph())
    note("replication", "in_graph");
  if (distribution.toAggregate > 0)
    note("replicas_to_aggregate", Twine(distribution.toAggregate));
  if (distribution.maxStaleness >= 0)
    note("max_staleness", Twine(distribution.maxStaleness));
  if (distribution.fast)
    note("order", "fast");
  if (distribution.bucketBytes != 0 && distribution.bucketBytes != kBucketBytes)
    note("bucket_bytes", Twine(distribution.bucketBytes));
  if (attribute.getRecoversFromMemory())
    note("recovery", "memory");
  if (attribute.getPlacement() && distribution.hasServers())
    note("placement", distribution.placement);
  if (distribution.placement == "split" && distribution.minShardBytes != kMinShardBytes)
    note("min_shard_bytes", Twine(distribution.minShardBytes));
  if (distribution.placement == "split" &&
      distribution.maxShards != int64_t(distribution.stores.size()))
    note("max_shards", Twine(distribution.maxShards));
  auto rules = module_->getAttrOfType<ArrayAttr>(GraphDialect::kPlacement);
  if (!rules)
    return;
  for (auto [number, entry] : llvm::enumerate(rules)) {
    auto pair = dyn_cast<ArrayAttr>(entry);
    if (!pair || pair.size() != 2 || !isa<StringAttr>(pair[0]) || !isa<graph::DeviceAttr>(pair[1]))
      continue; // place refuses it
    plan::Strategy::Rule *rule = strategy.add_rules();
    rule->set_name(cast<StringAttr>(pair[0]).str());
    rule->set_device(cast<graph::DeviceAttr>(pair[1]).str());
    if (std::optional<Location> given = findSettingLoc(module_, getRuleSetting(number)))
      rule->set_location(location(*given));
  }
}

//===------------------------------------------------------------------------------------------===//
// Variables, data sets
//===------------------------------------------------------------------------------------------===//

LogicalResult PlanTables::fillVariable(graph::VariableOp op) {
  graph::DeviceAttr device = graph::getDevice(op);
  if (!device)
    return op.emitOpError("has no device; place gives it one");
  // Without a task: every replica has a copy, and the chief's is the one that is saved.
  bool mirrored = device.getTask() < 0;
  FailureOr<plan::Task> owner =
      mirrored ? FailureOr<plan::Task>(plan_.chief()) : task(op, device.getName());
  if (failed(owner))
    return failure();
  variables[op.getSymName()] = uint32_t(plan_.variables_size());
  plan::Variable *out = plan_.add_variables();
  out->set_name(op.getSymName().str());
  setType(op.getTensorType(), *out->mutable_type());
  *out->mutable_owner() = *owner;
  out->set_device(device.getKind().str() + ":" + std::to_string(device.getIndex()));
  out->set_mirrored(mirrored);
  out->set_trainable(op.getTrainable());
  out->set_global_step(op.getSymName() == GraphDialect::kGlobalStep);
  out->set_location(location(op.getLoc()));
  if (auto owner = op->getAttrOfType<FlatSymbolRefAttr>(GraphDialect::kSlotOf)) {
    auto variable = SymbolTable::lookupNearestSymbolFrom<graph::VariableOp>(op, owner);
    const std::string of =
        (variable.getPart() ? variable.getPart().getOf() : owner.getAttr()).str();
    out->set_slot_of(of);
    const std::string whole = (op.getPart() ? op.getPart().getOf() : op.getSymNameAttr()).str();
    out->set_is_average(whole == graph::getAverageName(of));
  }
  if (graph::PartAttr part = op.getPart()) {
    out->mutable_part_of()->set_of(part.getOf().str());
    setType(part.getType(), *out->mutable_part_of()->mutable_type());
    out->mutable_part_of()->set_row(uint64_t(part.getRow()));
  }
  if (std::optional<StringRef> name = op.getDrawnAs())
    out->set_drawn_as(name->str());
  plan::Initializer &init = *out->mutable_initializer();
  Attribute attribute = op.getInitializer();
  if (isa<graph::ZerosAttr>(attribute)) {
    init.set_zeros(true);
  } else if (isa<graph::UninitializedAttr>(attribute)) {
    init.set_uninitialized(true);
  } else if (auto value = dyn_cast<graph::ValueAttr>(attribute)) {
    DenseElementsAttr elements = value.getValue();
    std::string bytes = getRawBytes(elements);
    if (elements.isSplat()) {
      init.set_value(std::move(bytes));
    } else {
      uint64_t row = bytes.size() /
                     uint64_t(op.getWholeType().getRank() ? op.getWholeType().getDimSize(0) : 1);
      if (graph::PartAttr part = op.getPart())
        bytes = bytes.substr(uint64_t(part.getRow()) * row, uint64_t(op.getBytes()));
      init.set_value(std::move(bytes));
    }
  } else if (auto uniform = dyn_cast<graph::UniformAttr>(attribute)) {
    init.mutable_uniform()->set_low(uniform.getLow());
    init.mutable_uniform()->set_high(uniform.getHigh());
    init.mutable_uniform()->set_seed(uniform.getSeed());
  } else if (auto glorot = dyn_cast<graph::GlorotUniformAttr>(attribute)) {
    double limit = glorot.getLimit(op.getWholeType());
    init.mutable_uniform()->set_low(-limit);
    init.mutable_uniform()->set_high(limit);
    init.mutable_uniform()->set_seed(glorot.getSeed());
  } else if (auto normal = dyn_cast<graph::NormalAttr>(attribute)) {
    init.mutable_normal()->set_mean(normal.getMean());
    init.mutable_normal()->set_stddev(normal.getStddev());
    init.mutable_normal()->set_seed(normal.getSeed());
    init.mutable_normal()->set_truncated(normal.getTruncated());
  } else {
    return op.emitOpError("has an initializer that plans do not know: ") << attribute;
  }
  return success();
}

LogicalResult PlanTables::fillDataset(graph::DatasetOp op) {
  datasets[op.getSymName()] = uint32_t(plan_.datasets_size());
  return writeDataset(op, *plan_.add_datasets());
}

//===------------------------------------------------------------------------------------------===//
// Phases, channels
//===------------------------------------------------------------------------------------------===//

static plan::Role roleOf(graph::Role role) {
  switch (role) {
  case graph::Role::Train:
    return plan::TRAIN;
  case graph::Role::Eval:
    return plan::EVAL;
  case graph::Role::Predict:
    return plan::PREDICT;
  }
  llvm_unreachable("a role of another kind");
}

LogicalResult PlanTables::fillPhase(dist::PhaseOp op) {
  phases[op.getSymName()] = uint32_t(plan_.phases_size());
  plan::Phase *out = plan_.add_phases();
  out->set_name(op.getSymName().str());
  out->set_role(roleOf(cast<graph::RoleAttr>(op.getRole()).getValue()));
  out->set_ends_by_end_of_stream(op.getEndsByEndOfStream());
  out->set_advances_global_step(op.getAdvancesGlobalStep());
  out->set_samples_per_step(uint64_t(op.getSamplesPerStep().value_or(0)));
  if (std::optional<StringRef> dataset = op.getDataset()) {
    auto found = datasets.find(*dataset);
    if (found == datasets.end())
      return op.emitOpError("names the data set @")
             << *dataset << ", which this module does not declare";
    out->set_dataset(found->second);
  }
  return success();
}

void PlanTables::fillChannel(dist::ChannelOp op) {
  channels[op.getSymName()] = uint32_t(plan_.channels_size());
  plan::Channel *out = plan_.add_channels();
  out->set_name(op.getSymName().str());
  setType(op.getTensorType(), *out->mutable_type());
  out->set_bytes(uint64_t(op.getMessageBytes()));
  out->set_capacity(uint32_t(op.getCapacity()));
  out->set_instances(uint32_t(op.getInstances()));
  out->set_sender(programs.lookup(op.getFrom()));
  out->set_receiver(programs.lookup(op.getTo()));
  out->set_control(op.getControl());
  out->set_all_to_all(op.getAllToAll());
  out->set_zero_copy(op.getZeroCopy());
  out->set_conflating(op.getConflating());
  if (op.getSized())
    out->set_unit_bytes(out->bytes() / uint64_t(op.getTensorType().getDimSize(0)));
  if (std::optional<uint64_t> chunk = op.getChunk()) {
    out->set_algorithm(algorithmOf(op));
    if (op.getHosts() > 1)
      out->set_hosts(uint32_t(op.getHosts()));
    RankedTensorType whole = op.getTensorType();
    out->clear_type();
    setType(RankedTensorType::get(int64_t(*chunk), whole.getElementType()), *out->mutable_type());
    out->set_bytes(*chunk * uint64_t(graph::getElementBytes(whole.getElementType())));
    out->set_capacity(plan::allReduceCapacity(out->algorithm()));
  }
  out->set_location(location(op.getLoc()));
}

LogicalResult PlanTables::fill() {
  plan_.add_locations(""); // 0: nowhere
  if (failed(fillCluster()))
    return failure();
  for (auto op : module_.getOps<graph::VariableOp>())
    if (failed(fillVariable(op)))
      return failure();
  for (auto op : module_.getOps<graph::DatasetOp>())
    if (failed(fillDataset(op)))
      return failure();
  for (auto op : module_.getOps<dist::PhaseOp>())
    if (failed(fillPhase(op)))
      return failure();
  for (auto op : module_.getOps<dist::ProgramOp>())
    programs[op.getSymName()] = uint32_t(programs.size());
  for (auto op : module_.getOps<dist::ChannelOp>())
    fillChannel(op);
  // Entry i of a code object's table is the i-th of the module's kernels that it has.
  for (auto op : module_.getOps<FunctionOpInterface>()) {
    const bool onGpu = op->hasAttr(gpu::kLaunches);
    if (onGpu)
      gpuEntries_[op.getName()] = uint32_t(gpuEntries_.size());
    if (bodyOf(op.getName()) && !(onGpu && op.isExternal()))
      entries_[op.getName()] = uint32_t(entries_.size());
  }
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Locations, constants, kernels
//===------------------------------------------------------------------------------------------===//

uint32_t PlanTables::location(Location location) {
  std::string text = getLocationText(location);
  if (text.empty())
    return 0;
  auto [found, isNew] = locations_.try_emplace(text, uint32_t(plan_.locations_size()));
  if (isNew)
    plan_.add_locations(text);
  return found->second;
}

uint32_t PlanTables::constant(std::string bytes) {
  auto [found, isNew] = constants_.try_emplace(bytes, uint32_t(plan_.constants_size()));
  if (isNew)
    plan_.add_constants(std::move(bytes));
  return found->second;
}

/// Null where there is no such kernel.
FunctionOpInterface PlanTables::bodyOf(StringRef kernel) const {
  if (auto body = symbols_.lookup<LLVM::LLVMFuncOp>(dist::getBodyName(kernel)))
    return body;
  auto function = symbols_.lookup<func::FuncOp>(kernel);
  return lowered_ && function && !function->hasAttr(gpu::kLaunches) ? func::FuncOp() : function;
}

FailureOr<uint32_t> PlanTables::kernel(Operation *call, StringRef name, StringRef kind,
                                       ArrayRef<uint64_t> bytes) {
  auto [found, isNew] =
      kernels_.try_emplace((kind + " " + name).str(), uint32_t(plan_.kernels_size()));
  if (!isNew)
    return found->second;
  const llvm::StringMap<uint32_t> &table =
      lowered_ && device::runsPtx(kind.str()) ? gpuEntries_ : entries_;
  auto entry = table.find(name);
  FunctionOpInterface body = bodyOf(name);
  if (entry == table.end() || dist::getBufferCount(body) != bytes.size())
    return call->emitOpError("calls the kernel @") << name << ", which is not lowered to LLVM";
  plan::Kernel *out = plan_.add_kernels();
  out->set_name(name.str());
  if (!llvm::is_contained(codeKinds, kind))
    codeKinds.push_back(kind.str());
  out->mutable_compiled()->set_code(uint32_t(llvm::find(codeKinds, kind) - codeKinds.begin()));
  out->mutable_compiled()->set_entry(entry->second);
  if (auto flops = body->getAttrOfType<IntegerAttr>("dist.flops"))
    out->set_flops(uint64_t(flops.getInt()));
  for (auto [i, size] : llvm::enumerate(bytes)) {
    plan::Kernel::Arg *arg = out->add_args();
    arg->set_bytes(size);
    std::optional<dist::BufferAccess> access = dist::getAccess(body, unsigned(i));
    if (!access)
      return call->emitOpError("calls the kernel @")
             << name << ", whose argument " << i << " has no dist.access";
    static_assert(int(dist::BufferAccess::Read) == int(plan::READ) &&
                  int(dist::BufferAccess::Write) == int(plan::WRITE) &&
                  int(dist::BufferAccess::ReadWrite) == int(plan::READ_WRITE));
    arg->set_access(plan::Access(*access));
    if (body.getArgAttr(i, "dist.scratch"))
      out->set_scratch_bytes(arg->bytes());
  }
  return found->second;
}

uint32_t PlanTables::library(dist::LibraryCallOp op) {
  kernels::LibraryCall call = op.getCall();
  plan::Kernel kernel;
  plan::Kernel::LibraryCall &out = *kernel.mutable_library();
  out.set_kernel(call.kernel);
  for (const kernels::CallAttribute &attribute : call.attributes) {
    plan::Kernel::LibraryCall::Attribute *to = out.add_attributes();
    to->set_name(attribute.name);
    to->mutable_integers()->Assign(attribute.integers.begin(), attribute.integers.end());
    to->mutable_numbers()->Assign(attribute.numbers.begin(), attribute.numbers.end());
  }
  for (const std::string &name : call.postOps)
    out.add_post_ops(name);
  auto addArg = [&](uint64_t bytes, plan::Access access) {
    plan::Kernel::Arg *arg = kernel.add_args();
    arg->set_bytes(bytes);
    arg->set_access(access);
  };
  for (const kernels::CallOperand &operand : call.operands) {
    plan::TensorType &type = *out.add_operands()->mutable_type();
    // the ABI's numbers are the plan's: plan::libraryCallOf
    type.set_dtype(plan::DataType(operand.element));
    type.mutable_shape()->Assign(operand.shape.begin(), operand.shape.end());
    addArg(operand.bytes, plan::Access(operand.access));
  }
  if (op.getScratch()) {
    kernel.set_scratch_bytes(dist::getBufferBytes(op.getScratch()));
    addArg(kernel.scratch_bytes(), plan::WRITE);
  }
  auto [found, isNew] =
      libraryCalls_.try_emplace(kernel.SerializeAsString(), uint32_t(plan_.kernels_size()));
  if (isNew) {
    absl::StatusOr<kernels::CallFacts> facts = kernels::checkCall(call); // the op has verified it
    const unsigned before = libraryNames_[facts->name]++; // a name leaves out padding, for one
    kernel.set_name(before ? absl::StrCat(facts->name, "#", before + 1) : facts->name);
    kernel.set_flops(facts->flops);
    *plan_.add_kernels() = std::move(kernel);
  }
  return found->second;
}

} // namespace graphc
