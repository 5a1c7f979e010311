#include "passes/schedule/OrderPhase.h"

#include "dialects/graph/CommitPoint.h"
#include "passes/schedule/CommunicatingLoops.h"
#include "passes/schedule/FindUpdates.h"
#include "passes/schedule/OpTimes.h"
#include "passes/schedule/PhaseLiveness.h"
#include "passes/schedule/ReorderOperations.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <set>

using namespace mlir;

namespace graphc {

/// At the sending end of a channel of data.
static bool startsMessages(Operation *op) {
  auto end = dyn_cast<dist::ChannelEndOpInterface>(op);
  return end && end.getChannelEnd() == dist::ChannelEnd::Send && !end.isControl();
}

static bool isTraining(dist::PhaseOp phase) {
  return cast<graph::RoleAttr>(phase.getRole()).getValue() == graph::Role::Train;
}

namespace {

class PhaseOrder {
public:
  PhaseOrder(ModuleOp module, dist::PhaseOp phase)
      : module_(module), phase_(phase), symbols_(module), times_(module, symbols_),
        commits_(recoversFromMemory(module) && isTraining(phase)) {}

  FailureOr<unsigned> run() {
    for (auto program : module_.getOps<dist::ProgramOp>())
      if (program.getPhase() == phase_.getSymName() && failed(addProgram(program)))
        return failure();
    if (commits_ && schedules_.size() > 1 &&
        llvm::any_of(schedules_,
                     [](const ProgramSchedule &schedule) { return !schedule.writers.empty(); }))
      return phase_.emitOpError("trains in ")
             << schedules_.size()
             << " programs, and \"recovery\": \"memory\" needs one that is alone in "
                "its task: what another has written by a loss "
                "nobody knows; leave that out, or the model's devices";
    addLoops();
    addMessages();
    if (failed(list()))
      return failure();
    unsigned moved = 0;
    for (ProgramSchedule &schedule : schedules_) {
      sinkReceives(schedule);
      moved += rewrite(schedule);
    }
    return moved;
  }

private:
  struct Node {
    Operation *op; ///< null: a barrier, which is behind what it waits for at once
    unsigned program; ///< number of its schedule in `schedules_`
    uint64_t cost = 0;              ///< how long its program is busy with it
    uint64_t ready = 0;             ///< when the last of its inputs is there
    unsigned missing = 0;           ///< inputs not yet in order
    SmallVector<unsigned> next = {}; ///< in its own program: what has to come later
    int message = -1;               ///< of a send: its receive, in another program
    int loops = -1;                 ///< of a loop that talks: those that run together with it
    uint64_t delay = 0; ///< of a send: from its end to the message's arrival
    /// writes variables by what the step has made, and nothing else that is used later
    bool updates = false;
  };
  /// The order of a program's operations so far, and when the last of them ends.
  struct ProgramSchedule {
    dist::ProgramOp program;
    bool hasQueues = false;
    uint64_t clock = 0;
    bool talks = false; ///< exchanges data with other programs
    /// Nodes whose inputs are in order: those that can start at once, by `turn`, else what is first
    /// in the text; and those whose inputs come later, the earliest first.
    std::set<std::pair<unsigned, unsigned>> ready;
    std::set<std::tuple<uint64_t, unsigned, unsigned>> later;
    std::optional<uint64_t> start; ///< of the first of them, as `startable_` has it
    SmallVector<unsigned> order, barriers;
    std::set<unsigned> writers; ///< of a variable
    ProgramParts parts;
  };

