#include "runtime/data/IdxFile.h"

#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"

namespace graphc::data {

/// Of a file of which `limit` bytes may be decoded. Its header is refused where it promises more.
static ElementDecoder decoderOf(std::string_view content, const std::string &name, uint64_t limit) {
  return [content, name, limit](const ElementSink &sink) -> absl::StatusOr<ArrayHeader> {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<base::ByteReader> reader,
                            base::openBytes(content, name));
    GRAPHC_ASSIGN_OR_RETURN(IdxHeader header, readIdxHeader(*reader, name));
    if (header.payloadBytes > limit)
      return tooLarge(limit, name);
    GRAPHC_RETURN_IF_ERROR(readIdxPayload(*reader, header, name, sink));
    return header;
  };
}

absl::StatusOr<IdxFile> IdxFile::decode(std::string_view content, const std::string &name) {
  GRAPHC_ASSIGN_OR_RETURN(DecodedArray array,
                          decodeInMemory(decoderOf(content, name, maxArrayBytes)));
  IdxFile file;
  file.head_ = std::move(array.header);
  file.bytes_ = std::move(array.bytes);
  return file;
}

absl::StatusOr<IdxFile> IdxFile::open(const std::string &path, const DatasetSearchPath &search) {
  GRAPHC_ASSIGN_OR_RETURN(base::MappedFile source, base::MappedFile::open(path));
  IdxFile file;
  if (!base::isGzip(source.view())) {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<base::ByteReader> reader,
                            base::openBytes(source.view(), path));
    GRAPHC_ASSIGN_OR_RETURN(IdxHeader header, readIdxHeader(*reader, path));
    if (sizeOf(header.type) == 1) {
      // Checks the length only; no byte of the payload is touched.
      uint64_t found = source.size() - header.headerBytes;
      if (found != header.payloadBytes)
        return absl::DataLossError(absl::StrCat(path, ": its header promises ", header.payloadBytes,
                                                " bytes of elements, found ", found,
                                                "; fetch it again"));
      auto bytes = std::make_shared<StoredBytes>();
      bytes->mapping = std::move(source);
      bytes->data = bytes->mapping.data();
      bytes->size = bytes->mapping.size();
      bytes->where = "mapped";
      file.begin_ = header.headerBytes;
      file.head_ = std::move(header);
      file.bytes_ = std::move(bytes);
      return file;
    }
  }
  // What is not compressed is as large as its file.
  const uint64_t limit = base::isGzip(source.view()) ? search.cacheLimit : maxArrayBytes;
  GRAPHC_ASSIGN_OR_RETURN(DecodedArray array,
                          decodeOnce(path, "idx", search, decoderOf(source.view(), path, limit)));
  file.head_ = std::move(array.header);
  file.bytes_ = std::move(array.bytes);
  return file;
}

} // namespace graphc::data
