// One dist.program in the plan's instructions.
#include "dialects/graph/CommitPoint.h"
#include "passes/emit/FormSegments.h"
#include "passes/emit/PlanTables.h"
#include "passes/schedule/PhaseLiveness.h"
#include "runtime/common/base/OpCount.h"
#include "runtime/common/device/DeviceKinds.h"
#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/common/plan/InstructionTable.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace graphc {

namespace {

class ProgramEmitter {
public:
  ProgramEmitter(dist::ProgramOp op, PlanTables &tables, plan::Program &out)
      : op_(op), tables_(tables), out_(out), hasQueues_(op.hasQueues()) {}

  LogicalResult emit() {
    if (failed(emitHead()))
      return failure();
    for (Operation &inner : op_.getBlock().without_terminator())
      if (failed(emitOp(&inner)))
        return failure();
    if (recoversFromMemory(op_->getParentOfType<ModuleOp>()) &&
        plan->phases(int(out_.phase())).role() == plan::TRAIN)
      noteCommitPoint();
    formSegments(out_);
    auto ranks = op_->getAttrOfType<DenseI32ArrayAttr>(kEventRanks);
    if (!ranks)
      return op_.emitOpError("has no ")
             << kEventRanks << "; schedule and verify-liveness leave them";
    out_.mutable_event_ranks()->Add(ranks.asArrayRef().begin(), ranks.asArrayRef().end());
    out_.set_bytes_sent_per_step(sent_);
    out_.set_bytes_received_per_step(received_);
    out_.set_flops_per_step(flops_);
    return success();
  }

  plan::Plan *plan = nullptr;

private:
  LogicalResult emitHead();
  void noteCommitPoint();
  LogicalResult emitOp(Operation *inner);
  // An instruction, a buffer or a port of the plan for each operation of a scheduled program.
  LogicalResult emit(dist::BufferOp buffer);
  LogicalResult emit(dist::VariableBufferOp buffer);
  LogicalResult emit(dist::ConstantBufferOp buffer);
  LogicalResult emit(dist::ViewOp view);
  LogicalResult emit(dist::CallOp call);
  LogicalResult emit(dist::LibraryCallOp call);
  LogicalResult emit(dist::CopyOp copy);
  LogicalResult emit(dist::SignalOp signal);
  LogicalResult emit(dist::WaitOp wait);
  LogicalResult emit(dist::RepeatOp repeat);
  LogicalResult emit(dist::AccumulateOp sum);
  LogicalResult emit(dist::ReceiveOp receive);
  LogicalResult emit(dist::AcquireOp acquire);
  LogicalResult emit(dist::ReleaseOp release);
  LogicalResult emit(dist::SendStartOp send);
  LogicalResult emit(dist::SendDoneOp done);
  LogicalResult emit(dist::AggregateIntoOp aggregate);
  LogicalResult emit(dist::AggregateChosenIntoOp aggregate);
  LogicalResult emit(dist::CollectIntoOp collect);
  LogicalResult emit(dist::ChooseIntoOp choose);
  LogicalResult emit(dist::AllReduceStartOp start);
  LogicalResult emit(dist::AllReduceDoneOp done);
  LogicalResult emit(dist::NextBatchIntoOp next);
  LogicalResult emit(dist::MicroBatchIndexIntoOp index);
  LogicalResult emit(dist::ControlSendOp send);
  LogicalResult emit(dist::ControlReceiveOp receive);
  LogicalResult emit(dist::TicketOp ticket);
  LogicalResult emit(dist::FeedIntoOp feed);
  LogicalResult emit(dist::FetchOp fetch);
  LogicalResult emit(dist::MetricOp metric);
  LogicalResult emitCall(Operation *call, FailureOr<uint32_t> kernel, ValueRange buffers);
  FailureOr<uint32_t> emitAdd(Operation *op, StringRef add, Value sum, uint64_t chunk,
                              uint64_t times, std::optional<uint64_t> queue = {});
  template <typename Op> plan::Instruction::Aggregate *emitSum(Op aggregate);

