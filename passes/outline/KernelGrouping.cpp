#include "passes/outline/KernelGrouping.h"

#include "dialects/graph/DiscardableAttributes.h"
#include "dialects/graph/LoopPartsInterface.h"
#include "passes/outline/ScalarBody.h"
#include "passes/outline/SplitKernels.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

#include <limits>
#include <map>
#include <numeric>
#include <queue>

using namespace mlir;

namespace graphc {

using namespace graph;

/// Who looks at the memory of a variable for this read: its users, and those of other shapes of the
/// same memory. For what is inside of a loop the loop stands.
static SmallVector<Operation *> getReaders(ReadOp read) {
  Block &block = *read->getBlock();
  SmallVector<Operation *> readers(read->getUsers());
  for (size_t i = 0; i < readers.size(); ++i)
    if (isView(readers[i]))
      readers.append(readers[i]->user_begin(), readers[i]->user_end());
  for (Operation *&reader : readers)
    reader = block.findAncestorOpInBlock(*reader);
  return readers;
}

ProgramGraph::Kind ProgramGraph::classify(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() || (isa<ReadOp>(op) && !copied_.contains(op)))
    return Kind::Free;
  if (auto library = dyn_cast<LibraryKernelOpInterface>(op);
      library && !kind_.empty() && !library.getLibraryKernel(kind_).empty())
    return Kind::Library;
  return isa<ReadOp>(op) || (isComputed(op) && !isView(op)) ? Kind::Compute : Kind::Other;
}

/// What the library does as its last steps becomes part of the call, where nothing else sees what
/// is between.
void ProgramGraph::absorbIntoLibrary(LibraryKernelOpInterface call) {
  unsigned index = indexOf_[call];
  SmallVector<StringRef> taken;
  for (Operation *last = call; last->getNumResults() == 1 && last->getResult(0).hasOneUse();) {
    OpOperand &use = *last->getResult(0).use_begin();
    auto post = dyn_cast<LibraryPostOpInterface>(use.getOwner());
    if (!post || &post.getPostOpInput() != &use ||
        !call.takesPostOp(call.getLibraryKernel(kind_), post.getPostOpName(), taken))
      return;
    taken.push_back(post.getPostOpName());
    absorbed_[index].push_back(post);
    indexOf_[post] = index;
    last = post;
  }
}

ProgramGraph::ProgramGraph(Block &block, StringRef kind) : kind_(kind) {
  if (auto program = dyn_cast<dist::ProgramOp>(block.getParentOp()))
    goesAgain_ =
        SymbolTable::lookupNearestSymbolFrom<dist::PhaseOp>(program, program.getPhaseAttr())
            .getEndsByEndOfStream();
  DenseMap<Attribute, SmallVector<Operation *>> writes;
  DenseMap<Operation *, unsigned> place;
  for (Operation &op : block.without_terminator()) {
    place[&op] = unsigned(ops_.size());
    indexOf_[&op] = unsigned(ops_.size());
    ops_.push_back(&op);
    for (FlatSymbolRefAttr name : getWrittenVariables(&op))
      writes[name].push_back(&op);
  }
  // A user that stands behind a later write of what was read needs the old value kept, and so does
  // the host, which looks behind the step.
  for (Operation *op : ops_)
    if (auto read = dyn_cast<ReadOp>(op))
      for (Operation *write : writes[read.getVariableAttr()])
        if (place[write] > place[read] && llvm::any_of(getReaders(read), [&](Operation *user) {
              return place[user] > place[write] || isa<dist::FetchOp, dist::MetricOp>(user);
            }))
          copied_.insert(read);
  absorbed_.resize(ops_.size());
  for (Operation *op : ops_)
    kinds_.push_back(classify(op));
  for (Operation *op : ops_)
    if (kinds_[place[op]] == Kind::Library)
      absorbIntoLibrary(cast<LibraryKernelOpInterface>(op));
  findSections();
  findDependences();
  addStateDependences();
  depths_.assign(ops_.size(), -1);
  for (unsigned op = 0; op < ops_.size(); ++op)
    if (kinds_[op] != Kind::Free)
      getDepth(indexOf_[ops_[op]]);
  sinkCheapOps();
  makeGroups();
  sortGroups();
  joinSmallUpdates();
}

/// One ends behind sums that are kept, where computing goes on.
void ProgramGraph::findSections() {
  unsigned section = 0;
  bool kept = false;
  for (auto [op, kind] : llvm::zip_equal(ops_, kinds_)) {
    const bool isKept = op->hasAttr(kKept), goesOn = kept && !isKept && kind == Kind::Compute;
    section += goesOn;
    kept = isKept || (kept && !goesOn);
    sections_.push_back(section);
  }
}

