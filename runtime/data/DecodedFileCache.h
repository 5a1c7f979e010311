//===- DecodedFileCache.h - what is decoded is decoded once -------------------------*- C++ -*-===//
//
// A file whose bytes are not its elements is decoded once into a cache file that all tasks of this
// host and user map: its key is the path, size and modification time of the source and how it was
// decoded. It appears whole or not at all (O_TMPFILE, then link) and with a checksum that whoever
// opens it compares, and nothing is left when the writer dies. Two tasks may decode the same file
// at once; one link wins. Where the cache cannot be written the decoded bytes stay in memory.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DATA_DECODEDFILECACHE_H
#define GRAPHC_RUNTIME_DATA_DECODEDFILECACHE_H

#include "runtime/common/base/ByteReader.h"
#include "runtime/data/DatasetSearchPath.h"
#include "runtime/data/StoredSamples.h"

#include <functional>

namespace graphc::data {

/// Takes elements piece by piece; its errors end the decoding.
using ElementSink = std::function<absl::Status(const uint8_t *, size_t)>;
/// Gives all elements to the sink and says what they were. May be asked twice.
using ElementDecoder = std::function<absl::StatusOr<ArrayHeader>(const ElementSink &)>;

struct DecodedArray {
  ArrayHeader header;
  std::shared_ptr<const StoredBytes> bytes; ///< header.payloadBytes of them
};

/// `how` tells apart what is decoded in several ways from one file.
absl::StatusOr<DecodedArray> decodeOnce(const std::string &path, const std::string &how,
                                        const DatasetSearchPath &search,
                                        const ElementDecoder &decode);
absl::StatusOr<DecodedArray> decodeInMemory(const ElementDecoder &decode);

/// A sink that refuses what is beyond `limit`: a small file may inflate to any size.
ElementSink atMost(uint64_t limit, const std::string &name, ElementSink sink);
/// What it says.
absl::Status tooLarge(uint64_t limit, const std::string &name);

/// The file's bytes: mapped as they are, or decoded where it is a .gz.
absl::StatusOr<std::shared_ptr<const StoredBytes>> openContent(const std::string &path,
                                                               const DatasetSearchPath &search);

/// What the reader has, up to `most` bytes; how many there were.
absl::StatusOr<uint64_t> passOn(base::ByteReader &reader, uint64_t most, const ElementSink &sink);

/// Of `rows` samples of `elements` each; an error where there are none, or more than can be
/// counted.
absl::StatusOr<ArrayHeader> makeList(StoredType type, uint64_t rows, uint64_t elements,
                                     const std::string &name);

/// $XDG_CACHE_HOME/graphc or ~/.cache/graphc; "" where neither is known.
std::string defaultCacheDir();

} // namespace graphc::data
#endif
