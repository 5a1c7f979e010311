// Verifiers of phases, channels and programs. Those of the ends of a channel are in
// ChannelEnds.cpp.
#include "dialects/dist/DistDialect.h"

#include "dialects/graph/DiscardableAttributes.h"
#include "dialects/graph/GraphDialect.h"
#include "runtime/common/device/DeviceKinds.h"
#include "runtime/common/plan/SumTree.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace graphc::dist {

// ChannelEnds.cpp
LogicalResult verifyOneEndEachSide(PhaseOp phase, SymbolTableCollection &symbols);

//===------------------------------------------------------------------------------------------===//
// phase: (PH1) has programs, one of them the chief's; (PH2) samples and data set together;
// (PH3) role
//===------------------------------------------------------------------------------------------===//

/// A plan refuses longer names and names that no terminal bears.
static LogicalResult verifyName(Operation *op, StringRef name) {
  constexpr size_t most = 4096;
  std::string defect = graph::findNameDefect(name, most);
  if (defect.empty())
    return success();
  return op->emitOpError("name ") << defect;
}

/// A name that plans and terminals bear; samples and data set both or neither (PH2); a role that is
/// one (PH3).
LogicalResult PhaseOp::verify() {
  if (failed(verifyName(*this, getSymName())))
    return failure();
  if (getSamplesPerStep().has_value() != getDataset().has_value()) // (PH2)
    return emitOpError("expects samples_per_step and dataset both or neither; only ")
           << (getDataset() ? "dataset" : "samples_per_step") << " is given";
  if (!isa<graph::RoleAttr>(getRole())) // (PH3)
    return emitOpError("has the role ")
           << getRole() << ", expected #graph.role<train>, <eval> or <predict>";
  return success();
}

/// At least one program (PH1); at most one that decides the end, and none where end of stream
/// decides; each channel used at both ends.
LogicalResult PhaseOp::verifySymbolUses(SymbolTableCollection &symbols) {
  bool anyProgram = false;
  ControlSendOp chief;
  auto module = cast<ModuleOp>((*this)->getParentOp());
  for (auto program : module.getOps<ProgramOp>()) {
    if (program.getPhase() != getSymName())
      continue;
    anyProgram = true;
    for (auto send : program.getBlock().getOps<ControlSendOp>()) {
      if (chief) {
        InFlightDiagnostic diag = send.emitOpError("is the second one of phase @")
                                  << getSymName()
                                  << "; one program alone decides when a phase ends";
        diag.attachNote(chief.getLoc()) << "the first one is here";
        return diag;
      }
      chief = send;
    }
  }
  if (!anyProgram) // (PH1)
    return emitOpError("has no program; expected at least one dist.program of @") << getSymName();
  if (chief && getEndsByEndOfStream()) {
    InFlightDiagnostic diag = chief.emitOpError("in phase @")
                              << getSymName() << ", which ends by end of stream";
    diag.attachNote(getLoc()) << "phase declared here";
    return diag;
  }
  return verifyOneEndEachSide(*this, symbols);
}

//===------------------------------------------------------------------------------------------===//
// channel: (CH1) type, (CH2) programs, (CH3) no value to itself, (CH4) instances,
// (CH5) one end each side, (CH8) algorithm, (CH9) hosts
//===------------------------------------------------------------------------------------------===//

int64_t ChannelOp::getMessageBytes() { return graph::getByteSize(getTensorType()); }

uint64_t ChannelOp::getAllReducePartialSums() {
  return getAlgorithm() == "scatter" ? plan::partialSumsWithinHosts(getInstances(), getHosts()) : 1;
}