/// Elements of the largest tensor, or iterations, from which on threads share a kernel.
constexpr int64_t kLong = 64 * 1024;
/// Neighbouring elements of a row that a thread takes at least, twice: what threads share by
/// columns has so many (KernelBlocks.cpp).
constexpr int64_t kLeastColumns = 96;

/// Loops of an op's own that are long and have parts are a kernel by themselves. Threads share the
/// parts then; and other loops beside them, which have no block loop in common with them, are cut
/// into blocks of their own.
static bool isAlone(Operation *op) {
  auto isLong = [](Type type) { return cast<RankedTensorType>(type).getNumElements() >= kLong; };
  return getLoopParts(op) > 1 && (llvm::any_of(op->getOperandTypes(), isLong) ||
                                  llvm::any_of(op->getResultTypes(), isLong));
}

/// An operation's loops: how often their body runs, and which is the outermost that runs more than
/// once.
struct Extent {
  int64_t iterations = 1;
  unsigned outermost = 0;
};
static Extent extentOf(Operation *op, const LoopNest &nest) {
  const SmallVector<int64_t> sizes = getLoopSizes(op, nest);
  Extent extent;
  while (extent.outermost + 1 < sizes.size() && sizes[extent.outermost] == 1)
    ++extent.outermost;
  for (int64_t size : sizes)
    extent.iterations *= size;
  return extent;
}

/// Whether the op is a long reduction whose loops threads could share: by rows or, where rows are
/// added, by columns.
static bool isLongReduction(Operation *op) {
  auto isLong = [&](const LoopNest &nest) {
    return nest.isReduction() && extentOf(op, nest).iterations >= kLong &&
           llvm::any_of(llvm::zip_equal(nest.iterators, getLoopSizes(op, nest)), [](auto loop) {
             return std::get<0>(loop) == utils::IteratorType::parallel &&
                    std::get<1>(loop) >= kLeastColumns;
           });
  };
  return llvm::any_of(cast<StructuredOpInterface>(op).getLoopNests(), isLong);
}

/// Whether the op makes one number, of few, or each of few numbers by itself for one that does:
/// their squares, say.
static bool makesOneOfFew(Operation *op, unsigned steps = 3) {
  auto structured = dyn_cast<StructuredOpInterface>(op);
  if (!structured || op->getNumResults() != 1)
    return false;
  bool isElementwise = true, isReduction = false;
  for (const LoopNest &nest : structured.getLoopNests()) {
    if (extentOf(op, nest).iterations >= kLong)
      return false;
    isElementwise &= nest.isElementwise();
    isReduction |= nest.isReduction();
  }
  if (isReduction)
    return cast<RankedTensorType>(op->getResult(0).getType()).getNumElements() == 1;
  return isElementwise && steps > 0 && llvm::any_of(op->getUsers(), [&](Operation *user) {
           return makesOneOfFew(user, steps - 1);
         });
}

static bool isLong(Operation *op) {
  auto structured = dyn_cast<StructuredOpInterface>(op);
  return structured && llvm::any_of(structured.getLoopNests(), [&](const LoopNest &nest) {
           return extentOf(op, nest).iterations >= kLong;
         });
}

/// Whether the op adds many rows: threads share the columns.
static bool addsRows(Operation *op) {
  auto structured = dyn_cast<StructuredOpInterface>(op);
  return structured && llvm::any_of(structured.getLoopNests(), [&](const LoopNest &nest) {
           const Extent extent = extentOf(op, nest);
           return nest.isReduction() && extent.iterations >= kLong &&
                  nest.iterators[extent.outermost] == utils::IteratorType::reduction &&
                  llvm::is_contained(nest.iterators, utils::IteratorType::parallel);
         });
}

static bool isElementwise(Operation *op) {
  auto structured = dyn_cast<StructuredOpInterface>(op);
  return structured &&
         llvm::all_of(structured.getLoopNests(), std::mem_fn(&LoopNest::isElementwise));
}

/// Whether `user` adds the rows of what `def` makes, which is in memory for others too, a library
/// say. Threads share the rows of the one and the columns of the other; in one kernel both are
/// shared by columns, or by nothing where `def` has sums along rows before it.
static bool addsRowsOf(Operation *def, Operation *user) {
  return isElementwise(def) && isLong(def) && addsRows(user) &&
         llvm::any_of(def->getUsers(),
                      [&](Operation *other) { return other != user && !isElementwise(other); });
}

