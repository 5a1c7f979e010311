#include "passes/schedule/PhaseLiveness.h"

#include "passes/analysis/LivenessProof.h"
#include "passes/schedule/CommunicatingLoops.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace graphc {

namespace {

/// Solves one phase and remembers which operation each node is.
class PhaseProof {
public:
  PhaseProof(ModuleOp module, dist::PhaseOp phase) : module_(module), phase_(phase) {}

  /// False: some channels are to be copied now, so that the proof has to begin anew.
  FailureOr<bool> run(llvm::function_ref<void(dist::ChannelOp)> copyInstead);

private:
  struct End {
    Operation *op;
    StringRef program, channel; ///< both empty: loops that run together, of which `op` is one
    LivenessProof::Action action;

    bool isLoop() const { return channel.empty(); }
  };
  /// Of a program, in its order; of loops the node of all that run together, then those of an
  /// iteration.
  using Sequence = SmallVector<uint32_t>;

  void fill();
  llvm::SetVector<dist::ChannelOp> findBorrows(ArrayRef<LivenessProof::Step> cycle) const;
  void leaveProof(ArrayRef<uint32_t> ranks);
  void addProgram(dist::ProgramOp program);
  void addEnd(dist::ChannelEndOpInterface end, dist::ProgramOp program, uint32_t number,
              Sequence &sequence);
  Operation *findLoop(uint32_t node, StringRef program) const;
  LogicalResult reportLoops(ArrayRef<LivenessProof::Step> cycle);
  void describe(InFlightDiagnostic &diag, const End &before, const End &after,
                LivenessProof::Reason reason);
  LogicalResult reportMismatch(const LivenessProof::Mismatch &mismatch);
  LogicalResult reportCycle(ArrayRef<LivenessProof::Step> cycle);

  ModuleOp module_;
  dist::PhaseOp phase_;
  LivenessProof liveness_;
  llvm::StringMap<uint32_t> channelOf_;
  SmallVector<dist::ChannelOp> channels_; ///< by the proof's number
  SmallVector<End> ends_;                 ///< by the proof's node
  llvm::MapVector<Operation *, unsigned> loops_; ///< that send or receive, and their nodes
  SmallVector<std::pair<dist::ProgramOp, Sequence>> sequences_;
};

} // namespace

/// "receives @a", "sends @b": what a node does.
static std::string textOf(LivenessProof::Action action, StringRef channel) {
  static constexpr StringLiteral kVerbs[] = {"sends", "finishes sending", "receives", "releases",
                                             "takes a slot of"};
  return (kVerbs[unsigned(action)] + " @" + channel).str();
}

void PhaseProof::addEnd(dist::ChannelEndOpInterface end, dist::ProgramOp program, uint32_t number,
                        Sequence &sequence) {
  for (FlatSymbolRefAttr name : end.getUsedChannels()) {
    auto found = channelOf_.find(name.getValue());
    if (found == channelOf_.end())
      continue; // the symbol verifier has refused it
    // The control message that a program sends to itself goes from instance 0 to the others: no
    // instance waits for itself.
    dist::ChannelOp channel = channels_[found->second];
    if (channel.getControl() && channel.getFrom() == channel.getTo())
      continue;
    auto action = LivenessProof::Action(unsigned(end.getChannelEnd()));
    sequence.push_back(liveness_.append(number, action, found->second));
    ends_.push_back({end, program.getSymName(), name.getValue(), action});
  }
}

void PhaseProof::addProgram(dist::ProgramOp program) {
  Sequence &sequence = sequences_.emplace_back(program, Sequence()).second;
  uint32_t number = liveness_.addProgram();
  for (Operation &inner : program.getBlock()) {
    if (auto end = dyn_cast<dist::ChannelEndOpInterface>(inner))
      addEnd(end, program, number, sequence);
    auto loop = loops_.find(&inner);
    if (loop == loops_.end())
      continue;
    liveness_.appendLoops(number, loop->second);
    sequence.push_back(loop->second);
    const uint32_t iteration = liveness_.addProgram();
    for (auto end : dist::getLoopBody(&inner)->getOps<dist::ChannelEndOpInterface>())
      addEnd(end, program, iteration, sequence);
  }
}