/// (CH8) and (CH9); the same conditions as plan::checkAllReduce, which knows no names.
static LogicalResult verifyAlgorithm(ChannelOp channel) {
  std::optional<StringRef> algorithm = channel.getAlgorithm();
  const uint64_t hosts = channel.getHosts(), instances = channel.getInstances();
  if (hosts > 1 && (algorithm != "scatter" || !plan::hostsAreNodes(instances, hosts))) // (CH9)
    return channel.emitOpError("sums ")
           << instances << " instances within " << hosts
           << " hosts first; expected the algorithm \"scatter\" and as many on each, a power of two of "
              "at least 2";
  if (!algorithm && !channel.getChunk())
    return success();
  if (!algorithm || !channel.getChunk())
    return channel.emitOpError("expects algorithm and chunk both or neither; only ")
           << (algorithm ? "algorithm" : "chunk") << " is given";
  if (!channel.getAllToAll())
    return channel.emitOpError("has the algorithm \"") << *algorithm << "\", but is not all_to_all";
  if (!llvm::is_contained({"scatter", "ring", "doubling"}, *algorithm))
    return channel.emitOpError("has the unknown algorithm \"")
           << *algorithm << "\"; expected \"scatter\", \"ring\" or \"doubling\"";
  uint64_t elements = uint64_t(channel.getTensorType().getNumElements()),
           chunk = *channel.getChunk();
  if (elements % chunk)
    return channel.emitOpError("has chunks of ")
           << chunk << " elements, which do not divide its " << elements;
  if (*algorithm == "doubling" && !llvm::isPowerOf2_64(instances))
    return channel.emitOpError("has the algorithm \"doubling\" among ")
           << instances << " instances, expected a power of two";
  if (*algorithm != "doubling" && elements / chunk % instances)
    return channel.emitOpError("has ")
           << elements / chunk << " chunks, which its " << instances << " instances do not divide";
  return success();
}

/// What the channel says by itself: its type (CH1), no value to itself (CH3), its algorithm (CH8)
/// and hosts (CH9).
LogicalResult ChannelOp::verify() {
  if (failed(verifyName(*this, getSymName())))
    return failure();
  if (!graph::isGraphTensor(getType(), graph::AnyKind)) // (CH1)
    return emitOpError("carries ")
           << getType()
           << "; expected a static ranked tensor of i1, i8, ui8, i32, ui32, i64, bf16, f32 or f64 with at most 16 "
              "dimensions, none of them empty, and 2^37 elements";
  RankedTensorType type = getTensorType();
  if (getControl() && (type.getRank() != 0 || !type.getElementType().isInteger(64)))
    return emitOpError("carries the control message, a tensor<i64>, not ") << type;
  if (getAllToAll() && (getControl() || getFrom() != getTo())) // (CH3)
    return emitOpError("is all_to_all, but goes from @")
           << getFrom() << " to @" << getTo()
           << (getControl() ? " and carries the control message" : "")
           << "; expected data among the instances of one replicated program";
  if (getFrom() == getTo() && !getControl() && !getAllToAll()) // (CH3)
    return emitOpError("sends a value from @")
           << getFrom() << " to itself; a program uses its own values directly";
  // (CH11)
  if (getSized() &&
      (getControl() || getAllToAll() || getZeroCopy() || getConflating() || type.getRank() == 0))
    return emitOpError("is sized, but ")
           << (getControl()    ? "carries the control message"
               : getAllToAll() ? "all_to_all"
               : getZeroCopy() ? "zero-copy"
               : getConflating()
                   ? "conflating"
                   : "its values have no dimension of which messages could have less");
  return verifyAlgorithm(*this);
}