/// Whether `user` takes all of what `def` makes in each step of its outermost loop, or makes few
/// numbers of it along that loop, or one of all of it. One kernel of both has no loop that threads
/// could share (KernelBlocks.h), where the long one alone has one.
static bool partsThreads(Operation *def, Operation *user) {
  constexpr int64_t kFew = 256; // elements: threads do not share these
  auto from = dyn_cast<StructuredOpInterface>(def), to = dyn_cast<StructuredOpInterface>(user);
  if (!from || !to || def->getNumResults() != 1)
    return false;
  if (addsRowsOf(def, user) || (isLongReduction(def) && makesOneOfFew(user)))
    return true;
  const Value value = def->getResult(0);
  for (const LoopNest &nest : to.getLoopNests()) {
    const Extent extent = extentOf(user, nest);
    if (!nest.isReduction()) {
      if (extent.iterations < kLong ||
          cast<RankedTensorType>(value.getType()).getNumElements() > kFew)
        continue;
      for (const LoopNest::Read &read : nest.reads)
        if (user->getOperand(read.operand) == value && !read.map.isFunctionOfDim(extent.outermost))
          return true;
    } else if (!nest.iterators.empty() &&
               nest.iterators[extent.outermost] == utils::IteratorType::reduction &&
               extent.iterations < kLong) {
      for (const LoopNest &before : from.getLoopNests())
        if (const Extent earlier = extentOf(def, before);
            before.isReduction() && earlier.iterations >= kLong &&
            before.iterators[earlier.outermost] == utils::IteratorType::parallel)
          return true;
    }
  }
  return false;
}

bool ProgramGraph::areApart(Operation *def, Operation *user) {
  return isAlone(def) || isAlone(user) || partsThreads(def, user);
}

void ProgramGraph::depend(unsigned op, Operation *on, bool separate) {
  auto found = indexOf_.find(on);
  if (found == indexOf_.end())
    return; // made outside of the loop
  unsigned index = found->second;
  separate |= goesAgain_ && !getWrittenVariables(ops_[op]).empty() &&
              llvm::any_of(on->getUsers(), [&](Operation *user) { return user != ops_[op]; });
  if (index != op && kinds_[index] != Kind::Free)
    dependences_[op].push_back(
        {index, separate || sections_[index] != sections_[op] || areApart(on, ops_[op]), false});
}

static bool isCommunication(Operation *op) {
  return isa<dist::ChannelEndOpInterface, dist::TicketOp>(op) || dist::isTalkingLoop(op);
}

void ProgramGraph::findDependences() {
  dependences_.resize(ops_.size());
  Operation *lastCommunication = nullptr;
  for (Operation *op : ops_) {
    unsigned index = indexOf_[op];
    for (Value operand : op->getOperands())
      depend(index, operand.getDefiningOp());
    if (isa<RepeatOp>(op)) {
      llvm::SetVector<Value> used;
      getUsedValuesDefinedAbove(op->getRegions(), used);
      for (Value value : used)
        depend(index, value.getDefiningOp());
    }
    if (!isCommunication(op))
      continue;
    if (lastCommunication)
      dependences_[index].push_back({indexOf_[lastCommunication], false, true});
    lastCommunication = op;
  }
}

/// Reads see the latest write before them in the text; a write waits for everybody who wants the
/// old value.
void ProgramGraph::addStateDependences() {
  struct State {
    Operation *lastWrite = nullptr;
    SmallVector<Operation *> readers; ///< since the last write
    /// likewise, through a view: to a kernel that is other memory
    SmallVector<Operation *> viewers;
  };
  DenseMap<Attribute, State> states;
  for (Operation *op : ops_) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      State &state = states[read.getVariableAttr()];
      if (copied_.contains(read)) {
        if (state.lastWrite)
          depend(indexOf_[read], state.lastWrite, /*separate=*/true);
        state.readers.push_back(read);
        continue;
      }
      for (Operation *user : getReaders(read)) {
        if (state.lastWrite)
          depend(indexOf_[user], state.lastWrite, /*separate=*/true);
        bool direct = llvm::is_contained(user->getOperands(), read.getResult());
        (direct ? state.readers : state.viewers).push_back(user);
      }
    }
    for (FlatSymbolRefAttr name : getWrittenVariables(op)) {
      State &state = states[name];
      for (Operation *reader : state.readers)
        depend(indexOf_[op], reader);
      for (Operation *viewer : state.viewers)
        depend(indexOf_[op], viewer, /*separate=*/true);
      if (state.lastWrite)
        depend(indexOf_[op], state.lastWrite);
      state = {op, {}, {}};
    }
  }
}

