//===- CubinAssembler.h -----------------------------------------------------------------------===//
//
// PTX → machine code of GPUs, by NVIDIA's assembler where it is installed.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_EMIT_CUBINASSEMBLER_H
#define GRAPHC_PASSES_EMIT_CUBINASSEMBLER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace graphc {

struct CubinImage {
  std::string arch; ///< "sm_90", the only one that runs it
  std::string elf;
};

/// What the assembler says against the PTX.
struct AssemblerRefusal {
  std::string function; ///< whose code it is, "" where that is not said
  std::string text;
};

/// ptxas of the toolkit in CUDA_HOME, else the one on PATH. None where there is none, or where
/// CUDA_HOME is there and empty.
std::optional<std::string> findPtxas();

/// Machine code of `ptx` for each of `archs`, in their order, all at once; an architecture that
/// this assembler does not know yet is left out. The same PTX and the same assembler give the same
/// bytes. An error of the machine (no space, the assembler does not start) is an Error; what the
/// assembler refuses is in `refusal`, and then nothing is returned.
llvm::Expected<std::vector<CubinImage>> assemble(llvm::StringRef ptxas, llvm::StringRef ptx,
                                                 llvm::ArrayRef<std::string> archs,
                                                 std::optional<AssemblerRefusal> &refusal);

} // namespace graphc
#endif
