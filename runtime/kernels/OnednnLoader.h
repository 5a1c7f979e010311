//===- OnednnLoader.h - the module of oneDNN's kernels, opened on first use ---------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_KERNELS_ONEDNNLOADER_H
#define GRAPHC_RUNTIME_KERNELS_ONEDNNLOADER_H

#include "runtime/kernels/OnednnAbi.h"

#include "absl/status/statusor.h"

#include <new>

namespace graphc::kernels {

/// Opens libgraphc_onednn.so, once.
const absl::StatusOr<const GraphcOnednnApi *> &onednn();

/// What blocks of a call need beside the operands; 64-byte aligned.
struct Bytes {
  explicit Bytes(uint64_t count)
      : data(static_cast<uint8_t *>(operator new(count + 64, std::align_val_t(64)))) {}
  ~Bytes() { operator delete(data, std::align_val_t(64)); }
  Bytes(const Bytes &) = delete;
  uint8_t *data;
};

} // namespace graphc::kernels
#endif