unsigned ProgramGraph::getDepth(unsigned op) {
  if (depths_[op] >= 0)
    return unsigned(depths_[op]);
  unsigned depth = 0;
  for (const Dependence &dependence : dependences_[op]) {
    bool from = kinds_[dependence.on] == Kind::Compute, to = kinds_[op] == Kind::Compute;
    depth = std::max(depth, getDepth(dependence.on) + unsigned(from != to || dependence.separate));
  }
  depths_[op] = int(depth);
  return depth;
}

/// What can be inlined moves to the kernel of its first user: a comparison whose mask is wanted in
/// the backward pass alone, an iota. Reductions stay, they make data smaller.
void ProgramGraph::sinkCheapOps() {
  SmallVector<SmallVector<Dependence>> users(ops_.size());
  for (unsigned op = 0; op < ops_.size(); ++op)
    for (const Dependence &dependence : dependences_[op])
      users[dependence.on].push_back({op, dependence.separate, dependence.inOrder});
  for (unsigned op = unsigned(ops_.size()); op-- > 0;) {
    if (kinds_[op] != Kind::Compute || !isInlinable(ops_[op]) || users[op].empty())
      continue;
    int latest = std::numeric_limits<int>::max();
    for (const Dependence &user : users[op])
      latest = std::min(
          latest, kinds_[user.on] == Kind::Compute ? depths_[user.on] - int(user.separate) : -1);
    depths_[op] = std::max(depths_[op], latest);
  }
}

unsigned ProgramGraph::find(unsigned op) {
  while (parents_[op] != op)
    op = parents_[op] = parents_[parents_[op]];
  return op;
}

void ProgramGraph::makeGroups() {
  parents_.resize(ops_.size());
  std::iota(parents_.begin(), parents_.end(), 0);
  for (unsigned op = 0; op < ops_.size(); ++op)
    if (kinds_[op] == Kind::Compute && indexOf_[ops_[op]] == op)
      for (const Dependence &dependence : dependences_[op])
        if (kinds_[dependence.on] == Kind::Compute && depths_[dependence.on] == depths_[op])
          parents_[find(op)] = find(dependence.on);
  DenseMap<unsigned, unsigned> groupOfRoot;
  groupOf_.assign(ops_.size(), ~0u);
  for (unsigned op = 0; op < ops_.size(); ++op) {
    if (kinds_[op] == Kind::Free || indexOf_[ops_[op]] != op)
      continue;
    auto [found, isNew] = groupOfRoot.try_emplace(find(op), unsigned(groups_.size()));
    if (isNew)
      groups_.push_back({kinds_[op], {}});
    Group &group = groups_[found->second];
    group.ops.push_back(ops_[op]);
    group.ops.append(absorbed_[op]);
  }
  SmallVector<Group> pieces;
  for (Group &group : groups_) {
    if (group.kind != Kind::Compute) {
      pieces.push_back(std::move(group));
      continue;
    }
    DenseMap<unsigned, unsigned> place; // of an operation in its kernel
    for (Operation *op : group.ops)
      place.try_emplace(indexOf_[op], unsigned(place.size()));
    auto waitsFor = [&](unsigned of) {
      SmallVector<unsigned> places;
      for (const Dependence &dependence : dependences_[indexOf_[group.ops[of]]])
        if (auto on = place.find(dependence.on); on != place.end())
          places.push_back(on->second);
      return places;
    };
    for (KernelPiece &piece : cutInPieces(group.ops, waitsFor))
      pieces.push_back({Kind::Compute, std::move(piece)});
  }
  groups_ = std::move(pieces);
  for (auto [number, group] : llvm::enumerate(groups_))
    for (Operation *op : group.ops)
      groupOf_[indexOf_[op]] = unsigned(number);
}

