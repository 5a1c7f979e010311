#include "passes/schedule/Queues.h"

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
struct Place {
  Value memory; ///< null: an arena
  bool host;
  uint64_t begin, end;
  bool meets(const Place &other) const {
    return memory == other.memory && host == other.host && begin < other.end && other.begin < end;
  }
  bool covers(const Place &other) const { return begin <= other.begin && other.end <= end; }
};

class QueueFiller {
public:
  QueueFiller(dist::ProgramOp program, const SymbolTable &symbols) : program(program), uses(program, symbols) {}

  FailureOr<unsigned> run() {
    Operation *end = program.getBlock().getTerminator();
    if (Operation *word = end->getPrevNode(); word && isa<dist::ControlReceiveOp>(word))
      end = word;
    for (Operation &op : llvm::make_early_inc_range(program.getBlock())) {
      if (&op == end)
        break;
      if (!isDeclaration(op) && failed(add(&op)))
        return failure();
    }
    for (unsigned queue = Compute; queue < kDoers; ++queue)
      if (!items[queue].empty())
        know(Program, queue, unsigned(items[queue].size()), end);
    number();
    return waits;
  }

private:
  struct Access {
    Place place;
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
  Place placeOf(Value root) const;
  LogicalResult add(Operation *op);
  void touch(Operation *op, unsigned doer, const Place &place, bool written);
  /// `doer` comes after item `item` of `queue`: what it lacks is a wait in front of `op`.
  void know(unsigned doer, unsigned queue, unsigned item, Operation *op);
  void number();

  dist::ProgramOp program;
  BufferUses uses;
  std::array<Known, kDoers> known{};
  std::array<SmallVector<Item>, kDoers> items;
  std::array<std::map<unsigned, Signal>, kDoers> signals; ///< by the last item that they cover
  SmallVector<Access> accesses; ///< of queues, that the program does not know to be done
  llvm::DenseMap<Attribute, Value> messages; ///< by channel
  unsigned waits = 0;
};

} // namespace

unsigned QueueFiller::doerOf(Operation *op) {
  if (isa<dist::CallOp, dist::LibraryCallOp>(op))
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

Place QueueFiller::placeOf(Value root) const {
  auto buffer = root.getDefiningOp<dist::BufferOp>();
  if (!buffer)
    return {root, false, 0, 1};
  return {Value(), buffer.getHost(), *buffer.getOffset(), *buffer.getOffset() + dist::getBufferBytes(root)};
}

void QueueFiller::know(unsigned doer, unsigned queue, unsigned item, Operation *op) {
  if (known[doer][queue] >= item)
    return;
  auto signal = signals[queue].lower_bound(item);
  if (signal == signals[queue].end()) {
    const Item &last = items[queue][item - 1];
    OpBuilder builder(last.op->getContext());
    builder.setInsertionPointAfter(last.op);
    auto made = dist::SignalOp::create(builder, last.op->getLoc(), queue, 1);
    signal = signals[queue].emplace(item, Signal{made, last.known}).first;
  }
  OpBuilder builder(op);
  IntegerAttr by = doer == Program ? IntegerAttr() : builder.getI64IntegerAttr(doer);
  signal->second.waits.push_back(
      dist::WaitOp::create(builder, op->getLoc(), builder.getI64IntegerAttr(queue), builder.getI64IntegerAttr(1), by));
  ++waits;
  for (unsigned i = Compute; i < kDoers; ++i)
    known[doer][i] = std::max(known[doer][i], signal->second.known[i]);
}

void QueueFiller::touch(Operation *op, unsigned doer, const Place &place, bool written) {
  for (const Access &before : accesses)
    if ((written || before.written) && before.queue != doer && place.meets(before.place))
      know(doer, before.queue, before.item, op);
  llvm::erase_if(accesses, [&](const Access &before) {
    return known[Program][before.queue] >= before.item || ((written || (before.queue == doer && !before.written)) &&
                                                           place.meets(before.place) && place.covers(before.place));
  });
}

LogicalResult QueueFiller::add(Operation *op) {
  FailureOr<SmallVector<BufferUse>> touched = uses.get(op);
  if (failed(touched))
    return failure();
  if (auto receive = dyn_cast<dist::ReceiveOp>(op))
    messages[receive.getChannelAttr()] = receive.getValue();
  const unsigned doer = doerOf(op);
  if (doer != Program) // it is given after all that the program knows
    for (unsigned i = Compute; i < kDoers; ++i)
      known[doer][i] = std::max(known[doer][i], known[Program][i]);
  for (const BufferUse &use : *touched)
    touch(op, doer, placeOf(use.root), use.written);
  if (auto release = dyn_cast<dist::ReleaseOp>(op))
    touch(op, Program, placeOf(messages.lookup(release.getChannelAttr())), /*written=*/true);
  if (doer == Program)
    return success();
  op->setAttr("queue", Builder(op->getContext()).getI64IntegerAttr(doer));
  const unsigned item = unsigned(items[doer].size()) + 1;
  known[doer][doer] = item;
  items[doer].push_back({op, known[doer]});
  for (const BufferUse &use : *touched)
    accesses.push_back({placeOf(use.root), doer, item, use.written});
  return success();
}

/// Signals count in the order of the program.
void QueueFiller::number() {
  for (unsigned queue = Compute; queue < kDoers; ++queue)
    for (auto [i, signal] : llvm::enumerate(signals[queue])) {
      signal.second.op.setN(i + 1);
      for (dist::WaitOp wait : signal.second.waits)
        wait.setN(i + 1);
    }
}

FailureOr<unsigned> fillQueues(dist::ProgramOp program, const SymbolTable &symbols) {
  return QueueFiller(program, symbols).run();
}

} // namespace graphc
