#include "test/cuda/Ptx.h"
#include "test/cuda/PtxValues.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

namespace graphc::ptx {
namespace {

constexpr uint32_t kWarp = 32;

} // namespace

/// One block from its first instruction to its last.
class BlockRun {
public:
  BlockRun(Machine &machine, const Function &function, std::array<uint32_t, 3> grid,
           std::array<uint32_t, 3> size, uint32_t block, void **params, uint64_t launchEra)
      : machine_(machine), function_(function), grid_(grid), size_(size), block_(block),
        params_(params), launchEra_(launchEra), threads_(size[0] * size[1] * size[2]),
        // a NaN of a thread that reads too early
        registers_(size_t(function.registers) * threads_, 0x7ff7a5a5a5a5a5a5),
        shared_(function.sharedBytes), sharedShadow_(function.sharedBytes),
        written_(function.sharedBytes) {}

  absl::Status run() {
    pc_.assign(threads_, 0);
    waiting_.assign(threads_, false);
    std::vector<uint32_t> active;
    for (;;) {
      uint32_t lowest = ~0u, live = 0;
      for (uint32_t t = 0; t < threads_; ++t)
        if (pc_[t] != kEnded) {
          ++live;
          if (!waiting_[t])
            lowest = std::min(lowest, pc_[t]);
        }
      if (!live)
        return absl::OkStatus();
      if (lowest == ~0u) {
        if (absl::Status status = meet(live); !status.ok())
          return status;
        continue;
      }
      active.clear();
      for (uint32_t t = 0; t < threads_; ++t)
        if (pc_[t] == lowest && !waiting_[t])
          active.push_back(t);
      if (absl::Status status = go(lowest, active); !status.ok())
        return status;
    }
  }

private:
  static constexpr uint32_t kEnded = ~0u;
  static constexpr uint64_t kManyThreads = 2047; ///< above every thread's number

  template <typename... Parts>
  absl::Status fail(const Instruction &in, uint32_t thread, const Parts &...parts) const {
    return absl::FailedPreconditionError(absl::StrCat(function_.name, ", PTX line ", in.line,
                                                      ", block ", block_, ", thread ", thread, ": ",
                                                      parts...));
  }

  uint64_t &reg(uint32_t index, uint32_t thread) {
    return registers_[size_t(index) * threads_ + thread];
  }

  /// The threads at `at` on and on, as long as they stay together and meet nobody.
  absl::Status go(uint32_t at, const std::vector<uint32_t> &active) {
    uint32_t next = kEnded; // where others are
    for (uint32_t t = 0; t < threads_; ++t)
      if (pc_[t] > at && pc_[t] != kEnded)
        next = std::min(next, pc_[t]);
    while (at < next) {
      if (at >= function_.code.size())
        return absl::FailedPreconditionError(absl::StrCat(function_.name, " ends without ret"));
      const Instruction &in = function_.code[at];
      machine_.count_ += active.size();
      if (in.code == Code::Bra || in.code == Code::Ret) {
        for (uint32_t t : active)
          if (isOn(in, t))
            pc_[t] = in.code == Code::Ret ? kEnded : in.target;
          else
            pc_[t] = at + 1;
        return absl::OkStatus();
      }
      if (in.code == Code::Bar || in.code == Code::Shfl) {
        for (uint32_t t : active) {
          if (in.guard != Operand::kNoRegister)
            return fail(in, t, "a barrier or shuffle under a predicate");
          pc_[t] = at;
          waiting_[t] = true;
        }
        return absl::OkStatus();
      }
      for (uint32_t t : active)
        if (isOn(in, t))
          if (absl::Status status = execute(in, t); !status.ok())
            return status;
      ++at;
      for (uint32_t t : active)
        pc_[t] = at;
    }
    return absl::OkStatus();
  }

  bool isOn(const Instruction &in, uint32_t thread) {
    return in.guard == Operand::kNoRegister || (reg(in.guard, thread) != 0) != in.negated;
  }