void PhaseProof::fill() {
  static_assert(unsigned(dist::ChannelEnd::Send) == unsigned(LivenessProof::Action::Send) &&
                unsigned(dist::ChannelEnd::Complete) == unsigned(LivenessProof::Action::SendDone) &&
                unsigned(dist::ChannelEnd::Receive) == unsigned(LivenessProof::Action::Receive) &&
                unsigned(dist::ChannelEnd::Release) == unsigned(LivenessProof::Action::Release) &&
                unsigned(dist::ChannelEnd::Acquire) == unsigned(LivenessProof::Action::Acquire));
  llvm::StringMap<dist::ProgramOp> programs;
  for (auto program : module_.getOps<dist::ProgramOp>())
    if (program.getPhase() == phase_.getSymName())
      programs[program.getSymName()] = program;
  llvm::DenseSet<Attribute> ahead;
  for (auto &[name, program] : programs)
    for (auto send : program.getBlock().getOps<dist::SendStartOp>())
      if (send.getAhead())
        ahead.insert(send.getChannelAttr());
  for (auto channel : module_.getOps<dist::ChannelOp>())
    if (programs.contains(channel.getFrom()) || programs.contains(channel.getTo())) {
      // What is sent ahead is there before the first step.
      uint32_t tokens = ahead.contains(FlatSymbolRefAttr::get(channel.getSymNameAttr()));
      // A conflating channel never makes its sender wait. Proven with every instance among the
      // chosen: fewer wait for fewer.
      uint32_t capacity =
          channel.getConflating() ? UINT32_MAX / 2 : uint32_t(channel.getCapacity());
      channelOf_[channel.getSymName()] =
          liveness_.addChannel(capacity, tokens, channel.getZeroCopy());
      channels_.push_back(channel);
    }
  loops_ = numberLoops(module_, phase_);
  for (auto &[loop, number] : loops_) // the proof's first nodes, in the order of their numbers
    if (number == ends_.size()) {
      liveness_.addLoops();
      ends_.push_back({loop, {}, {}, LivenessProof::Action::Send});
    }
  for (auto program : module_.getOps<dist::ProgramOp>())
    if (program.getPhase() == phase_.getSymName())
      addProgram(program);
}

llvm::SetVector<dist::ChannelOp>
PhaseProof::findBorrows(ArrayRef<LivenessProof::Step> cycle) const {
  llvm::SetVector<dist::ChannelOp> found;
  for (const LivenessProof::Step &step : cycle)
    if (step.reason == LivenessProof::Reason::Borrow ||
        step.reason == LivenessProof::Reason::Capacity)
      if (dist::ChannelOp channel = channels_[channelOf_.lookup(ends_[step.node].channel)];
          channel.getZeroCopy())
        found.insert(channel);
  return found;
}

void PhaseProof::leaveProof(ArrayRef<uint32_t> ranks) {
  for (auto &[program, sequence] : sequences_)
    if (program.getArenaBytes())
      program->setAttr(kEventRanks,
                       DenseI32ArrayAttr::get(module_.getContext(),
                                              llvm::map_to_vector(sequence, [&](uint32_t node) {
                                                return int32_t(ranks[node]);
                                              })));
}

FailureOr<bool> PhaseProof::run(llvm::function_ref<void(dist::ChannelOp)> copyInstead) {
  fill();
  LivenessProof::Result result = liveness_.check();
  for (const LivenessProof::Mismatch &mismatch : result.mismatches)
    if (failed(reportMismatch(mismatch)))
      return failure();
  if (llvm::SetVector<dist::ChannelOp> borrows = findBorrows(result.cycle);
      copyInstead && !borrows.empty()) {
    llvm::for_each(borrows, copyInstead);
    return false;
  }
  if (!result.cycle.empty())
    return reportCycle(result.cycle);
  leaveProof(result.ranks);
  return true;
}

LogicalResult PhaseProof::reportMismatch(const LivenessProof::Mismatch &mismatch) {
  dist::ChannelOp channel = channels_[mismatch.channel];
  InFlightDiagnostic diag =
      channel.emitOpError("carries ")
      << mismatch.sends << " message(s) a step, but " << mismatch.receives
      << " are received, so that the programs part ways; expected as many receives as sends";
  for (const End &end : ends_)
    if (end.channel == channel.getSymName() &&
        (end.action == LivenessProof::Action::Send || end.action == LivenessProof::Action::Receive))
      diag.attachNote(end.op->getLoc())
          << "@" << end.program << " " << textOf(end.action, end.channel) << " here";
  return diag;
}

/// That program's loop of those that run together.
Operation *PhaseProof::findLoop(uint32_t node, StringRef program) const {
  for (auto [loop, number] : loops_)
    if (number == node && loop->getParentOfType<dist::ProgramOp>().getSymName() == program)
      return loop;
  return ends_[node].op;
}

/// One line an edge, at the place of what has to wait.
void PhaseProof::describe(InFlightDiagnostic &diag, const End &before, const End &after,
                          LivenessProof::Reason reason) {
  if (after.isLoop()) {
    diag.attachNote(findLoop(uint32_t(&after - ends_.begin()), before.program)->getLoc())
        << "@" << before.program << " repeats this, only after it "
        << textOf(before.action, before.channel);
    return;
  }
  Diagnostic &note = diag.attachNote(after.op->getLoc());
  note << "@" << after.program << " " << textOf(after.action, after.channel) << " here, ";
  switch (reason) {
  case LivenessProof::Reason::Loop:
    note << "only behind its loop, which waits until the others begin theirs";
    return;
  case LivenessProof::Reason::Order:
    note << "only after it " << textOf(before.action, before.channel);
    return;
  case LivenessProof::Reason::Message:
    note << "which waits until @" << before.program << " " << textOf(before.action, before.channel);
    return;
  case LivenessProof::Reason::Capacity:
    note << "which waits until @" << before.program << " " << textOf(before.action, before.channel)
         << " and makes room for it";
    return;
  case LivenessProof::Reason::Borrow:
    note << "which waits until @" << before.program << " " << textOf(before.action, before.channel)
         << ", whose memory it reads in place";
    return;
  }
}

