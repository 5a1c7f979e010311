//===- IdxFile.h - one IDX file, decoded and in memory ----------------------------------------------------------*- C++ -*-===//
//
// A plain file of bytes is mapped as it is. Anything else is decoded once into a cache file that all tasks of this host
// and user map: its key is the path, size and modification time of the source, it appears whole or not at all (O_TMPFILE,
// then link) and with a checksum that whoever opens it compares, and nothing is left when the writer dies. Two tasks may decode the same file at once; one link wins. Where the
// cache cannot be written the decoded bytes stay in memory.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DATA_IDXFILE_H
#define GRAPHC_RUNTIME_DATA_IDXFILE_H

#include "runtime/base/File.h"
#include "runtime/data/DataSearch.h"
#include "runtime/data/Idx.h"

namespace graphc::data {

class IdxFile {
public:
  static absl::StatusOr<IdxFile> open(const std::string &path, const DataSearch &search);
  /// The same from bytes (tests, fuzzing); always decoded in memory.
  static absl::StatusOr<IdxFile> decode(std::string_view content, const std::string &name);

  const IdxHeader &header() const { return head; }
  /// header().payloadBytes bytes, native byte order.
  const uint8_t *payload() const { return bytes; }
  /// Whether the file (the source's own or the cache's) was cut short since it was opened; what is gone reads as zeros.
  bool cut() const { return mapping.cut(); }
  /// Where the bytes are, for the log: "mapped", "cache", "decoded into the cache", "memory".
  const char *source() const { return where; }

private:
  IdxHeader head;
  base::MappedFile mapping;
  std::vector<uint8_t> memory;
  const uint8_t *bytes = nullptr;
  const char *where = "";
};

/// $XDG_CACHE_HOME/graphc or ~/.cache/graphc; "" where neither is known.
std::string defaultCacheDir();

} // namespace graphc::data
#endif
