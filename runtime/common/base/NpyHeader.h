//===- NpyHeader.h - what stands before the elements of a .npy file -----------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_NPYHEADER_H
#define GRAPHC_RUNTIME_COMMON_BASE_NPYHEADER_H

#include "absl/status/statusor.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::base {

constexpr std::string_view npyMagic = "\x93NUMPY";
constexpr size_t npyMostHeaderBytes = (1 << 16) + 12;

struct NpyHeader {
  std::string descr; ///< "<f4"
  bool fortran = false;
  std::vector<int64_t> shape; ///< none negative
  size_t bytes = 0; ///< before the elements
};

/// Of a file of the format's version 1 to 3 that begins so; more than npyMostHeaderBytes of it are
/// never looked at. The error says what is wrong, without the file's name.
absl::StatusOr<NpyHeader> parseNpyHeader(std::string_view begin);

} // namespace graphc::base
#endif
