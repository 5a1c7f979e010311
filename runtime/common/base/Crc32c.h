//===- Crc32c.h - CRC-32C (Castagnoli) ----------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_CRC32C_H
#define GRAPHC_RUNTIME_COMMON_BASE_CRC32C_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace graphc::base {

/// crc32c of `data` following bytes whose crc32c was `crc` (0: nothing came before). SSE4.2 where
/// the CPU has it.
uint32_t crc32c(uint32_t crc, const void *data, size_t bytes);
inline uint32_t crc32c(std::string_view data) { return crc32c(0, data.data(), data.size()); }

/// The table version, for the test that compares the two.
uint32_t crc32cPortable(uint32_t crc, const void *data, size_t bytes);

} // namespace graphc::base
#endif
