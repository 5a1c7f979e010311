//===- Zip.h - one entry of a zip archive -------------------------------------------------------------------------*- C++ -*-===//
//
// As numpy.savez and numpy.savez_compressed write them: stored or deflated, 64-bit sizes where they are needed. The directory at the end
// of the archive counts; each number in it is checked against the archive's bytes.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DATA_ZIP_H
#define GRAPHC_RUNTIME_DATA_ZIP_H

#include "runtime/data/ByteReader.h"

namespace graphc::data {

struct ZipEntry {
  std::string_view content; ///< as it is in the archive
  bool deflated = false;
  uint64_t bytes = 0; ///< once inflated
  uint32_t crc = 0; ///< CRC-32 of them
};

/// Errors name the archive, and the entries that there are.
absl::StatusOr<ZipEntry> findInZip(std::string_view archive, std::string_view entry, const std::string &name);

/// Reads the entry's bytes; an error where they are more or fewer than it promises, or have another sum.
absl::StatusOr<std::unique_ptr<ByteReader>> openEntry(const ZipEntry &entry, const std::string &name);

} // namespace graphc::data
#endif
