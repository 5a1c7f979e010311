#include "passes/schedule/AssignQueues.h"

#include "passes/schedule/BufferUses.h"

#include <array>
#include <map>

using namespace mlir;

namespace graphc {

namespace {

enum Doer : unsigned { Program, Compute, CopyIn, CopyOut, kDoers };
/// How much of each queue is known to be done: its items, counted from 1.
using Known = std::array<unsigned, kDoers>;

/// A range of bytes of the host's arena, the device's, or of other memory by its name.
struct ByteRange {
  Value memory; ///< null: an arena
  bool host;
  uint64_t begin, end;
  bool meets(const ByteRange &other) const {
    return memory == other.memory && host == other.host && begin < other.end && other.begin < end;
  }
  bool covers(const ByteRange &other) const { return begin <= other.begin && other.end <= end; }
};

class QueueFiller {
public:
  QueueFiller(dist::ProgramOp program, const SymbolTable &symbols)
      : program_(program), uses_(program, symbols) {}

  FailureOr<unsigned> run() {
    Operation *end = program_.getBlock().getTerminator();
    if (Operation *word = end->getPrevNode(); word && isa<dist::ControlReceiveOp>(word))
      end = word;
    for (Operation &op : llvm::make_early_inc_range(program_.getBlock())) {
      if (&op == end)
        break;
      auto repeat = dyn_cast<dist::RepeatOp>(op);
      if (!isDeclaration(op) && failed(repeat ? addLoop(repeat) : add(&op)))
        return failure();
    }
    for (unsigned queue = Compute; queue < kDoers; ++queue)
      if (!items_[queue].empty())
        know(Program, queue, unsigned(items_[queue].size()), OpBuilder(end), end->getLoc());
    number();
    return waits_;
  }

private:
  struct Access {
    ByteRange place;
    unsigned queue, item;
    bool written;
  };
  struct Item {
    Operation *op;
    Known known; ///< when it was given, with itself
  };
  struct Signal {
    dist::SignalOp op;
    Known known;
    SmallVector<dist::WaitOp> waits = {};
  };

  static unsigned doerOf(Operation *op);
  ByteRange placeOf(Value root) const;
  LogicalResult add(Operation *op);
  LogicalResult addLoop(dist::RepeatOp repeat);
  LogicalResult waitForNextTime(Block &body);
  static void learn(Known &known, const Known &more) {
    for (unsigned i = Compute; i < kDoers; ++i)
      known[i] = std::max(known[i], more[i]);
  }
  /// Of earlier accesses those that the program knows to be done, and those that whoever comes
  /// behind this one comes behind too.
  static void forget(SmallVector<Access> &accesses, const Known &program, unsigned doer,
                     const ByteRange &place, bool written);
  /// Of earlier accesses, what somebody who knows so much has to come after before he touches the
  /// place.
  static void need(const SmallVector<Access> &accesses, const Known &known, unsigned doer,
                   const ByteRange &place, bool written, Known &needed);
  /// `doer` comes after these items of each queue: what it lacks is waits there.
  void know(unsigned doer, const Known &needed, OpBuilder there, Location loc);
  void know(unsigned doer, unsigned queue, unsigned item, OpBuilder there, Location loc);
  void number();