  /// All live threads wait: warps that are whole at a shuffle do it, else everybody must be at one
  /// barrier.
  absl::Status meet(uint32_t live) {
    bool shuffled = false;
    for (uint32_t warp = 0; warp * kWarp < threads_; ++warp) {
      const uint32_t first = warp * kWarp, end = std::min(first + kWarp, threads_);
      if (pc_[first] == kEnded || function_.code[pc_[first]].code != Code::Shfl)
        continue;
      bool whole = true;
      for (uint32_t t = first; t < end; ++t)
        whole &= pc_[t] == pc_[first];
      if (!whole)
        continue;
      if (absl::Status status = shuffle(function_.code[pc_[first]], first, end); !status.ok())
        return status;
      for (uint32_t t = first; t < end; ++t) {
        ++pc_[t];
        waiting_[t] = false;
      }
      shuffled = true;
    }
    if (shuffled)
      return absl::OkStatus();
    uint32_t at = kEnded;
    for (uint32_t t = 0; t < threads_; ++t) {
      if (pc_[t] == kEnded)
        continue;
      const Instruction &in = function_.code[pc_[t]];
      if (in.code == Code::Shfl)
        return fail(in, t, "a shuffle that not all threads of the warp reach");
      if (at != kEnded && at != pc_[t])
        return fail(in, t, "another barrier than that of line ", function_.code[at].line);
      at = pc_[t];
    }
    if (live != threads_)
      return fail(function_.code[at], 0, "a barrier that ", threads_ - live, " of ", threads_,
                  " threads never reach");
    for (uint32_t t = 0; t < threads_; ++t) {
      ++pc_[t];
      waiting_[t] = false;
    }
    era_ = ++machine_.era_;
    return absl::OkStatus();
  }

  absl::Status shuffle(const Instruction &in, uint32_t first, uint32_t end) {
    const bool hasPredicate = in.operands.size() == 6;
    const size_t source = hasPredicate ? 2 : 1;
    std::array<uint64_t, kWarp> values{};
    for (uint32_t t = first; t < end; ++t)
      values[t - first] = value(in.operands[source], t, Type::B32);
    for (uint32_t t = first; t < end; ++t) {
      const uint32_t threadInWarp = t - first,
                     b = uint32_t(value(in.operands[source + 1], t, Type::B32)) & 31;
      const uint32_t c = uint32_t(value(in.operands[source + 2], t, Type::B32));
      if (uint32_t(value(in.operands[source + 3], t, Type::B32)) != 0xffffffffu)
        return fail(in, t, "a shuffle of some threads of the warp");
      const uint32_t segment = c >> 8 & 31, clamp = c & 31;
      const uint32_t most = (threadInWarp & segment) | (clamp & ~segment),
                     least = threadInWarp & segment;
      uint32_t from = 0;
      bool inside = false;
      if (in.has(Modifier::Up)) {
        from = threadInWarp - b;
        inside = int32_t(from) >= int32_t(most);
      } else if (in.has(Modifier::Down)) {
        from = threadInWarp + b;
        inside = from <= most;
      } else if (in.has(Modifier::Bfly)) {
        from = threadInWarp ^ b;
        inside = from <= most;
      } else {
        from = least | (b & ~segment);
        inside = from <= most;
      }
      if (!inside)
        from = threadInWarp;
      if (first + from >= end)
        return fail(in, t, "a shuffle from a thread that does not exist");
      reg(in.operands[0].reg, t) = values[from];
      if (hasPredicate)
        reg(in.operands[1].reg, t) = inside;
    }
    return absl::OkStatus();
  }

  uint64_t value(const Operand &operand, uint32_t thread, Type type) {
    switch (operand.kind) {
    case Operand::Kind::Register:
      return reg(operand.reg, thread);
    case Operand::Kind::Special:
      return special(ptx::Special(operand.value), thread);
    case Operand::Kind::List: { // packed, the first one lowest
      const uint32_t bits = bitsOf(type) / uint32_t(operand.list.size());
      uint64_t out = 0;
      for (size_t i = 0; i < operand.list.size(); ++i)
        out |= (value(operand.list[i], thread, type) & lowBits(bits)) << (bits * i);
      return out;
    }
    default:
      return uint64_t(operand.value);
    }
  }

  uint64_t special(ptx::Special which, uint32_t thread) const {
    const uint32_t index = uint32_t(which);
    if (index < 3)
      return index == 0   ? thread % size_[0]
             : index == 1 ? thread / size_[0] % size_[1]
                          : thread / size_[0] / size_[1];
    if (index < 6)
      return size_[index - 3];
    if (index < 9)
      return index == 6   ? block_ % grid_[0]
             : index == 7 ? block_ / grid_[0] % grid_[1]
                          : block_ / grid_[0] / grid_[1];
    if (index < 12)
      return grid_[index - 9];
    return which == ptx::Special::Laneid ? thread % kWarp : kWarp;
  }

  void put(const Operand &to, uint32_t thread, Type type, uint64_t bits) {
    if (to.kind != Operand::Kind::List) {
      reg(to.reg, thread) = bits & maskOf(type);
      return;
    }
    const uint32_t each = bitsOf(type) / uint32_t(to.list.size());
    for (size_t i = 0; i < to.list.size(); ++i)
      reg(to.list[i].reg, thread) = bits >> (each * i) & lowBits(each);
  }