  struct Walk;
  LogicalResult addProgram(dist::ProgramOp program);
  LogicalResult checkOutlined(Operation &op, ArrayRef<BufferUse> uses, Walk &walk) const;
  bool putAside(Operation &op, ArrayRef<BufferUse> uses, ProgramSchedule &schedule,
                Walk &walk) const;
  void dependOnMemory(unsigned node, ArrayRef<BufferUse> uses, Walk &walk);
  void dependOnState(unsigned node, Walk &walk);
  void dependOnMessages(unsigned node, dist::ChannelEndOpInterface end, Walk &walk);
  LogicalResult addCommitPoint(ProgramSchedule &schedule, ArrayRef<unsigned> own);
  void addLoops();
  void addMessages();
  LogicalResult list();
  /// From the end of a node to the start of one in its program that needs it.
  uint64_t delayTo(const Node &node, const Node &next) const;
  unsigned turn(const Node &node) const;
  void offer(unsigned node);
  void take(unsigned node);
  void place(unsigned node, uint64_t start);
  void noteStart(unsigned program);
  void sinkReceives(ProgramSchedule &schedule) const;
  unsigned rewrite(ProgramSchedule &schedule);

  void depend(unsigned node, unsigned on) {
    if (edges_.insert({on, node}).second) {
      nodes_[on].next.push_back(node);
      ++nodes_[node].missing;
    }
  }