  dist::ProgramOp program_;
  BufferUses uses_;
  std::array<Known, kDoers> known_{};
  std::array<SmallVector<Item>, kDoers> items_;
  std::array<std::map<unsigned, Signal>, kDoers> signals_; ///< by the last item that they cover
  SmallVector<Access> accesses_; ///< of queues, that the program does not know to be done
  llvm::DenseMap<Attribute, Value> messages_; ///< by channel
  unsigned waits_ = 0;
};

} // namespace

unsigned QueueFiller::doerOf(Operation *op) {
  if (isa<dist::CallOp, dist::LibraryCallOp, dist::AccumulateOp>(op))
    return Compute;
  auto copy = dyn_cast<dist::CopyOp>(op);
  if (!copy)
    return Program;
  Value to = copy.getTo();
  while (auto view = to.getDefiningOp<dist::ViewOp>())
    to = view.getSource();
  auto buffer = to.getDefiningOp<dist::BufferOp>();
  return (buffer && buffer.getHost()) || to.getDefiningOp<dist::AcquireOp>() ? CopyOut : CopyIn;
}

ByteRange QueueFiller::placeOf(Value root) const {
  auto buffer = root.getDefiningOp<dist::BufferOp>();
  if (!buffer)
    return {root, false, 0, 1};
  return {Value(), buffer.getHost(), *buffer.getOffset(),
          *buffer.getOffset() + dist::getBufferBytes(root)};
}

void QueueFiller::know(unsigned doer, unsigned queue, unsigned item, OpBuilder there,
                       Location loc) {
  if (known_[doer][queue] >= item)
    return;
  auto signal = signals_[queue].lower_bound(item);
  if (signal == signals_[queue].end()) {
    const Item &last = items_[queue][item - 1];
    OpBuilder builder(last.op->getContext());
    builder.setInsertionPointAfter(last.op);
    auto made = dist::SignalOp::create(builder, last.op->getLoc(), queue, 1);
    signal = signals_[queue].emplace(item, Signal{made, last.known}).first;
  }
  IntegerAttr by = doer == Program ? IntegerAttr() : there.getI64IntegerAttr(doer);
  signal->second.waits.push_back(dist::WaitOp::create(there, loc, there.getI64IntegerAttr(queue),
                                                      there.getI64IntegerAttr(1), by));
  ++waits_;
  learn(known_[doer], signal->second.known);
}

void QueueFiller::forget(SmallVector<Access> &accesses, const Known &program, unsigned doer,
                         const ByteRange &place, bool written) {
  llvm::erase_if(accesses, [&](const Access &before) {
    return program[before.queue] >= before.item ||
           ((written || (before.queue == doer && !before.written)) && place.meets(before.place) &&
            place.covers(before.place));
  });
}

void QueueFiller::need(const SmallVector<Access> &accesses, const Known &known, unsigned doer,
                       const ByteRange &place, bool written, Known &needed) {
  for (const Access &before : accesses)
    if ((written || before.written) && before.queue != doer && place.meets(before.place) &&
        known[before.queue] < before.item)
      needed[before.queue] = std::max(needed[before.queue], before.item);
}

void QueueFiller::know(unsigned doer, const Known &needed, OpBuilder there, Location loc) {
  for (unsigned queue = Compute; queue < kDoers; ++queue) {
    const bool saysAnother =
        llvm::any_of(llvm::seq<unsigned>(Compute, kDoers), [&](unsigned other) {
          return other != queue && needed[other] &&
                 items_[other][needed[other] - 1].known[queue] >= needed[queue];
        });
    if (needed[queue] && !saysAnother)
      know(doer, queue, needed[queue], there, loc);
  }
}

LogicalResult QueueFiller::add(Operation *op) {
  FailureOr<SmallVector<BufferUse>> touched = uses_.get(op);
  if (failed(touched))
    return failure();
  if (auto receive = dyn_cast<dist::ReceiveOp>(op))
    messages_[receive.getChannelAttr()] = receive.getValue();
  const unsigned doer = doerOf(op);
  if (doer != Program) // it is given after all that the program knows
    learn(known_[doer], known_[Program]);
  SmallVector<std::pair<ByteRange, bool>> places; // whether they are written
  for (const BufferUse &use : *touched)
    places.emplace_back(placeOf(use.root), use.written);
  if (auto release = dyn_cast<dist::ReleaseOp>(op))
    places.emplace_back(placeOf(messages_.lookup(release.getChannelAttr())), true);
  Known needed{};
  for (const auto &[place, written] : places)
    need(accesses_, known_[doer], doer, place, written, needed);
  know(doer, needed, OpBuilder(op), op->getLoc());
  for (const auto &[place, written] : places)
    forget(accesses_, known_[Program], doer, place, written);
  if (doer == Program)
    return success();
  op->setAttr("queue", Builder(op->getContext()).getI64IntegerAttr(doer));
  const unsigned item = unsigned(items_[doer].size()) + 1;
  known_[doer][doer] = item;
  items_[doer].push_back({op, known_[doer]});
  for (const auto &[place, written] : places)
    accesses_.push_back({place, doer, item, written});
  return success();
}

/// The body as if it stood there once. Then what its next time would touch of this one's work while
/// a queue may still be at it is waited for at its end: every later time is to the one before it
/// what the second is to the first, and what stands behind the loop follows the last time as it
/// would the first.
LogicalResult QueueFiller::addLoop(dist::RepeatOp repeat) {
  Block &body = repeat.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body))
    if (!isDeclaration(op) && failed(add(&op)))
      return failure();
  return repeat.getCount() == 1 ? success() : waitForNextTime(body);
}

