//===- Ptx.h - PTX on the CPU: a module read from its text, and launches of its functions -----===//
//
// Written from NVIDIA's "Parallel Thread Execution ISA", and on purpose from nothing else: what
// graphc's code computes here is to be what a GPU computes, not what LLVM does with the same
// operations on a CPU. An instruction, modifier or directive that is not known is an error that
// names its line.
//
// All threads of a block that are at the lowest program counter execute next, so that divergent
// threads meet again where paths join. Found and reported, each with the line: accesses outside of
// every allocation or not aligned, two threads that touch the same byte (one of them writing) with
// no barrier between them, of other blocks with none possible; barriers and shuffles that not all
// threads reach; memory of the block that is read before it was written.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TEST_CUDA_PTX_H
#define GRAPHC_TEST_CUDA_PTX_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace graphc::ptx {

enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  BF16,
  F32,
  F64
};
/// In bytes; 1 of a predicate.
uint32_t sizeOf(Type type);

enum class Space : uint8_t { None, Param, Global, Shared };

/// What an operand is: a register, a number, a special register, or several of these in braces; of
/// a memory access [base + offset].
struct Operand {
  enum class Kind : uint8_t { Register, Immediate, Special, Address, List };
  static constexpr uint32_t kNoRegister = ~0u;
  Kind kind = Kind::Immediate;
  uint32_t reg = kNoRegister; ///< Register; Address: its base
  int64_t value = 0; ///< Immediate: its bits; Address: the offset; Special: which
  std::vector<Operand> list;
};

enum class Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  Laneid,
  Warpsize
};

enum class Code : uint8_t {
  Abs,
  Add,
  And,
  Bar,
  Bfe,
  Bra,
  Brev,
  Clz,
  Copysign,
  Cvt,
  Cvta,
  Div,
  Fma,
  Ld,
  Mad,
  Max,
  Min,
  Mov,
  Mul,
  Neg,
  Not,
  Or,
  Popc,
  Prmt,
  Rem,
  Ret,
  Rcp,
  Selp,
  Setp,
  Shf,
  Shfl,
  Shl,
  Shr,
  Sqrt,
  St,
  Sub,
  Xor,
};

/// What a modifier says that changes a result.
enum class Modifier : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Lo,
  Ls,
  Hi,
  Hs,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan, // of setp; Lo and Hi of mul, mad too
  Wide,
  Rn,
  Rz,
  Rm,
  Rp,
  Rni,
  Rzi,
  Rmi,
  Rpi,
  PropagateNan,
  V2,
  V4,
  L,
  R,
  Wrap,
  Clamp,
  Down,
  Up,
  Bfly,
  Idx,
  To,
};

struct Instruction {
  Code code = Code::Ret;
  Type type = Type::None, from = Type::None; ///< its first type and, of cvt, the second
  Space space = Space::None;
  uint64_t modifiers = 0; ///< a bit each
  uint32_t guard = Operand::kNoRegister; ///< the predicate that must be set
  bool negated = false; ///< or not be
  uint32_t target = 0; ///< of a branch
  std::vector<Operand> operands;
  uint32_t line = 0;
  bool has(Modifier modifier) const { return modifiers >> unsigned(modifier) & 1; }
};

struct Function {
  std::string name;
  std::vector<std::pair<std::string, uint32_t>> params; ///< name, bytes
  std::vector<Instruction> code;
  uint32_t registers = 0;
  uint32_t sharedBytes = 0;
  uint32_t threads = 0; ///< a block, as .reqntid says; 0: any
};

struct Global {
  uint64_t bytes = 0;
  std::vector<uint8_t> init;
};

struct Module {
  std::map<std::string, Function, std::less<>> functions;
  std::map<std::string, Global, std::less<>> globals;
  std::string target; ///< "sm_80"
};

/// InvalidArgument names the line.
absl::StatusOr<Module> parse(std::string_view text);

/// Device memory as a machine sees it.
class Memory {
public:
  virtual ~Memory() = default;
  /// Where `bytes` at a device address lie for this process; null where they are not inside of one
  /// allocation.
  virtual uint8_t *find(uint64_t address, uint64_t bytes) = 0;
};

class Machine {
public:
  explicit Machine(Memory &memory, uint64_t seed = 1) : memory_(memory), seed_(seed) {}

  /// One launch: blocks in an order that the seed decides. `params` point to the arguments' values,
  /// as in cuLaunchKernel.
  absl::Status launch(const Function &function, std::array<uint32_t, 3> blocks,
                      std::array<uint32_t, 3> threads, void **params);
  /// Instructions that threads have executed.
  uint64_t executed() const { return count_; }

private:
  friend class BlockRun;
  /// Who wrote and who read four bytes last.
  struct Shadow {
    /// era << 32 | block << 11 | thread; era: barriers and launches so far
    uint64_t written = 0, read = 0;
  };
  Shadow &shadowOf(uint64_t address);
  /// Of a byte: from when one of its word was touched alone, the word has four.
  Shadow &byteShadowOf(uint64_t address);
  static constexpr uint64_t kSplit = ~uint64_t(0); ///< in place of Shadow::written

  Memory &memory_;
  uint64_t seed_;
  uint64_t era_ = 1, count_ = 0;
  /// of global memory, by its page
  std::unordered_map<uint64_t, std::unique_ptr<std::array<Shadow, 1024>>> shadows_;
  std::unordered_map<uint64_t, std::array<Shadow, 4>> byteShadows_; ///< by the word, address / 4
};

} // namespace graphc::ptx
#endif