  plan::Buffer *newBuffer(Value value) {
    buffers_[value] = uint32_t(out_.buffers_size());
    plan::Buffer *buffer = out_.add_buffers();
    setType(cast<ShapedType>(value.getType()), *buffer->mutable_type());
    buffer->set_bytes(dist::getBufferBytes(value));
    if (auto name = value.getDefiningOp()->getAttrOfType<StringAttr>("name"))
      buffer->set_name(name.str());
    return buffer;
  }
  /// Of a buffer that is not said to be the host's.
  plan::Space spaceOf(bool host) const { return hasQueues_ && !host ? plan::DEVICE : plan::HOST; }
  /// The kind of device that compiled kernels of the operation run on: its queue's, or that of the
  /// program itself.
  std::string kindOf(std::optional<uint64_t> queue) const {
    return std::string(queue ? device::kindOf(out_.device()) : device::hostKind().name);
  }
  plan::Instruction *newInstruction(Operation *inner) {
    plan::Instruction *instruction = out_.add_instructions();
    if (auto queue = inner->getAttrOfType<IntegerAttr>("queue")) {
      instruction->set_queue(uint32_t(queue.getInt()));
      out_.set_queues(std::max(out_.queues(), instruction->queue()));
    }
    instruction->set_location(tables_.location(inner->getLoc()));
    return instruction;
  }
  void count(uint64_t flops, uint64_t times) {
    flops_ = base::addOps(flops_, base::multiplyOps({flops, times}));
  }
  uint32_t channel(StringRef name) const { return tables_.channels.lookup(name); }
  const plan::Channel &channelOf(StringRef name) const {
    return plan->channels(int(channel(name)));
  }