LogicalResult QueueFiller::waitForNextTime(Block &body) {
  struct Next {
    std::array<Known, kDoers> known;
    std::array<unsigned, kDoers> items;
    SmallVector<Access> accesses; ///< of the time before, that nobody in this one has come behind
    llvm::DenseMap<Operation *, Known> signals; ///< those of this time
  } next;
  next.known = known_;
  next.accesses = accesses_;
  for (unsigned queue = Compute; queue < kDoers; ++queue)
    next.items[queue] = unsigned(items_[queue].size());
  llvm::DenseMap<Operation *, const Signal *> signalOf; // by wait
  for (auto &ofQueue : signals_)
    for (auto &[item, signal] : ofQueue)
      for (dist::WaitOp wait : signal.waits)
        signalOf[wait] = &signal;
  std::array<Known, kDoers> needed{}; // by who
  for (Operation *op : llvm::map_to_vector(body, [](Operation &op) { return &op; })) {
    if (isDeclaration(*op))
      continue;
    if (auto signal = dyn_cast<dist::SignalOp>(op)) {
      next.signals[op] = next.known[signal.getQueue()];
      continue;
    }
    if (auto wait = dyn_cast<dist::WaitOp>(op)) {
      const Signal &of = *signalOf.lookup(op);
      auto now = next.signals.find(of.op);
      learn(next.known[wait.getQueue().value_or(Program)],
            now == next.signals.end() ? of.known : now->second);
      continue;
    }
    FailureOr<SmallVector<BufferUse>> touched = uses_.get(op);
    if (failed(touched))
      return failure();
    const unsigned doer = doerOf(op);
    if (doer != Program)
      learn(next.known[doer], next.known[Program]);
    Known now{};
    for (const BufferUse &use : *touched)
      need(next.accesses, next.known[doer], doer, placeOf(use.root), use.written, now);
    for (unsigned queue = Compute; queue < kDoers; ++queue)
      if (now[queue]) {
        needed[doer][queue] = std::max(needed[doer][queue], now[queue]);
        learn(next.known[doer], items_[queue][now[queue] - 1].known);
      }
    for (const BufferUse &use : *touched)
      forget(next.accesses, next.known[Program], doer, placeOf(use.root), use.written);
    if (doer != Program)
      next.known[doer][doer] = ++next.items[doer];
  }
  // Queues right behind the last work: what they are given then belongs to its segment.
  Operation *last = &body.back();
  OpBuilder behindWork(last->getContext()), atEnd = OpBuilder::atBlockEnd(&body);
  while (last->getPrevNode() && doerOf(last) == Program && !isa<dist::SignalOp>(last))
    last = last->getPrevNode();
  behindWork.setInsertionPointAfter(last);
  for (unsigned doer : {Compute, CopyIn, CopyOut, Program})
    know(doer, needed[doer], doer == Program ? atEnd : behindWork, last->getLoc());
  return success();
}

/// Signals count in the order of the program.
void QueueFiller::number() {
  for (unsigned queue = Compute; queue < kDoers; ++queue)
    for (auto [i, signal] : llvm::enumerate(signals_[queue])) {
      signal.second.op.setN(i + 1);
      for (dist::WaitOp wait : signal.second.waits)
        wait.setN(i + 1);
    }
}

FailureOr<unsigned> fillQueues(dist::ProgramOp program, const SymbolTable &symbols) {
  return QueueFiller(program, symbols).run();
}

} // namespace graphc