  absl::Status execute(const Instruction &in, uint32_t thread) {
    if (in.code == Code::Ld || in.code == Code::St)
      return access(in, thread);
    const auto &operands = in.operands;
    auto operand = [&](size_t i, Type type) {
      return i < operands.size() ? value(operands[i], thread, type) : 0;
    };
    const Type type = in.type;
    switch (in.code) {
    case Code::Mov:
    case Code::Cvta:
      put(operands[0], thread, type, type == Type::Pred ? operand(1, type) != 0 : operand(1, type));
      return absl::OkStatus();
    case Code::Setp:
      reg(operands[0].reg, thread) = compare(in, operand(1, type), operand(2, type));
      return absl::OkStatus();
    case Code::Selp:
      put(operands[0], thread, type, operand(3, Type::Pred) ? operand(1, type) : operand(2, type));
      return absl::OkStatus();
    case Code::Cvt:
      // No register has 8 bits: a sign fills one of 16.
      put(operands[0], thread, type == Type::S8 ? Type::S16 : type,
          convert(in, operand(1, in.from)));
      return absl::OkStatus();
    default:
      break;
    }
    const uint64_t a = operand(1, type), b = operand(2, type), c = operand(3, type);
    if (isFloat(type)) {
      const uint64_t sign = uint64_t(1) << (bitsOf(type) - 1);
      if (in.code == Code::Abs || in.code == Code::Neg)
        put(operands[0], thread, type, in.code == Code::Abs ? a & ~sign : a ^ sign);
      else if (in.code == Code::Copysign) // the sign of a, the rest of b
        put(operands[0], thread, type, (a & sign) | (b & ~sign));
      else
        put(operands[0], thread, type, floatOp(in, a, b, c));
      return absl::OkStatus();
    }
    bool bad = false;
    const uint64_t result = integerOp(in, a, b, c, bad);
    if (bad)
      return fail(in, thread, "a division by zero, or an instruction for a type that is not known");
    // A wide product is of the type twice as long; counts are of 32 bits.
    const Type to = in.has(Modifier::Wide)                          ? Type(uint8_t(type) + 1)
                    : in.code == Code::Popc || in.code == Code::Clz ? Type::U32
                                                                    : type;
    put(operands[0], thread, to, result);
    return absl::OkStatus();
  }

  absl::Status access(const Instruction &in, uint32_t thread) {
    const bool loads = in.code == Code::Ld;
    const Operand &address = in.operands[loads ? 1 : 0], &data = in.operands[loads ? 0 : 1];
    const uint32_t each = sizeOf(in.type);
    const uint32_t count = data.kind == Operand::Kind::List ? uint32_t(data.list.size()) : 1,
                   bytes = each * count;
    uint64_t at = uint64_t(address.value);
    if (address.reg != Operand::kNoRegister)
      at += reg(address.reg, thread);
    uint8_t *memory = nullptr;
    if (in.space == Space::Param) {
      if (!loads || at / 8 >= function_.params.size())
        return fail(in, thread, "no such parameter");
      memory = static_cast<uint8_t *>(params_[at / 8]) + at % 8;
    } else if (at % bytes) {
      return fail(in, thread, "an access of ", bytes, " bytes at ", at, ", which is not aligned");
    } else if (in.space == Space::Shared) {
      if (at + bytes > shared_.size())
        return fail(in, thread, "an access at ", at, " of the block's memory of ", shared_.size(),
                    " bytes");
      memory = shared_.data() + at;
      for (uint64_t byte = at; byte < at + bytes; ++byte) {
        if (loads && !written_[byte])
          return fail(in, thread, "the block's memory is read before anybody wrote it");
        written_[byte] = true;
        if (absl::Status status = race(in, thread, sharedShadow_[byte], !loads); !status.ok())
          return status;
      }
    } else if (in.space == Space::Global) {
      memory = machine_.memory_.find(at, bytes);
      if (!memory)
        return fail(in, thread, "an access of ", bytes, " bytes outside of every allocation");
      if (absl::Status status = raceInGlobal(in, thread, at, bytes, each); !status.ok())
        return status;
    } else {
      return fail(in, thread, "an access of no state space");
    }
    for (uint32_t i = 0; i < count; ++i) {
      const Operand &one = data.kind == Operand::Kind::List ? data.list[i] : data;
      uint64_t bits = 0;
      if (loads) {
        memcpy(&bits, memory + i * each, each);
        reg(one.reg, thread) = isSigned(in.type) ? uint64_t(asSigned(bits, in.type)) : bits;
      } else {
        bits = value(one, thread, in.type);
        memcpy(memory + i * each, &bits, each);
      }
    }
    return absl::OkStatus();
  }