  ModuleOp module_;
  dist::PhaseOp phase_;
  SymbolTable symbols_;
  OpTimes times_;
  const bool commits_; ///< its steps have a commit point
  llvm::DenseSet<std::pair<unsigned, unsigned>> edges_; ///< of `next`
  std::vector<Node> nodes_;
  std::vector<ProgramSchedule> schedules_;
  SmallVector<SmallVector<unsigned>> loops_; ///< that run together, of several programs
  llvm::DenseSet<unsigned> begins_; ///< barriers before those
  /// programs that have something ready, by when it can start
  std::set<std::pair<uint64_t, unsigned>> startable_;
};

/// What a walk over one program remembers of the operations before, for the dependences of the next
/// one.
struct PhaseOrder::Walk {
  struct History {
    int writer = -1;
    SmallVector<unsigned> readers; ///< since the last write
    Operation *result = nullptr; ///< the fetch or metric that shows it after the step
  };
  llvm::DenseMap<Value, History> memory; ///< by the value at the root of a buffer
  int head = -1; ///< the control send or the update ticket that begins a step
  int batch = -1; ///< the last that takes samples
  int slot = -1; ///< the last send over a conflating channel
  int barrier = -1;
  SmallVector<unsigned> own, received, open; ///< all; receives; those since the last barrier
};

/// Nodes and the dependences inside one program.
LogicalResult PhaseOrder::addProgram(dist::ProgramOp program) {
  unsigned number = unsigned(schedules_.size());
  schedules_.emplace_back().program = program;
  schedules_.back().hasQueues = program.hasQueues();
  BufferUses bufferUses(program, symbols_);
  Walk walk;
  FailureOr<llvm::DenseSet<Operation *>> updates = findUpdates(program, bufferUses);
  if (failed(updates))
    return failure();
  for (Operation &op : program.getBlock().without_terminator()) {
    ProgramSchedule &here = schedules_[number];
    if (isDeclaration(op)) {
      here.parts.declarations.push_back(&op);
      continue;
    }
    FailureOr<SmallVector<BufferUse>> uses = bufferUses.get(&op);
    if (failed(uses) || failed(checkOutlined(op, *uses, walk)))
      return failure();
    if (putAside(op, *uses, here, walk))
      continue;
    unsigned node = unsigned(nodes_.size());
    nodes_.push_back({&op, number, inNanoseconds(times_.of(&op))});
    walk.own.push_back(node);
    auto end = dyn_cast<dist::ChannelEndOpInterface>(op);
    here.talks |= end && !end.isControl();
    nodes_.back().updates = updates->contains(&op);
    dependOnMemory(node, *uses, walk);
    dependOnState(node, walk);
    if (end && phase_.getEndsByEndOfStream())
      dependOnMessages(node, end, walk);
  }
  if (walk.head >= 0)
    for (unsigned node : walk.own)
      if (int(node) != walk.head && !edges_.contains({node, unsigned(walk.head)}))
        depend(node, unsigned(walk.head));
  return commits_ ? addCommitPoint(schedules_[number], walk.own) : success();
}

/// The program has not been scheduled, and nothing writes what is fetched.
LogicalResult PhaseOrder::checkOutlined(Operation &op, ArrayRef<BufferUse> uses, Walk &walk) const {
  if (isa<dist::SendStartOp, dist::SendDoneOp, dist::ReleaseOp, dist::AcquireOp>(op))
    return op.emitOpError(
        "is made by schedule, so this program was scheduled before; expected an outlined one");
  for (const BufferUse &use : uses)
    if (use.written && walk.memory[use.root].result) {
      InFlightDiagnostic diag =
          op.emitOpError("writes memory whose value is fetched at the end of the step");
      diag.attachNote(walk.memory[use.root].result->getLoc())
          << "fetched here; a value that changes later needs a copy";
      return diag;
    }
  return success();
}

/// Feeds, results and the control message have fixed places in a step and are no nodes.
bool PhaseOrder::putAside(Operation &op, ArrayRef<BufferUse> uses, ProgramSchedule &schedule,
                          Walk &walk) const {
  if (isa<dist::FeedIntoOp>(op)) {
    schedule.parts.feeds.push_back(&op);
    return true;
  }
  bool isShown = false;
  for (const BufferUse &use : uses)
    if (use.until == dist::BufferHold::StepEnd) {
      walk.memory[use.root].result = &op;
      isShown = true;
    }
  if (isShown)
    schedule.parts.results.push_back(&op);
  else if (isa<dist::ControlReceiveOp>(op))
    schedule.parts.control = &op;
  return isShown || schedule.parts.control == &op;
}

/// A read comes after the last write, a write after the last write and all reads since.
void PhaseOrder::dependOnMemory(unsigned node, ArrayRef<BufferUse> uses, Walk &walk) {
  for (const BufferUse &use : uses) {
    Walk::History &history = walk.memory[use.root];
    if (history.writer >= 0)
      depend(node, unsigned(history.writer));
    if (!use.written) {
      history.readers.push_back(node);
      continue;
    }
    for (unsigned reader : history.readers)
      depend(node, reader);
    history.readers.clear();
    history.writer = int(node);
    if (use.root.getDefiningOp<dist::VariableBufferOp>())
      schedules_[nodes_[node].program].writers.insert(node);
  }
}

/// Receives that stood before an update ticket come before it. A data set's stream is a state, so
/// whatever takes samples keeps its turn.
void PhaseOrder::dependOnState(unsigned node, Walk &walk) {
  Operation *op = nodes_[node].op;
  if (isa<dist::ControlSendOp, dist::TicketOp>(op)) {
    walk.head = int(node);
    for (unsigned receive : walk.received)
      depend(node, receive);
  }
  if (isa<dist::NextBatchIntoOp, dist::RepeatOp>(op)) {
    if (walk.batch >= 0)
      depend(node, unsigned(walk.batch));
    walk.batch = int(node);
  }
}

/// In a phase that ends by end of stream, what was sent before a closed channel is noticed has its
/// effect: no send passes a receive that stood before it.
void PhaseOrder::dependOnMessages(unsigned node, dist::ChannelEndOpInterface end, Walk &walk) {
  const unsigned program = nodes_[node].program;
  if (end.getChannelEnd() == dist::ChannelEnd::Receive) {
    walk.received.push_back(node);
    walk.open.push_back(node);
    return;
  }
  // A barrier between all receives so far and all sends from here on: not an edge for each pair.
  if (!walk.open.empty()) {
    unsigned next = unsigned(nodes_.size());
    nodes_.push_back({nullptr, program});
    for (unsigned receive : walk.open)
      depend(next, receive);
    walk.open.clear();
    if (walk.barrier >= 0)
      depend(next, unsigned(walk.barrier));
    walk.barrier = int(next);
    schedules_[program].barriers.push_back(next);
  }
  if (walk.barrier >= 0)
    depend(node, unsigned(walk.barrier));
  // What stands in a slot is there before anybody is told so.
  if (walk.slot >= 0)
    depend(node, unsigned(walk.slot));
  if (symbols_.lookup<dist::ChannelOp>(end.getUsedChannels().front().getValue()).getConflating())
    walk.slot = int(node);
}

/// What can wait for somebody, or fail by other than its own fault: ends of channels, samples, and
/// loops, which may hold them.
static bool mayWait(Operation *op) {
  return isa<dist::ChannelEndOpInterface, dist::NextBatchIntoOp, dist::RepeatOp>(op);
}

/// A barrier between all that may wait and all writes of variables: a task that has come as far
/// makes its step alone.
LogicalResult PhaseOrder::addCommitPoint(ProgramSchedule &schedule, ArrayRef<unsigned> own) {
  if (schedule.writers.empty())
    return success();
  if (schedule.hasQueues)
    return schedule.program.emitOpError(
        "writes variables in memory of a device, which is no memory to recover from yet; "
        "leave \"recovery\": \"memory\" out, or train on CPUs");
  llvm::DenseMap<unsigned, unsigned> causes; // behind a write → the write
  for (unsigned writer : schedule.writers)
    causes[writer] = writer;
  // in the order of the text, in which what depends on others stands behind them
  for (unsigned node : own)
    if (auto cause = causes.find(node); cause != causes.end())
      for (unsigned next : nodes_[node].next)
        causes.try_emplace(next, cause->second);
  const unsigned barrier = unsigned(nodes_.size());
  for (unsigned node : own) {
    auto cause = causes.find(node);
    if (cause == causes.end() || !mayWait(nodes_[node].op))
      continue;
    InFlightDiagnostic diag = nodes_[cause->second].op->emitError(
        "writes a variable before the last sum of the step is there, "
        "so the step has no commit point, which \"recovery\": "
        "\"memory\" needs; leave that out, or assign the "
        "variable what no later sum depends on");
    diag.attachNote(nodes_[node].op->getLoc()) << "this waits for others and comes behind it";
    return diag;
  }
  nodes_.push_back({nullptr, unsigned(&schedule - schedules_.data())});
  for (unsigned node : own)
    if (mayWait(nodes_[node].op))
      depend(barrier, node);
  if (nodes_[barrier].missing == 0) { // nothing waits, so all of it is behind the commit point
    nodes_.pop_back();
    return success();
  }
  for (unsigned writer : schedule.writers)
    depend(writer, barrier);
  schedule.barriers.push_back(barrier);
  return success();
}

/// Loops that run together begin when the last of them can.
void PhaseOrder::addLoops() {
  llvm::MapVector<Operation *, unsigned> numbers = numberLoops(module_, phase_);
  if (numbers.empty())
    return;
  for (unsigned node = 0; node < nodes_.size(); ++node)
    if (auto number = numbers.find(nodes_[node].op); number != numbers.end()) {
      loops_.resize(std::max<size_t>(loops_.size(), number->second + 1));
      loops_[number->second].push_back(node);
      nodes_[node].loops = int(number->second);
    }
  SmallVector<int> barrierOf(loops_.size(), -1);
  for (unsigned node = 0, count = unsigned(nodes_.size()); node < count; ++node)
    for (unsigned next : SmallVector<unsigned>(nodes_[node].next))
      if (const int number = nodes_[next].loops; number >= 0) {
        int &barrier = barrierOf[size_t(number)];
        if (barrier < 0) {
          barrier = int(nodes_.size());
          begins_.insert(unsigned(barrier));
          nodes_.push_back({nullptr, nodes_[next].program});
          for (unsigned loop : loops_[size_t(number)])
            depend(loop, unsigned(barrier));
        }
        depend(unsigned(barrier), node);
      }
}

/// A receive comes after its send.
void PhaseOrder::addMessages() {
  llvm::StringMap<unsigned> receives;
  for (auto [i, node] : llvm::enumerate(nodes_))
    if (auto end = dyn_cast_if_present<dist::ChannelEndOpInterface>(node.op);
        end && end.getChannelEnd() == dist::ChannelEnd::Receive)
      receives[end.getUsedChannels().front().getValue()] = unsigned(i);
  for (Node &node : nodes_)
    if (auto send = dyn_cast_if_present<dist::SendOp>(node.op))
      if (auto found = receives.find(send.getChannel()); found != receives.end()) {
        node.message = int(found->second);
        ++nodes_[found->second].missing;
        node.delay =
            inNanoseconds(times_.delay(symbols_.lookup<dist::ChannelOp>(send.getChannel())));
      }
}

static bool isQueued(Operation *op) {
  return isa_and_present<dist::CallOp, dist::LibraryCallOp, dist::CopyOp, dist::RepeatOp>(op);
}

uint64_t PhaseOrder::delayTo(const Node &node, const Node &next) const {
  if (auto start = dyn_cast<dist::AllReduceStartOp>(node.op))
    return inNanoseconds(times_.delay(symbols_.lookup<dist::ChannelOp>(start.getChannel())));
  // Samples come behind a loop since its own do.
  const bool told = schedules_[node.program].hasQueues && isQueued(node.op) && !isQueued(next.op) &&
                    !(isa<dist::RepeatOp>(node.op) && isa<dist::NextBatchIntoOp>(next.op));
  return told ? inNanoseconds(times_.model().queueLatency()) : 0;
}

/// Others wait for a send. Samples and numbers of micro-batches come first on a device that is
/// given its work at once: between two calls they would cut it in two. Where nobody waits for
/// anything, an update goes before what else could be computed: its gradient is still in a cache,
/// and its memory is free behind it.
unsigned PhaseOrder::turn(const Node &node) const {
  const ProgramSchedule &schedule = schedules_[node.program];
  if (startsMessages(node.op) ||
      (schedule.hasQueues && isa<dist::NextBatchIntoOp, dist::MicroBatchIndexIntoOp>(node.op)))
    return 0;
  return node.updates && !schedule.talks ? 1 : 2;
}

/// A node whose inputs are all in order.
void PhaseOrder::offer(unsigned index) {
  Node &node = nodes_[index];
  ProgramSchedule &schedule = schedules_[node.program];
  if (node.ready <= schedule.clock)
    schedule.ready.insert({turn(node), index});
  else
    schedule.later.insert({node.ready, turn(node), index});
  noteStart(node.program);
}

/// Keeps the program's place in `startable_` after its clock or what is ready changed.
void PhaseOrder::noteStart(unsigned program) {
  ProgramSchedule &schedule = schedules_[program];
  std::optional<uint64_t> start;
  if (!schedule.ready.empty())
    start = schedule.clock;
  else if (!schedule.later.empty())
    start = std::get<0>(*schedule.later.begin());
  if (start == schedule.start)
    return;
  if (schedule.start)
    startable_.erase({*schedule.start, program});
  if (start)
    startable_.insert({*start, program});
  schedule.start = start;
}

/// Of the nodes that can be placed this one is: place() is next.
void PhaseOrder::take(unsigned index) {
  const Node &node = nodes_[index];
  ProgramSchedule &schedule = schedules_[node.program];
  if (!schedule.ready.erase({turn(node), index}))
    schedule.later.erase({node.ready, turn(node), index});
}

/// Puts a node behind its program's others and tells those that wait for it.
void PhaseOrder::place(unsigned index, uint64_t start) {
  ProgramSchedule &schedule = schedules_[nodes_[index].program];
  schedule.order.push_back(index);
  uint64_t end = schedule.clock = start + nodes_[index].cost;
  while (!schedule.later.empty() && std::get<0>(*schedule.later.begin()) <= schedule.clock) {
    auto [when, turn, node] = *schedule.later.begin();
    schedule.later.erase(schedule.later.begin());
    schedule.ready.insert({turn, node});
  }
  noteStart(nodes_[index].program);
  SmallVector<unsigned> barriers;
  auto satisfy = [&](unsigned other, uint64_t when) {
    Node &node = nodes_[other];
    node.ready = std::max(node.ready, when);
    if (--node.missing == 0)
      node.op ? offer(other) : barriers.push_back(other);
  };
  for (unsigned next : nodes_[index].next)
    satisfy(next, end + delayTo(nodes_[index], nodes_[next]));
  if (nodes_[index].message >= 0)
    satisfy(unsigned(nodes_[index].message), end + nodes_[index].delay);
  while (!barriers.empty()) {
    unsigned barrier = barriers.pop_back_val();
    for (unsigned next : nodes_[barrier].next)
      satisfy(next, nodes_[barrier].ready);
  }
}

/// Again and again the operation that can start first: of one program, where several can, a send,
/// then an update if nobody waits, else what is first in the text. So a program computes what it
/// can while a message is on its way, and asks first for what comes first.
LogicalResult PhaseOrder::list() {
  for (auto [i, node] : llvm::enumerate(nodes_))
    if (node.missing == 0)
      offer(unsigned(i));
  size_t operations = size_t(llvm::count_if(nodes_, [](const Node &node) { return node.op; }));
  for (size_t placed = 0; placed < operations; ++placed) {
    if (startable_.empty())
      return failed(verifyLiveness(module_, phase_)) // says where
                 ? failure()
                 : phase_.emitOpError("has programs whose values depend on each other in a circle");
    // of programs that can start at once, the first in the text
    auto [start, index] = *startable_.begin();
    ProgramSchedule &schedule = schedules_[index];
    unsigned node = schedule.ready.empty() ? std::get<2>(*schedule.later.begin())
                                           : schedule.ready.begin()->second;
    if (nodes_[node].loops < 0) {
      take(node);
      place(node, start);
      continue;
    }
    // In the common order nothing stands between loops that run together.
    const SmallVector<unsigned> &together = loops_[size_t(nodes_[node].loops)];
    for (unsigned loop : together) {
      take(loop);
      start = std::max({start, nodes_[loop].ready, schedules_[nodes_[loop].program].clock});
    }
    for (unsigned loop : together)
      place(loop, start);
    placed += together.size() - 1;
  }
  return success();
}

/// Modelled times are guesses: a receive stands right before its first use, so that a late message
/// holds up nothing that does not need it. A receive only moves down, hence the common order stays
/// one.
void PhaseOrder::sinkReceives(ProgramSchedule &schedule) const {
  // Receives stand in runs, each in front of another operation or the end; a use that is a receive
  // itself stands for the one behind its run.
  size_t end = schedule.order.size();
  llvm::DenseMap<unsigned, size_t>
      before; // a node → the place in `order` of what its run, or it itself, stands in front of
  for (auto [place, index] : llvm::enumerate(schedule.order))
    before[index] = place;
  auto firstUse = [&](unsigned index) {
    size_t use = end;
    for (unsigned next : nodes_[index].next)
      if (!begins_.contains(next)) // the program's own loop behind it is a use too
        use = std::min(use, before.lookup(next));
    return use;
  };
  // sends alone wait for it, and the barrier behind it
  for (unsigned barrier : llvm::reverse(schedule.barriers))
    before[barrier] = firstUse(barrier);
  std::vector<SmallVector<unsigned>> runs(end + 1); // back to front
  for (size_t place = end; place-- > 0;) {
    unsigned index = schedule.order[place];
    auto channelEnd = dyn_cast<dist::ChannelEndOpInterface>(nodes_[index].op);
    size_t use = place;
    if (channelEnd && channelEnd.getChannelEnd() == dist::ChannelEnd::Receive) {
      use = firstUse(index);
      // in front of the other receives for the same use: their order stays
      runs[use].push_back(index);
    }
    before[index] = use;
  }
  SmallVector<unsigned> order;
  for (size_t place = 0; place <= end; ++place) {
    order.append(runs[place].rbegin(), runs[place].rend());
    if (place < end && before[schedule.order[place]] == place)
      order.push_back(schedule.order[place]);
  }
  schedule.order = std::move(order);
}

unsigned PhaseOrder::rewrite(ProgramSchedule &schedule) {
  for (unsigned index : schedule.order) {
    schedule.parts.ordered.push_back(nodes_[index].op);
    if (commits_ && !schedule.parts.commits && schedule.writers.contains(index))
      schedule.parts.commits = nodes_[index].op;
  }
  return writeOrder(schedule.program, symbols_, schedule.parts);
}

} // namespace

FailureOr<unsigned> orderPhase(ModuleOp module, dist::PhaseOp phase) {
  return PhaseOrder(module, phase).run();
}

} // namespace graphc
