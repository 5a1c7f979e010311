//===- ZipEntry.h - one entry of a zip archive --------------------------------------*- C++ -*-===//
//
// As numpy.savez and numpy.savez_compressed write them: stored or deflated, 64-bit sizes where they
// are needed. The directory at the end of the archive counts; each number in it is checked against
// the archive's bytes.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_ZIPENTRY_H
#define GRAPHC_RUNTIME_COMMON_BASE_ZIPENTRY_H

#include "runtime/common/base/ByteReader.h"

#include <functional>

namespace graphc::base {

struct ZipEntry {
  std::string_view content; ///< as it is in the archive
  bool deflated = false;
  uint64_t bytes = 0; ///< once inflated
  uint32_t crc = 0; ///< CRC-32 of them
};

/// An entry as the directory has it; nothing of it is checked yet. Points into the archive.
struct ZipListed {
  std::string_view name, extra;
  uint32_t crc = 0;
  uint64_t flags = 0, method = 0, packed = 0, bytes = 0, begin = 0;
};
/// All entries of the directory, in its order, each handed to `take` until it says false.
absl::Status forEachInZip(std::string_view archive, const std::string &name,
                          const std::function<bool(const ZipListed &)> &take);
/// Where a listed entry's bytes are: what it says is checked against the archive.
absl::StatusOr<ZipEntry> locateInZip(std::string_view archive, const ZipListed &listed,
                                     const std::string &name);

/// Both of these for one of them. Errors name the archive, and the entries that there are.
absl::StatusOr<ZipEntry> findInZip(std::string_view archive, std::string_view entry,
                                   const std::string &name);

/// Reads the entry's bytes; an error where they are more or fewer than it promises, or have another
/// sum.
absl::StatusOr<std::unique_ptr<ByteReader>> openEntry(const ZipEntry &entry,
                                                      const std::string &name);

} // namespace graphc::base
#endif