/// What its two programs make of it: they exist (CH2) in one phase, have as many instances (CH4),
/// and may leave a message in place (CH6) or overwrite it (CH7).
LogicalResult ChannelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto from = symbols.lookupNearestSymbolFrom<ProgramOp>(*this, getFromAttr());
  auto to = symbols.lookupNearestSymbolFrom<ProgramOp>(*this, getToAttr());
  if (!from || !to) // (CH2)
    return emitOpError("names the program @")
           << (from ? getTo() : getFrom()) << ", which this module does not define";
  if (from.getPhase() != to.getPhase()) {
    InFlightDiagnostic diag = emitOpError("joins programs of two phases, @")
                              << from.getPhase() << " and @" << to.getPhase()
                              << "; phases never overlap";
    diag.attachNote(from.getLoc()) << "sending program declared here";
    diag.attachNote(to.getLoc()) << "receiving program declared here";
    return diag;
  }
  if (from.isReplicated() && to.isReplicated() && from.getReplicas() != to.getReplicas()) { // (CH4)
    InFlightDiagnostic diag = emitOpError("joins replicated programs of ")
                              << from.getReplicas() << " and " << to.getReplicas() << " instances";
    diag.attachNote(from.getLoc()) << "sending program declared here";
    diag.attachNote(to.getLoc()) << "receiving program declared here";
    return diag;
  }
  if (getAllToAll() && !from.isReplicated()) { // (CH3)
    InFlightDiagnostic diag = emitOpError("is all_to_all, but @")
                              << getFrom()
                              << " has one instance, which has nobody to "
                                 "exchange with";
    diag.attachNote(from.getLoc()) << "program declared here";
    return diag;
  }
  if (getZeroCopy() && (getControl() || !leavesInPlace() || from.getLocksVariables())) { // (CH6)
    InFlightDiagnostic diag =
        emitOpError("is zero-copy, but ")
        << (getControl()       ? "carries the control message"
            : !leavesInPlace() ? "its instances sum neither by scatter nor by ring"
                               : "its sender shares its variables with others that write them");
    diag.attachNote(from.getLoc()) << "sending program declared here";
    return diag;
  }
  auto phase = symbols.lookupNearestSymbolFrom<PhaseOp>(from, from.getPhaseAttr());
  if (getConflating() &&
      (from.getDevice() != to.getDevice() || (phase && !phase.getEndsByEndOfStream()))) {
    // (CH7)
    InFlightDiagnostic diag =
        emitOpError(
            "is a conflating channel, a slot in the memory of one device in a phase that ends by "
            "end of stream, but joins \"")
        << from.getDevice() << "\" and \"" << to.getDevice() << "\" in phase @" << from.getPhase();
    diag.attachNote(from.getLoc()) << "sending program declared here";
    diag.attachNote(to.getLoc()) << "receiving program declared here";
    return diag;
  }
  int64_t expected = std::max<int64_t>(from.getReplicas(), to.getReplicas());
  if (getControl())
    expected = to.getReplicas();
  if (static_cast<int64_t>(getInstances()) != expected) {
    InFlightDiagnostic diag =
        emitOpError("has ") << getInstances() << " instance(s); its programs make it " << expected;
    diag.attachNote(from.getLoc()) << "sending program has " << from.getReplicas();
    diag.attachNote(to.getLoc()) << "receiving program has " << to.getReplicas();
    return diag;
  }
  return success();
}

//===------------------------------------------------------------------------------------------===//
// program: (PR1) phase, (PR2) device, (PR3) ends in dist.end, (PR4) instances
//===------------------------------------------------------------------------------------------===//

/// Nothing where the name is none, which verify() refuses.
static std::optional<graph::DeviceName> deviceOf(ProgramOp program) {
  std::string error;
  return graph::DeviceName::parse(program.getDevice(), error);
}

bool ProgramOp::isSpread() {
  std::optional<graph::DeviceName> device = deviceOf(*this);
  return device && !device->task;
}

StringRef ProgramOp::getDeviceKind() {
  std::optional<graph::DeviceName> device = deviceOf(*this);
  const device::DeviceKind *known = device ? device::findKind(device->kind) : nullptr;
  return known ? StringRef(known->name) : StringRef();
}

bool ProgramOp::hasQueues() { return device::hasOwnMemory(getDeviceKind()); }

bool ProgramOp::runsPtx() { return device::runsPtx(getDeviceKind()); }

/// A device kind and index in full; a job and task, but for a replicated program, which leaves out
/// the task ("each of its tasks"), and the job too where its replicas are on several (PR2).
LogicalResult ProgramOp::verify() {
  if (failed(verifyName(*this, getSymName())))
    return failure();
  std::optional<graph::DeviceName> device = deviceOf(*this);
  if (!device || device->str() != getDevice() || device->kind.empty() || !device->index ||
      (device->task && device->job.empty())) // (PR2)
    return emitOpError("is on \"")
           << getDevice()
           << "\"; expected a complete device such as \"/job:ps/task:0/device:CPU:0\"";
  if (!device->task && !isReplicated()) // (PR2)
    return emitOpError("has one instance but its device \"") << getDevice() << "\" names no task";
  if (int64_t(getReplicas()) > graph::DeviceName::mostTasks()) // (PR4)
    return emitOpError("has ") << getReplicas() << " instances; expected at most "
                               << graph::DeviceName::mostTasks();
  return success();
}

/// The last op is dist.end (PR3); a send ahead stands behind what tells whether a step follows
/// (SA2).
LogicalResult ProgramOp::verifyRegions() {
  if (getBlock().empty() || !isa<EndOp>(getBlock().back())) // (PR3)
    return emitOpError("expects dist.end as its last operation");
  bool knows = false;
  for (Operation &op : getBlock()) { // (SA2)
    knows |= isa<ControlReceiveOp>(op);
    auto send = dyn_cast<SendStartOp>(op);
    if (!send || !send.getAhead() || (knows && !isReplicated()))
      continue;
    InFlightDiagnostic diag =
        send.emitOpError("sends ahead without knowing whether a step follows; expected ")
        << (isReplicated() ? "a program of one instance" : "a dist.control_receive before it");
    diag.attachNote(getLoc()) << "program declared here";
    return diag;
  }
  return success();
}

