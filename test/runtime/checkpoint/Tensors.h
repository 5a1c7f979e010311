// Small tensors and files for the checkpoint tests.
#ifndef GRAPHC_TEST_RUNTIME_CHECKPOINT_TENSORS_H
#define GRAPHC_TEST_RUNTIME_CHECKPOINT_TENSORS_H

#include "runtime/checkpoint/SafetensorsFile.h"
#include "test/runtime/common/base/TemporaryFolder.h"

#include <fstream>
#include <string>
#include <vector>

namespace graphc::checkpoint {

inline plan::TensorType tensorType(plan::DataType dtype, std::vector<int64_t> shape = {}) {
  plan::TensorType type;
  type.set_dtype(dtype);
  for (int64_t size : shape)
    type.add_shape(size);
  return type;
}

inline std::string readAll(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void writeAll(const std::string &path, const std::string &content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

} // namespace graphc::checkpoint
#endif