LogicalResult PhaseProof::reportLoops(ArrayRef<LivenessProof::Step> cycle) {
  Operation *first = ends_[cycle.front().node].op;
  InFlightDiagnostic diag = first->emitOpError(
      "can never begin: loops that send to each other run together, and one of these waits "
      "for the end of another");
  for (auto [loop, number] : loops_)
    if (loop != first &&
        llvm::any_of(cycle, [&](const LivenessProof::Step &step) { return step.node == number; }))
      diag.attachNote(loop->getLoc()) << "another is here";
  return diag;
}

LogicalResult PhaseProof::reportCycle(ArrayRef<LivenessProof::Step> cycle) {
  if (llvm::all_of(cycle,
                   [&](const LivenessProof::Step &step) { return ends_[step.node].isLoop(); }))
    return reportLoops(cycle);
  // Each program's part of the cycle is one statement, from the operation where the cycle enters it
  // to where it leaves. The description starts at the first program's entry.
  auto isEntry = [&](size_t i) {
    return cycle[(i + cycle.size() - 1) % cycle.size()].reason != LivenessProof::Reason::Order &&
           !ends_[cycle[i].node].isLoop();
  };
  size_t start = cycle.size();
  for (size_t i = 0; i < cycle.size(); ++i)
    if (isEntry(i) && (start == cycle.size() || cycle[i].node < cycle[start].node))
      start = i;
  SmallVector<LivenessProof::Step> steps;
  for (size_t i = 0; i < cycle.size(); ++i) {
    const LivenessProof::Step &step = cycle[(start + i) % cycle.size()];
    if (steps.empty() || steps.back().reason != LivenessProof::Reason::Order ||
        step.reason != LivenessProof::Reason::Order)
      steps.push_back(step);
  }
  const End &first = ends_[steps.front().node];
  SmallVector<StringRef> names;
  for (const LivenessProof::Step &step : steps)
    if (!ends_[step.node].isLoop() && !llvm::is_contained(names, ends_[step.node].program))
      names.push_back(ends_[step.node].program);

  InFlightDiagnostic diag = emitError(first.op->getLoc());
  if (names.size() == 1)
    diag << "program @" << names.front() << " waits for itself, so the step can never end";
  else {
    diag << "programs ";
    for (auto [i, name] : llvm::enumerate(names))
      diag << (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") << "@" << name;
    diag << " wait for each other in a circle, so the step can never end";
  }
  diag << "; one of them has to send before it receives";
  for (auto [i, step] : llvm::enumerate(steps))
    describe(diag, ends_[step.node], ends_[steps[(i + 1) % steps.size()].node], step.reason);
  return diag;
}

/// A phase that ends by end of stream ends in the program whose update ticket is refused and from
/// there along its channels: each program that finds one closed closes its own. A program that none
/// leads to would go on for ever.
static LogicalResult verifyEndIsHeard(ModuleOp module, dist::PhaseOp phase) {
  dist::TicketOp ticket;
  SmallVector<dist::ProgramOp> programs;
  for (auto program : module.getOps<dist::ProgramOp>())
    if (program.getPhase() == phase.getSymName()) {
      programs.push_back(program);
      for (auto op : program.getBlock().getOps<dist::TicketOp>())
        ticket = op;
    }
  if (!ticket)
    return success(); // verify-partitioned refuses it
  StringRef source = ticket->getParentOfType<dist::ProgramOp>().getSymName();
  SmallVector<StringRef> heard{source};
  for (size_t i = 0; i < heard.size(); ++i)
    for (auto channel : module.getOps<dist::ChannelOp>())
      if (channel.getFrom() == heard[i] && !llvm::is_contained(heard, channel.getTo()))
        heard.push_back(channel.getTo());
  for (dist::ProgramOp program : programs)
    if (!llvm::is_contained(heard, program.getSymName())) {
      InFlightDiagnostic diag =
          program.emitOpError("never learns that phase @")
          << phase.getSymName() << " is over: no channel leads to it from @" << source
          << "; each step has to send it a value of that task, such as a variable that it reads";
      diag.attachNote(ticket.getLoc()) << "the end begins here, where no update ticket is left";
      return diag;
    }
  return success();
}

/// Tries until there is a proof: each time a cycle goes through a loan of memory, that channel is
/// copied from then on.
LogicalResult verifyLiveness(ModuleOp module, dist::PhaseOp phase,
                             llvm::function_ref<void(dist::ChannelOp)> copyInstead) {
  for (bool proven = false; !proven;) {
    FailureOr<bool> done = PhaseProof(module, phase).run(copyInstead);
    if (failed(done))
      return failure();
    proven = *done;
  }
  return phase.getEndsByEndOfStream() ? verifyEndIsHeard(module, phase) : success();
}

} // namespace graphc