void ProgramGraph::sortGroups() {
  SmallVector<llvm::SmallDenseSet<unsigned>> users(groups_.size());
  SmallVector<unsigned> waitsFor(groups_.size()), position(groups_.size());
  for (unsigned op = 0; op < ops_.size(); ++op) {
    if (groupOf_[op] == ~0u)
      continue;
    position[groupOf_[op]] = std::max(position[groupOf_[op]], op);
    for (const Dependence &dependence : dependences_[op])
      if (groupOf_[dependence.on] != groupOf_[op] &&
          users[groupOf_[dependence.on]].insert(groupOf_[op]).second)
        ++waitsFor[groupOf_[op]];
  }
  // Earliest text position first among those that wait for nothing.
  using Entry = std::pair<unsigned, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (unsigned group = 0; group < groups_.size(); ++group)
    if (!waitsFor[group])
      ready.push({position[group], group});
  SmallVector<Group> sorted;
  while (!ready.empty()) {
    unsigned group = ready.top().second;
    ready.pop();
    sorted.push_back(std::move(groups_[group]));
    for (unsigned user : users[group])
      if (--waitsFor[user] == 0)
        ready.push({position[user], user});
  }
  assert(sorted.size() == groups.size() && "depths keep groups from waiting for each other");
  groups_ = std::move(sorted);
}

/// Elements of the largest tensor that an update reads or writes up to which it is small.
constexpr int64_t kSmall = 16 * 1024;
/// How much updates may be that become one kernel: elements of the largest tensor of each,
/// together, which no threads would share (KernelBlocks.cpp), and arguments that LLVM tells apart
/// from each other in little time (SplitKernels.cpp).
constexpr int64_t kJoinedElements = 48 * 1024;
constexpr size_t kJoinedBuffers = 24;

static int64_t getLargestTensor(ArrayRef<Operation *> ops) {
  int64_t largest = 1;
  auto look = [&](Type type) {
    largest = std::max(largest, cast<RankedTensorType>(type).getNumElements());
  };
  for (Operation *op : ops) {
    llvm::for_each(op->getOperandTypes(), look);
    llvm::for_each(op->getResultTypes(), look);
  }
  return largest;
}

/// What comes from outside and what is written.
static size_t countBuffers(ArrayRef<Operation *> ops) {
  llvm::SmallDenseSet<const void *> buffers;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!llvm::is_contained(ops, operand.getDefiningOp()))
        buffers.insert(operand.getAsOpaquePointer());
    for (FlatSymbolRefAttr name : getWrittenVariables(op))
      buffers.insert(name.getAsOpaquePointer());
  }
  return buffers.size();
}

/// Updates of small variables whose gradients a library or a message brings would be a call of a
/// few numbers each. They become one kernel: those for which nothing waits, and which come behind
/// the same communication, so that none waits for more than before. Where variables have locks all
/// stay apart.
void ProgramGraph::joinSmallUpdates() {
  if (ops_.empty() || ops_.front()->getParentOfType<dist::ProgramOp>().getLocksVariables())
    return;
  for (auto [number, group] : llvm::enumerate(groups_))
    for (Operation *op : group.ops)
      groupOf_[indexOf_[op]] = unsigned(number);
  // messages of a program are in the order of the text
  SmallVector<int> lastMessages(groups_.size(), -1);
  llvm::SmallBitVector isWanted(groups_.size());
  for (auto [number, group] : llvm::enumerate(groups_))
    for (Operation *op : group.ops) {
      int &last = lastMessages[number];
      if (isCommunication(op))
        last = std::max(last, int(indexOf_[op]));
      for (const Dependence &dependence : dependences_[indexOf_[op]])
        if (const unsigned on = groupOf_[dependence.on]; on != number) {
          last = std::max(last, lastMessages[on]);
          isWanted.set(on);
        }
    }
  struct Joined {
    Group *group; ///< the last of them so far, which has all their operations
    int64_t elements;
    size_t buffers;
  };
  std::map<std::pair<unsigned, int>, Joined> open; // by section and last message
  for (auto [number, group] : llvm::enumerate(groups_)) {
    if (group.kind != Kind::Compute || isWanted.test(unsigned(number)) ||
        llvm::all_of(group.ops, [](Operation *op) { return getWrittenVariables(op).empty(); }))
      continue;
    Joined joined{&group, getLargestTensor(group.ops), countBuffers(group.ops)};
    if (joined.elements > kSmall)
      continue;
    auto [before, isFirst] =
        open.try_emplace({sections_[indexOf_[group.ops.front()]], lastMessages[number]}, joined);
    if (isFirst)
      continue;
    if (before->second.elements + joined.elements <= kJoinedElements &&
        before->second.buffers + joined.buffers <= kJoinedBuffers) {
      joined.elements += before->second.elements;
      joined.buffers += before->second.buffers;
      KernelPiece all = std::move(before->second.group->ops);
      all.append(group.ops);
      group.ops = std::move(all);
      before->second.group->ops.clear();
    }
    before->second = joined;
  }
  llvm::erase_if(groups_, [](const Group &group) { return group.ops.empty(); });
}

} // namespace graphc
