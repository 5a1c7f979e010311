//===- PtxAbi.h - what a GPU's code and the runtime agree on ------------------------*- C++ -*-===//
//
// A code object for a GPU is PTX (or machine code made of it) whose functions take one pointer for
// each argument of their kernel. It holds the table `graphc_kernels` in global memory, numbers of
// 64 bits:
//
//   header: version, kernels, arguments of all kernels, launches of all kernels
//   a kernel: first argument, arguments, first launch, launches
//   an argument: bytes, access (GraphcAccess)
//   a launch: blocks, threads a block
//
// Launch i of a kernel is the function that launchName() says; the launches of a kernel follow each
// other on one stream.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_ABI_PTXABI_H
#define GRAPHC_RUNTIME_COMMON_ABI_PTXABI_H

#include <cstdint>
#include <string>
#include <string_view>

namespace graphc::kernels {

inline constexpr uint64_t kPtxAbiVersion = 1;
inline constexpr const char *kPtxTable = "graphc_kernels";

/// A kernel's name holds names of the model, which may have any characters; PTX knows letters,
/// digits, _ and $. A kernel's number, with which its name begins, tells apart what becomes equal.
inline std::string launchName(std::string_view kernel, uint64_t launch) {
  std::string name(kernel);
  for (char &c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '$'))
      c = '_';
  return name + "_" + std::to_string(launch);
}

struct PtxHeader {
  uint64_t version, kernels, arguments, launches;
};
struct PtxKernel {
  uint64_t firstArgument, arguments, firstLaunch, launches;
};
struct PtxArgument {
  uint64_t bytes, access;
};
struct PtxLaunch {
  uint64_t blocks, threads;
};

} // namespace graphc::kernels
#endif