  dist::ProgramOp op_;
  PlanTables &tables_;
  plan::Program &out_;
  const bool hasQueues_;
  llvm::DenseMap<Value, uint32_t> buffers_;
  uint64_t times_ = 1; ///< of a loop, while its body is emitted
  uint64_t sent_ = 0, received_ = 0, flops_ = 0;
};

/// Where the first write of a variable is: schedule has put all that waits before it.
void ProgramEmitter::noteCommitPoint() {
  for (int i = 0; i < out_.instructions_size() && !out_.has_commit_point(); ++i)
    for (const plan::BufferEffect &effect :
         plan::effectsOf(*plan, out_, out_.instructions(i)).buffers)
      if (effect.access != plan::READ &&
          out_.buffers(int(effect.buffer)).storage_case() == plan::Buffer::kVariable)
        out_.set_commit_point(uint32_t(i));
}

LogicalResult ProgramEmitter::emitHead() {
  out_.set_name(op_.getSymName().str());
  auto phase = tables_.phases.find(op_.getPhase());
  if (phase == tables_.phases.end())
    return op_.emitOpError("belongs to the phase @")
           << op_.getPhase() << ", which this module does not declare";
  out_.set_phase(phase->second);
  out_.set_instances(uint32_t(op_.getReplicas()));
  out_.set_spread(op_.isSpread());
  out_.set_locks_variables(op_.getLocksVariables());
  std::optional<uint64_t> arena = op_.getArenaBytes();
  if (!arena)
    return op_.emitOpError("has no arena_bytes; schedule computes it");
  out_.set_arena_bytes(*arena);
  out_.set_device_arena_bytes(op_.getDeviceArenaBytes().value_or(0));
  if (auto found = op_->getAttrOfType<DenseI64ArrayAttr>("dist.recomputed")) {
    out_.mutable_recomputed()->set_values(uint32_t(found[0]));
    out_.mutable_recomputed()->set_bytes(uint64_t(found[1]));
    out_.mutable_recomputed()->set_seconds(double(found[2]) * 1e-9);
    out_.mutable_recomputed()->set_all(found[3] != 0);
  }
  std::string error;
  std::optional<graph::DeviceName> device = graph::DeviceName::parse(op_.getDevice(), error);
  assert(device && "dist.program's verifier has read it");
  out_.set_device(device->kind + ":" + std::to_string(device->index.value_or(0)));
  if (op_.isSpread()) {
    for (const plan::ReplicaDomain::Range &range : plan->replicas().ranges())
      if (const std::string &job = plan->jobs(int(range.job())).name();
          !device->job.empty() && device->job != job)
        return op_.emitOpError("is on every task of job \"")
               << device->job << "\", but the replicas are on job \"" << job
               << "\" (graph.distribution)";
    return success();
  }
  FailureOr<plan::Task> task = tables_.task(op_, *device);
  if (succeeded(task))
    *out_.mutable_task() = *task;
  return task;
}

LogicalResult ProgramEmitter::emit(dist::BufferOp buffer) {
  if (!buffer.getOffset())
    return buffer.emitOpError("has no offset; schedule gives it one");
  plan::Buffer *made = newBuffer(buffer.getBuffer());
  made->mutable_arena()->set_offset(*buffer.getOffset());
  made->set_space(spaceOf(buffer.getHost()));
  return success();
}

LogicalResult ProgramEmitter::emitCall(Operation *call, FailureOr<uint32_t> kernel,
                                       ValueRange operands) {
  if (failed(kernel))
    return failure();
  plan::Instruction::Call *instruction = newInstruction(call)->mutable_call();
  instruction->set_kernel(*kernel);
  for (Value operand : operands)
    instruction->add_buffers(buffers_.lookup(operand));
  count(plan->kernels(int(*kernel)).flops(), times_);
  return success();
}

LogicalResult ProgramEmitter::emit(dist::RepeatOp repeat) {
  const int at = out_.instructions_size();
  newInstruction(repeat)->mutable_repeat()->set_count(uint32_t(repeat.getCount()));
  times_ = repeat.getCount();
  for (Operation &inner : repeat.getBody().front())
    if (failed(emitOp(&inner)))
      return failure();
  times_ = 1;
  out_.mutable_instructions(at)->mutable_repeat()->set_length(
      uint32_t(out_.instructions_size() - at - 1));
  return success();
}

/// The kernel of a sum in such memory, in chunks of so many elements; each is added `times` times.
FailureOr<uint32_t> ProgramEmitter::emitAdd(Operation *op, StringRef add, Value sum, uint64_t chunk,
                                            uint64_t times, std::optional<uint64_t> queue) {
  const uint64_t bytes = dist::getBufferBytes(sum);
  const uint64_t chunkBytes =
      chunk * uint64_t(graph::getElementBytes(cast<MemRefType>(sum.getType()).getElementType()));
  FailureOr<uint32_t> kernel = tables_.kernel(op, add, kindOf(queue), {chunkBytes, chunkBytes});
  if (succeeded(kernel))
    count(plan->kernels(int(*kernel)).flops(), (bytes ? bytes / chunkBytes : 1) * times);
  return kernel;
}

LogicalResult ProgramEmitter::emit(dist::AccumulateOp sum) {
  FailureOr<uint32_t> add =
      emitAdd(sum, sum.getAdd(), sum.getValue(), uint64_t(sum.getChunkElements()),
              sum.getAdditions(), sum.getQueue());
  if (failed(add))
    return failure();
  plan::Instruction::Accumulate *instruction = newInstruction(sum)->mutable_accumulate();
  instruction->set_buffer(buffers_.lookup(sum.getValue()));
  for (Value partial : sum.getPartials())
    instruction->add_partials(buffers_.lookup(partial));
  instruction->set_add(*add);
  instruction->set_per_leaf(uint32_t(sum.getPerLeaf()));
  return success();
}

/// Channel, accumulator and kernel of a sum; null after an error.
template <typename Op> plan::Instruction::Aggregate *ProgramEmitter::emitSum(Op aggregate) {
  Value sum = aggregate.getAccumulator();
  const uint64_t chunk =
      aggregate.getChunk().value_or(cast<MemRefType>(sum.getType()).getNumElements());
  FailureOr<uint32_t> add = emitAdd(aggregate, aggregate.getAdd(), sum, chunk,
                                    channelOf(aggregate.getChannel()).instances() - 1);
  if (failed(add))
    return nullptr;
  plan::Instruction::Aggregate *instruction = newInstruction(aggregate)->mutable_aggregate();
  instruction->set_channel(channel(aggregate.getChannel()));
  instruction->set_buffer(buffers_.lookup(sum));
  instruction->set_add(*add);
  return instruction;
}

static plan::Reduction getReduction(StringRef name) {
  return name == "sum" ? plan::SUM : name == "first_replica" ? plan::FIRST_REPLICA : plan::MEAN;
}

//===------------------------------------------------------------------------------------------===//
// Memory
//===------------------------------------------------------------------------------------------===//

LogicalResult ProgramEmitter::emit(dist::VariableBufferOp buffer) {
  plan::Buffer *made = newBuffer(buffer.getBuffer());
  made->set_variable(tables_.variables.lookup(buffer.getVariable()));
  made->set_space(spaceOf(/*host=*/false));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::ConstantBufferOp buffer) {
  auto value = dyn_cast<DenseElementsAttr>(buffer.getValue());
  if (!value)
    return buffer.emitOpError("has data that plans cannot hold");
  plan::Buffer *made = newBuffer(buffer.getBuffer());
  made->set_constant(tables_.constant(getRawBytes(value)));
  made->set_space(spaceOf(buffer.getHost()));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::ViewOp view) {
  uint32_t source = buffers_.lookup(view.getSource());
  // Bound by its receive or acquire: the same entry, whatever its shape.
  if (out_.buffers(int(source)).has_slot() || out_.buffers(int(source)).has_outgoing()) {
    buffers_[view.getBuffer()] = source;
    return success();
  }
  plan::Buffer *alias = newBuffer(view.getBuffer());
  const plan::Buffer &memory = out_.buffers(int(source));
  alias->set_space(memory.space());
  if (memory.has_arena())
    alias->mutable_arena()->set_offset(memory.arena().offset() + view.getOffset());
  else if (memory.storage_case() == plan::Buffer::kVariable)
    alias->set_variable(memory.variable());
  else
    alias->set_constant(memory.constant());
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Work
//===------------------------------------------------------------------------------------------===//

LogicalResult ProgramEmitter::emit(dist::CallOp call) {
  SmallVector<uint64_t> bytes = llvm::map_to_vector(call.getBuffers(), dist::getBufferBytes);
  return emitCall(call, tables_.kernel(call, call.getKernel(), kindOf(call.getQueue()), bytes),
                  call.getBuffers());
}

LogicalResult ProgramEmitter::emit(dist::LibraryCallOp call) {
  return emitCall(call, tables_.library(call), call->getOperands());
}

LogicalResult ProgramEmitter::emit(dist::CopyOp copy) {
  plan::Instruction::Copy *instruction = newInstruction(copy)->mutable_copy();
  instruction->set_from(buffers_.lookup(copy.getFrom()));
  instruction->set_to(buffers_.lookup(copy.getTo()));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::SignalOp signal) {
  newInstruction(signal)->mutable_signal()->set_n(uint32_t(signal.getN()));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::WaitOp wait) {
  plan::Instruction::Wait *instruction = newInstruction(wait)->mutable_wait();
  instruction->set_queue(uint32_t(wait.getOf()));
  instruction->set_n(uint32_t(wait.getN()));
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Messages
//===------------------------------------------------------------------------------------------===//

LogicalResult ProgramEmitter::emit(dist::ReceiveOp receive) {
  newBuffer(receive.getValue())->set_slot(true);
  plan::Instruction::Receive *instruction = newInstruction(receive)->mutable_receive();
  instruction->set_channel(channel(receive.getChannel()));
  instruction->set_buffer(buffers_.lookup(receive.getValue()));
  if (receive.getCount())
    instruction->set_units(buffers_.lookup(receive.getCount()));
  if (!channelOf(receive.getChannel()).conflating())
    received_ += channelOf(receive.getChannel()).bytes() * times_;
  return success();
}

LogicalResult ProgramEmitter::emit(dist::AcquireOp acquire) {
  newBuffer(acquire.getBuffer())->set_outgoing(channel(acquire.getChannel()));
  plan::Instruction::Acquire *instruction = newInstruction(acquire)->mutable_acquire();
  instruction->set_channel(channel(acquire.getChannel()));
  instruction->set_buffer(buffers_.lookup(acquire.getBuffer()));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::ReleaseOp release) {
  newInstruction(release)->mutable_release()->set_channel(channel(release.getChannel()));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::SendStartOp send) {
  plan::Instruction::SendStart *instruction = newInstruction(send)->mutable_send_start();
  instruction->set_channel(channel(send.getChannel()));
  instruction->set_buffer(buffers_.lookup(send.getValue()));
  instruction->set_ahead(send.getAhead());
  instruction->set_deal(send.getDeal());
  if (send.getCount())
    instruction->set_units(buffers_.lookup(send.getCount()));
  const plan::Channel &target = channelOf(send.getChannel());
  uint64_t messages = target.all_to_all()  ? target.instances() - 1
                      : op_.isReplicated() ? 1
                                           : target.instances();
  if (!target.conflating())
    sent_ += target.bytes() * messages * times_;
  return success();
}

LogicalResult ProgramEmitter::emit(dist::SendDoneOp done) {
  newInstruction(done)->mutable_send_done()->set_channel(channel(done.getChannel()));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::AggregateIntoOp aggregate) {
  plan::Instruction::Aggregate *instruction = emitSum(aggregate);
  if (!instruction)
    return failure();
  const plan::Channel &source = channelOf(aggregate.getChannel());
  if (aggregate.getOwn()) {
    instruction->set_has_own(true);
    instruction->set_own(buffers_.lookup(aggregate.getOwn()));
  }
  if (aggregate.getScratch()) {
    instruction->set_has_scratch(true);
    instruction->set_scratch(buffers_.lookup(aggregate.getScratch()));
  }
  received_ += source.bytes() * (source.instances() - (source.all_to_all() ? 1 : 0));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::AggregateChosenIntoOp aggregate) {
  plan::Instruction::Aggregate *instruction = emitSum(aggregate);
  if (!instruction)
    return failure();
  instruction->set_has_chosen(true);
  instruction->set_chosen(buffers_.lookup(aggregate.getSet()));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::CollectIntoOp collect) {
  plan::Instruction::Collect *instruction = newInstruction(collect)->mutable_collect();
  instruction->set_channel(channel(collect.getChannel()));
  instruction->set_buffer(buffers_.lookup(collect.getValue()));
  if (collect.getCount())
    instruction->set_units(buffers_.lookup(collect.getCount()));
  const plan::Channel &source = channelOf(collect.getChannel());
  received_ += source.bytes() * source.instances();
  return success();
}

LogicalResult ProgramEmitter::emit(dist::ChooseIntoOp choose) {
  plan::Instruction::Choose *instruction = newInstruction(choose)->mutable_choose();
  instruction->set_channel(channel(choose.getChannel()));
  instruction->set_version(buffers_.lookup(choose.getVersion()));
  instruction->set_chosen(buffers_.lookup(choose.getSet()));
  instruction->set_take(uint32_t(choose.getTake()));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::AllReduceStartOp start) {
  const plan::Channel &between = channelOf(start.getChannel());
  const plan::AllReduceShape shape = plan::AllReduceShape::of(between);
  uint64_t part = dist::getBufferBytes(start.getScratch()) / plan::allReducePartialSums(shape);
  FailureOr<uint32_t> add = tables_.kernel(start, start.getAdd(), kindOf({}), {part, part});
  if (failed(add))
    return failure();
  plan::Instruction::AllReduceStart *instruction =
      newInstruction(start)->mutable_all_reduce_start();
  instruction->set_channel(channel(start.getChannel()));
  instruction->set_buffer(buffers_.lookup(start.getBuffer()));
  instruction->set_scratch(buffers_.lookup(start.getScratch()));
  instruction->set_add(*add);
  uint64_t chunks = dist::getBufferBytes(start.getBuffer()) / between.bytes();
  uint64_t bytes = between.bytes() * plan::allReduceMessages(shape, chunks);
  sent_ += bytes;
  received_ += bytes;
  count(plan->kernels(int(*add)).flops(),
        (between.bytes() / part) * plan::allReduceAdditions(shape, chunks));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::AllReduceDoneOp done) {
  newInstruction(done)->mutable_all_reduce_done()->set_channel(channel(done.getChannel()));
  return success();
}

//===------------------------------------------------------------------------------------------===//
// What the host gives to a step and takes from it
//===------------------------------------------------------------------------------------------===//

LogicalResult ProgramEmitter::emit(dist::NextBatchIntoOp next) {
  plan::Instruction::NextBatch *instruction = newInstruction(next)->mutable_next_batch();
  instruction->set_dataset(tables_.datasets.lookup(next.getDataset()));
  instruction->set_batch(uint32_t(next.getBatch()));
  for (Value buffer : next.getBuffers())
    instruction->add_buffers(buffers_.lookup(buffer));
  instruction->set_pad_last(next.getPadLast());
  if (next.getValid()) {
    instruction->set_has_valid(true);
    instruction->set_valid(buffers_.lookup(next.getValid()));
  }
  instruction->set_micro_batch(uint32_t(next.getMicroBatch()));
  instruction->set_micro_batches(uint32_t(next.getMicroBatches()));
  if (std::optional<ArrayAttr> classes = next.getClasses())
    for (auto bound : classes->getAsRange<IntegerAttr>())
      instruction->add_classes(uint64_t(bound.getInt()));
  instruction->set_offset(uint32_t(next.getOffset()));
  instruction->set_stride(uint32_t(next.getStride().value_or(0)));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::MicroBatchIndexIntoOp index) {
  plan::Instruction::MicroBatchIndex *instruction =
      newInstruction(index)->mutable_micro_batch_index();
  instruction->set_buffer(buffers_.lookup(index.getBuffer()));
  instruction->set_micro_batch(uint32_t(index.getMicroBatch()));
  instruction->set_micro_batches(uint32_t(index.getMicroBatches()));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::ControlSendOp send) {
  plan::Instruction::ControlSend *instruction = newInstruction(send)->mutable_control_send();
  for (auto name : send.getChannels().getAsRange<FlatSymbolRefAttr>())
    instruction->add_channels(channel(name.getValue()));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::ControlReceiveOp receive) {
  plan::Instruction::ControlReceive *instruction =
      newInstruction(receive)->mutable_control_receive();
  instruction->set_local(receive.getLocal());
  if (receive.getChannel())
    instruction->set_channel(channel(*receive.getChannel()));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::TicketOp ticket) {
  plan::Instruction::Ticket *instruction = newInstruction(ticket)->mutable_ticket();
  if (ticket.getMaxStaleness())
    instruction->set_max_staleness(uint64_t(*ticket.getMaxStaleness()));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::FeedIntoOp feed) {
  plan::Port *port = out_.add_feeds();
  port->set_name(feed.getName().str());
  port->set_buffer(buffers_.lookup(feed.getBuffer()));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::FetchOp fetch) {
  plan::Port *port = out_.add_fetches();
  port->set_name(fetch.getName().str());
  port->set_buffer(buffers_.lookup(fetch.getValue()));
  port->set_reduction(getReduction(fetch.getReduction()));
  port->set_micro_batches(uint32_t(fetch.getMicroBatches()));
  return success();
}

LogicalResult ProgramEmitter::emit(dist::MetricOp metric) {
  plan::Metric *port = out_.add_metrics();
  port->set_name(metric.getName().str());
  port->set_sum(buffers_.lookup(metric.getSum()));
  port->set_count(buffers_.lookup(metric.getCount()));
  return success();
}

LogicalResult ProgramEmitter::emitOp(Operation *inner) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(inner)
      .Case<dist::BufferOp, dist::VariableBufferOp, dist::ConstantBufferOp, dist::ViewOp,
            dist::CallOp, dist::LibraryCallOp, dist::CopyOp, dist::SignalOp, dist::WaitOp,
            dist::RepeatOp, dist::AccumulateOp, dist::ReceiveOp, dist::AcquireOp, dist::ReleaseOp,
            dist::SendStartOp, dist::SendDoneOp, dist::AggregateIntoOp, dist::AggregateChosenIntoOp,
            dist::CollectIntoOp, dist::ChooseIntoOp, dist::AllReduceStartOp, dist::AllReduceDoneOp,
            dist::NextBatchIntoOp, dist::MicroBatchIndexIntoOp, dist::ControlSendOp,
            dist::ControlReceiveOp, dist::TicketOp, dist::FeedIntoOp, dist::FetchOp,
            dist::MetricOp>([&](auto op) { return emit(op); })
      .Default([](Operation *other) -> LogicalResult {
        return other->emitOpError(
            "is no part of a scheduled program; expected buffers, calls and communication only");
      });
}

} // namespace

LogicalResult emitProgram(dist::ProgramOp op, PlanTables &tables, plan::Plan &plan) {
  uint32_t index = uint32_t(plan.programs_size());
  plan::Program *out = plan.add_programs();
  ProgramEmitter emitter(op, tables, *out);
  emitter.plan = &plan;
  if (failed(emitter.emit()))
    return failure();
  plan.mutable_phases(int(out->phase()))->add_programs(index);
  return success();
}

} // namespace graphc