  /// Elements of four bytes and more word by word, shorter ones byte by byte, as words are that had
  /// such.
  absl::Status raceInGlobal(const Instruction &in, uint32_t thread, uint64_t at, uint64_t bytes,
                            uint32_t each) {
    const bool writes = in.code != Code::Ld;
    for (uint64_t word = at / 4 * 4; word < at + bytes; word += 4) {
      Machine::Shadow &shadow = machine_.shadowOf(word);
      if (each >= 4 && shadow.written != Machine::kSplit) {
        if (absl::Status status = race(in, thread, shadow, writes); !status.ok())
          return status;
        continue;
      }
      for (uint64_t byte = std::max(word, at); byte < std::min(word + 4, at + bytes); ++byte)
        if (absl::Status status = race(in, thread, machine_.byteShadowOf(byte), writes);
            !status.ok())
          return status;
    }
    return absl::OkStatus();
  }

  /// Two threads may touch the same only with a barrier of their block between them, unless both
  /// read.
  absl::Status race(const Instruction &in, uint32_t thread, Machine::Shadow &shadow, bool writes) {
    const uint64_t who = uint64_t(block_) << 11 | thread, now = era_ << 32 | who;
    auto isUnordered = [&](uint64_t before) {
      const uint64_t when = before >> 32;
      if (when < launchEra_ || uint32_t(before) == uint32_t(who))
        return false;
      return (uint32_t(before) >> 11) != block_ || when == era_;
    };
    const bool meetsWrite = isUnordered(shadow.written);
    if (meetsWrite || (writes && isUnordered(shadow.read))) {
      const uint64_t other = meetsWrite ? shadow.written : shadow.read;
      return fail(in, thread, "touches memory that ", meetsWrite ? "is written" : "is read",
                  " by thread ", other & 2047, " of block ", uint32_t(other) >> 11,
                  " without a barrier between");
    }
    if (writes) {
      shadow.written = now;
      return absl::OkStatus();
    }
    // Of several readers all are kept: those of other blocks as a block of its own, those of this
    // one as a thread of its own.
    const uint64_t when = shadow.read >> 32, last = uint32_t(shadow.read);
    if (when >= launchEra_ && last >> 11 != block_)
      shadow.read = era_ << 32 | 0xffffffffu;
    else
      shadow.read = now | (when == era_ && last != who ? kManyThreads : 0);
    return absl::OkStatus();
  }

  Machine &machine_;
  const Function &function_;
  const std::array<uint32_t, 3> grid_, size_;
  const uint32_t block_;
  void **params_;
  const uint64_t launchEra_;
  uint64_t era_ = launchEra_;
  const uint32_t threads_;
  std::vector<uint64_t> registers_;
  std::vector<uint8_t> shared_;
  std::vector<Machine::Shadow> sharedShadow_;
  std::vector<bool> written_; // of the block's memory
  std::vector<uint32_t> pc_;
  std::vector<bool> waiting_;
};

Machine::Shadow &Machine::shadowOf(uint64_t address) {
  std::unique_ptr<std::array<Shadow, 1024>> &page = shadows_[address / 4096];
  if (!page)
    page = std::make_unique<std::array<Shadow, 1024>>();
  return (*page)[address % 4096 / 4];
}

Machine::Shadow &Machine::byteShadowOf(uint64_t address) {
  Shadow &word = shadowOf(address);
  std::array<Shadow, 4> &bytes = byteShadows_[address / 4];
  if (word.written != kSplit) {
    bytes.fill(word);
    word.written = kSplit;
  }
  return bytes[address % 4];
}

absl::Status Machine::launch(const Function &function, std::array<uint32_t, 3> blocks,
                             std::array<uint32_t, 3> threads, void **params) {
  const uint64_t each = uint64_t(threads[0]) * threads[1] * threads[2];
  const uint64_t count = uint64_t(blocks[0]) * blocks[1] * blocks[2];
  if (each == 0 || each > 1024 || count == 0 || blocks[0] > 0x7fffffff || blocks[1] > 65535 ||
      blocks[2] > 65535)
    return absl::InvalidArgumentError(
        absl::StrCat(function.name, ": a launch of ", count, " blocks of ", each, " threads"));
  if (function.threads && function.threads != each)
    return absl::InvalidArgumentError(absl::StrCat(function.name, " asks for blocks of ",
                                                   function.threads, " threads, not ", each));
  if (function.sharedBytes > 48 * 1024)
    return absl::InvalidArgumentError(
        absl::StrCat(function.name, " has ", function.sharedBytes, " bytes of the block's memory"));
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937_64 random(seed_ + era_);
  std::shuffle(order.begin(), order.end(), random);
  const uint64_t launchEra = ++era_;
  for (uint32_t block : order)
    if (absl::Status status =
            BlockRun(*this, function, blocks, threads, block, params, launchEra).run();
        !status.ok())
      return status;
  ++era_;
  return absl::OkStatus();
}

} // namespace graphc::ptx
