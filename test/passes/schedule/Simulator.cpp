#include "Simulator.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <memory>
#include <random>

using namespace mlir;

namespace graphc::test {

namespace {

using Memory = std::vector<uint64_t>; ///< one hash a block of 64 bytes

struct Region {
  Memory *memory = nullptr;
  size_t first = 0, count = 0;
};

struct Message {
  Region source;    ///< the sender's memory, until send_done
  uint64_t hash = 0;
  bool copied = false, taken = false;
};

uint64_t mix(uint64_t a, uint64_t b) {
  return (a ^ (b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccd;
}

class Simulation {
public:
  Simulation(ModuleOp module, int steps, uint64_t seed)
      : module_(module), steps_(steps), random_(seed) {}

  Outcome run() {
    for (auto program : module_.getOps<dist::ProgramOp>())
      setUp(program);
    for (Lane &lane : lanes_)
      for (auto send : lane.program.getBlock().getOps<dist::SendStartOp>())
        if (send.getAhead())
          start(lane, send);
    for (;;) {
      SmallVector<size_t> order;
      for (size_t i = 0; i < lanes_.size(); ++i)
        order.push_back(i);
      std::shuffle(order.begin(), order.end(), random_);
      bool progress = false, done = true;
      for (size_t i : order) {
        Lane &lane = lanes_[i];
        for (size_t burst = 1 + random_() % 5; burst > 0 && lane.step < steps_; --burst) {
          if (!advance(lane))
            break;
          progress = true;
        }
        done &= lane.step == steps_;
        if (!outcome_.error.empty())
          return outcome_;
      }
      if (done)
        break;
      if (!progress) {
        outcome_.error = "the programs wait for each other";
        return outcome_;
      }
    }
    for (auto &[name, memory] : variables_)
      outcome_.results["variable " + name] = memory.front();
    return outcome_;
  }

private:
  struct Lane {
    dist::ProgramOp program;
    Operation *next = nullptr;
    int step = 0;
    uint64_t iteration = 0; ///< of the loop that `next` is in
    std::unique_ptr<Memory> arena;
    std::vector<std::unique_ptr<Memory>> own; ///< buffers without offset
    llvm::DenseMap<Value, Region> regions;
    llvm::DenseMap<StringRef, Value> held; ///< message of a channel not yet released
  };

  static size_t blocks(Value buffer) {
    return size_t(cast<MemRefType>(buffer.getType()).getNumElements() * 4 + 63) / 64;
  }

  void setUp(dist::ProgramOp program) {
    Lane &lane = lanes_.emplace_back();
    lane.program = program;
    lane.arena = std::make_unique<Memory>(size_t(program.getArenaBytes().value_or(0) + 63) / 64);
    lane.next = &program.getBlock().front();
    for (Operation &op : program.getBlock()) {
      if (auto buffer = dyn_cast<dist::BufferOp>(op)) {
        if (buffer.getOffset()) {
          lane.regions[buffer.getBuffer()] = {lane.arena.get(), size_t(*buffer.getOffset()) / 64,
                                              blocks(buffer.getBuffer())};
        } else {
          lane.own.push_back(std::make_unique<Memory>(blocks(buffer.getBuffer())));
          lane.regions[buffer.getBuffer()] = {lane.own.back().get(), 0, blocks(buffer.getBuffer())};
        }
      } else if (auto variable = dyn_cast<dist::VariableBufferOp>(op);
                 variable && !variable->use_empty()) {
        Memory &memory = variables_[variable.getVariable().str()];
        memory.assign(blocks(variable.getBuffer()), uint64_t(variable.getVariable().back()));
        lane.regions[variable.getBuffer()] = {&memory, 0, memory.size()};
      }
    }
  }

  void fail(Operation *op, StringRef what) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << what << ": " << *op;
    outcome_.error = text;
  }

  dist::ChannelOp channelOf(Operation *op) {
    return module_.lookupSymbol<dist::ChannelOp>(op->getAttrOfType<FlatSymbolRefAttr>("channel"));
  }
  bool isZeroCopy(Operation *op) { return channelOf(op).getZeroCopy(); }
  bool isFull(Operation *op) {
    return messages_[channelOf(op).getSymName()].size() >= size_t(channelOf(op).getCapacity());
  }
  void start(Lane &lane, Operation *send) {
    messages_[channelOf(send).getSymName()].push_back({lane.regions.lookup(send->getOperand(0)),
                                                       read(lane, send, send->getOperand(0)),
                                                       isa<dist::SendOp>(send)});
  }

  uint64_t readRegion(Operation *op, const Region &region) {
    if (!region.memory) {
      fail(op, "reads a message that is not there");
      return 0;
    }
    for (size_t i = 0; i < region.count; ++i)
      if ((*region.memory)[region.first + i] != (*region.memory)[region.first])
        fail(op, "reads memory of which a part was overwritten");
    return region.count ? (*region.memory)[region.first] : 0;
  }

  uint64_t read(Lane &lane, Operation *op, Value value) {
    return readRegion(op, lane.regions.lookup(value));
  }
  void write(Lane &lane, Value value, uint64_t hash) {
    Region region = lane.regions.lookup(value);
    for (size_t i = 0; i < region.count; ++i)
      (*region.memory)[region.first + i] = hash;
  }

  bool advance(Lane &lane) {
    Operation *op = lane.next;
    if (!execute(lane, op))
      return false;
    if (isa<dist::EndOp>(op)) {
      ++lane.step;
      lane.next = &lane.program.getBlock().front();
    } else if (auto repeat = dyn_cast<dist::RepeatOp>(op)) {
      lane.iteration = 0;
      lane.next = &repeat.getBody().front().front();
    } else if (auto loop = dyn_cast<dist::RepeatOp>(op->getParentOp());
               loop && !op->getNextNode()) {
      const bool again = ++lane.iteration < loop.getCount();
      lane.next = again ? &loop.getBody().front().front() : loop->getNextNode();
    } else {
      lane.next = op->getNextNode();
    }
    return true;
  }

  /// False: it has to wait.
  bool execute(Lane &lane, Operation *op) {
    if (auto call = dyn_cast<dist::CallOp>(op)) {
      uint64_t hash = uint64_t(call.getKernel().back());
      bool updates = call.getKernel() == "u";
      ValueRange inputs =
          updates ? ValueRange(call.getBuffers()) : ValueRange(call.getBuffers()).drop_back();
      for (Value input : inputs)
        hash = mix(hash, read(lane, op, input));
      write(lane, updates ? call.getBuffers().front() : call.getBuffers().back(), hash);
    } else if (auto sum = dyn_cast<dist::AccumulateOp>(op)) {
      accumulate(lane, sum, lane.iteration);
    } else if (auto fetch = dyn_cast<dist::FetchOp>(op)) {
      fetches_.push_back({fetch, fetch.getValue()});
    } else if (isa<dist::SendOp, dist::SendStartOp>(op)) {
      if (auto send = dyn_cast<dist::SendStartOp>(op);
          send && send.getAhead() && lane.step + 1 == steps_)
        return true; // no step follows
      if (isFull(op))
        return false;
      start(lane, op);
    } else if (auto acquire = dyn_cast<dist::AcquireOp>(op)) {
      if (isFull(op))
        return false;
      lane.own.push_back(std::make_unique<Memory>(blocks(acquire.getBuffer())));
      lane.regions[acquire.getBuffer()] = {lane.own.back().get(), 0, blocks(acquire.getBuffer())};
      inSlots_.insert(acquire.getChannel());
    } else if (auto done = dyn_cast<dist::SendDoneOp>(op)) {
      std::deque<Message> &queue = messages_[done.getChannel()];
      if (inSlots_.contains(done.getChannel()))
        return true; // the receiver finds it there later
      if (isZeroCopy(op))
        return queue.empty(); // until it is released
      if (!queue.empty() && !queue.back().copied) {
        uint64_t now = readRegion(op, queue.back().source);
        if (now != queue.back().hash)
          fail(op, "what is sent was overwritten before");
        queue.back().copied = true;
      }
    } else if (auto receive = dyn_cast<dist::ReceiveOp>(op)) {
      std::deque<Message> &queue = messages_[receive.getChannel()];
      auto found = llvm::find_if(queue, [](const Message &message) { return !message.taken; });
      if (found == queue.end())
        return false;
      Message &message = *found;
      message.taken = true;
      if (!message.copied && readRegion(op, message.source) != message.hash)
        fail(op, "what is sent was overwritten before");
      if (isZeroCopy(op)) { // in place; whoever overwrites it is seen by its readers
        lane.regions[receive.getValue()] = message.source;
        lane.held[receive.getChannel()] = receive.getValue();
        return true;
      }
      message.copied = true;
      lane.own.push_back(std::make_unique<Memory>(blocks(receive.getValue()), message.hash));
      lane.regions[receive.getValue()] = {lane.own.back().get(), 0, blocks(receive.getValue())};
      if (lane.program.getArenaBytes())
        lane.held[receive.getChannel()] = receive.getValue();
      else
        queue.erase(found); // nothing releases it in an outlined program
    } else if (auto release = dyn_cast<dist::ReleaseOp>(op)) {
      Value slot = lane.held.lookup(release.getChannel());
      if (!isZeroCopy(op))
        write(lane, slot, ~uint64_t(0)); // whoever still reads it finds out
      lane.regions.erase(slot);
      lane.held.erase(release.getChannel());
      messages_[release.getChannel()].pop_front();
    } else if (isa<dist::EndOp>(op)) {
      if (!lane.held.empty())
        fail(op, "a message is not released");
      showFetches(lane);
    }
    return true;
  }

  /// A value that completes a leaf is joined with as many sums as there are ones at the end of the
  /// leaf's number.
  void accumulate(Lane &lane, dist::AccumulateOp op, uint64_t time) {
    const uint64_t perLeaf = op.getPerLeaf(), leaf = time / perLeaf, inLeaf = time % perLeaf;
    uint64_t sum = read(lane, op, op.getValue());
    ValueRange partials = op.getPartials();
    if (perLeaf > 1) {
      if (inLeaf > 0)
        sum = mix(read(lane, op, partials.front()), sum);
      if (inLeaf + 1 < perLeaf)
        return write(lane, partials.front(), sum);
      partials = partials.drop_front();
    }
    const auto joined = size_t(std::countr_one(leaf));
    for (Value partial : partials.take_front(joined))
      sum = mix(read(lane, op, partial), sum);
    write(lane, partials[joined], sum);
  }

  /// Fetches show what their memory holds when the step ends.
  void showFetches(Lane &lane) {
    llvm::erase_if(fetches_, [&](auto &entry) {
      auto [fetch, value] = entry;
      if (fetch->template getParentOfType<dist::ProgramOp>() != lane.program)
        return false;
      outcome_.results[(fetch.getName() + "@" + Twine(lane.step)).str()] = read(lane, fetch, value);
      return true;
    });
  }

  ModuleOp module_;
  int steps_;
  std::mt19937_64 random_;
  std::vector<Lane> lanes_;
  llvm::DenseMap<StringRef, std::deque<Message>> messages_; ///< not yet released, the oldest first
  llvm::DenseSet<StringRef> inSlots_; ///< channels whose messages lie in their slots
  std::map<std::string, Memory> variables_;
  std::vector<std::pair<dist::FetchOp, Value>> fetches_;
  Outcome outcome_;
};

} // namespace

Outcome simulate(ModuleOp module, int steps, uint64_t seed) {
  return Simulation(module, steps, seed).run();
}

} // namespace graphc::test