/// Its phase exists (PR1) and gives out update tickets where the program takes them (T1), with a
/// bound that is one (T2).
LogicalResult ProgramOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto phase = symbols.lookupNearestSymbolFrom<PhaseOp>(*this, getPhaseAttr());
  if (!phase) // (PR1)
    return emitOpError("belongs to the phase @")
           << getPhase() << ", which this module does not declare";
  for (auto ticket : getBlock().getOps<TicketOp>()) {
    if (std::optional<int64_t> bound = ticket.getMaxStaleness(); bound && *bound < 0) // (T2)
      return ticket.emitOpError("expects max_staleness of at least 0, got ") << *bound;
    if (!phase.getEndsByEndOfStream()) { // (T1)
      InFlightDiagnostic diag = ticket.emitOpError("in phase @")
                                << getPhase()
                                << ", which ends by the control message and not by end of stream";
      diag.attachNote(phase.getLoc()) << "phase declared here";
      return diag;
    }
  }
  return success();
}

//===------------------------------------------------------------------------------------------===//
// feed, fetch, metric: names that a plan and a terminal bear.
// metric: (M1) scalars of i64/f64 and i64
//===------------------------------------------------------------------------------------------===//

LogicalResult FeedOp::verify() { return verifyName(*this, getName()); }
LogicalResult FeedIntoOp::verify() { return verifyName(*this, getName()); }
LogicalResult FetchOp::verify() { // (FE1)
  auto program = (*this)->getParentOfType<ProgramOp>();
  if (getMicroBatches() > 1 && (getReduction() != "mean" || (program && !program.isReplicated())))
    return emitOpError("is a sum over ")
           << getMicroBatches()
           << " micro-batches of each replica, expected the reduction \"mean\" in a replicated program";
  return verifyName(*this, getName());
}

/// The runtime adds a sum of i64 or f64 and a count of i64 over steps and replicas (M1).
LogicalResult MetricOp::verify() {
  if (failed(verifyName(*this, getName())))
    return failure();
  auto sum = cast<ShapedType>(getSum().getType());
  auto count = cast<ShapedType>(getCount().getType());
  Type element = sum.getElementType();
  if (sum.getRank() != 0 || !(element.isInteger(64) || element.isF64()))
    return emitOpError("has a sum of type ") << sum << "; expected a scalar of i64 or f64";
  if (count.getRank() != 0 || !count.getElementType().isInteger(64))
    return emitOpError("has a count of type ") << count << "; expected a scalar of i64";
  return success();
}

//===------------------------------------------------------------------------------------------===//
// pack, unpack: (PK1)
//===------------------------------------------------------------------------------------------===//

static constexpr int64_t kPackAlignment = 64; // of a kernel's arguments, in bytes

SmallVector<int64_t> getPackOffsets(TypeRange types, int64_t &elements) {
  SmallVector<int64_t> offsets;
  int64_t bytes = 0, width = 1;
  for (Type each : types) {
    auto type = cast<RankedTensorType>(each);
    width = graph::getElementBytes(type.getElementType());
    offsets.push_back(bytes);
    bytes += llvm::alignTo(type.getNumElements() * width, kPackAlignment);
  }
  elements = bytes / width;
  return offsets;
}

/// The packed vector has room for each value at a multiple of 64 bytes (PK1).
static LogicalResult verifyPacking(Operation *op, TypeRange values, Type packed) {
  if (values.empty())
    return op->emitOpError("expects at least one value");
  auto type = cast<RankedTensorType>(packed);
  for (Type value : values)
    if (cast<RankedTensorType>(value).getElementType() != type.getElementType())
      return op->emitOpError("packs ") << value << " and " << type << "; expected one element type";
  int64_t elements;
  getPackOffsets(values, elements);
  if (type.getRank() != 1 || type.getNumElements() < elements)
    return op->emitOpError("needs ")
           << elements << " elements with each value at a multiple of " << kPackAlignment
           << " bytes, but the packed value is " << type;
  return success();
}

LogicalResult PackOp::verify() {
  return verifyPacking(*this, getValues().getTypes(), getPacked().getType());
}
LogicalResult UnpackOp::verify() {
  return verifyPacking(*this, getValues().getTypes(), getPacked().getType());
}

} // namespace graphc::dist
