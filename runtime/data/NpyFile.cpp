#include "runtime/data/NpyFile.h"

#include "runtime/common/base/NpyHeader.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/ZipEntry.h"

#include "absl/strings/str_cat.h"

#include <bit>

namespace graphc::data {
namespace {

static_assert(std::endian::native == std::endian::little,
              "elements are mapped as they lie in the file");

struct Descr {
  const char *text;
  StoredType type;
};
constexpr Descr descrs[] = {
    {"|b1", StoredType::Bool}, {"|u1", StoredType::U8},  {"|i1", StoredType::I8},
    {"<i2", StoredType::I16},  {"<u2", StoredType::U16}, {"<i4", StoredType::I32},
    {"<u4", StoredType::U32},  {"<i8", StoredType::I64}, {"<f2", StoredType::F16},
    {"<f4", StoredType::F32},  {"<f8", StoredType::F64}};

struct Header : ArrayHeader {
  uint64_t bytes = 0; ///< before the elements
};

/// What an array's first bytes say, as elements that this reader can use.
absl::StatusOr<Header> readHeader(std::string_view begin, const std::string &name) {
  auto bad = [&](const std::string &why) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": not a usable .npy: ", why));
  };
  absl::StatusOr<base::NpyHeader> parsed = base::parseNpyHeader(begin);
  if (!parsed.ok())
    return bad(std::string(parsed.status().message()));
  Header header;
  header.bytes = parsed->bytes;
  bool known = false;
  for (const Descr &descr : descrs)
    if (parsed->descr == descr.text) {
      header.type = descr.type;
      known = true;
    }
  if (!known)
    return bad(absl::StrCat(
        "elements of type '", parsed->descr,
        "'; expected bool, i1, u1, i2, u2, i4, u4, i8, f2, f4 or f8, little endian; save "
        "array.astype(…) of one of them"));
  if (parsed->shape.empty() || parsed->shape.size() > 8)
    return bad(absl::StrCat("it has ", parsed->shape.size(),
                            " dimensions, expected 1 to 8, the first of samples"));
  unsigned __int128 bytes = sizeOf(header.type);
  int large = 0;
  for (size_t i = 0; i < parsed->shape.size(); ++i) {
    const uint64_t size = uint64_t(parsed->shape[i]);
    if (size == 0)
      return bad(absl::StrCat("dimension ", i, " is 0"));
    // Both factors are below 2^41 and 2^63, so this cannot overflow.
    bytes *= size;
    if (bytes > maxArrayBytes || size > UINT32_MAX)
      return bad("its dimensions make more than 1 TiB");
    header.shape.push_back(uint32_t(size));
    large += size > 1;
  }
  if (parsed->fortran && large > 1)
    return bad("column-major order; save numpy.ascontiguousarray(array)");
  header.payloadBytes = uint64_t(bytes);
  return header;
}

absl::Status wrongLength(const std::string &name, const ArrayHeader &header, uint64_t found) {
  return absl::DataLossError(absl::StrCat(name, ": its header promises ", header.payloadBytes,
                                          " bytes of elements, found ", found,
                                          "; save or fetch it again"));
}

/// An array from a stream, whose length is known where the stream ends.
absl::StatusOr<ArrayHeader> decodeStream(base::ByteReader &reader, const std::string &name,
                                         const ElementSink &sink) {
  std::string begin(base::npyMostHeaderBytes, '\0');
  GRAPHC_ASSIGN_OR_RETURN(size_t got, reader.read(begin.data(), begin.size()));
  begin.resize(got);
  GRAPHC_ASSIGN_OR_RETURN(Header header, readHeader(begin, name));
  const uint64_t early = std::min<uint64_t>(got - header.bytes, header.payloadBytes);
  if (early)
    GRAPHC_RETURN_IF_ERROR(
        sink(reinterpret_cast<const uint8_t *>(begin.data()) + header.bytes, early));
  GRAPHC_ASSIGN_OR_RETURN(uint64_t late, passOn(reader, header.payloadBytes - early, sink));
  if (early + late != header.payloadBytes)
    return wrongLength(name, header, early + late);
  uint8_t extra;
  GRAPHC_ASSIGN_OR_RETURN(size_t more, reader.read(&extra, 1));
  if (more || got - header.bytes > early)
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": more bytes follow than the ", header.payloadBytes, " that its header promises"));
  return header;
}

std::string entryOf(const std::string &array) { return array + ".npy"; }

ElementDecoder decoderOf(std::string_view content, const std::string &name,
                         const std::string &array, uint64_t limit) {
  return [content, name, array, limit](const ElementSink &sink) -> absl::StatusOr<ArrayHeader> {
    std::unique_ptr<base::ByteReader> reader;
    if (array.empty()) {
      GRAPHC_ASSIGN_OR_RETURN(reader, base::openBytes(content, name));
      return decodeStream(*reader, name, atMost(limit, name, sink));
    }
    const std::string full = absl::StrCat(name, ":", array);
    GRAPHC_ASSIGN_OR_RETURN(base::ZipEntry entry, base::findInZip(content, entryOf(array), full));
    GRAPHC_ASSIGN_OR_RETURN(reader, base::openEntry(entry, full));
    return decodeStream(*reader, full, atMost(limit, full, sink));
  };
}

} // namespace

std::pair<std::string, std::string> splitNpyName(const std::string &name) {
  const size_t colon = name.find(".npz:");
  if (colon == std::string::npos)
    return {name, ""};
  return {name.substr(0, colon + 4), name.substr(colon + 5)};
}

absl::StatusOr<DecodedArray> decodeNpy(std::string_view content, const std::string &name,
                                       const std::string &array, uint64_t limit) {
  return decodeInMemory(decoderOf(content, name, array, limit));
}

absl::StatusOr<NpyArray> openNpy(const std::string &path, const std::string &array,
                                 const DatasetSearchPath &search) {
  GRAPHC_ASSIGN_OR_RETURN(base::MappedFile source, base::MappedFile::open(path));
  const std::string full = array.empty() ? path : absl::StrCat(path, ":", array);
  std::string_view plain = source.view();
  bool compressed = base::isGzip(plain);
  if (!array.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(base::ZipEntry entry, base::findInZip(plain, entryOf(array), full));
    plain = entry.content;
    compressed = entry.deflated;
  }
  if (compressed) {
    GRAPHC_ASSIGN_OR_RETURN(DecodedArray decoded,
                            decodeOnce(path, absl::StrCat("npy ", array), search,
                                       decoderOf(source.view(), path, array, search.cacheLimit)));
    return NpyArray{std::move(decoded.header), std::move(decoded.bytes), 0};
  }
  GRAPHC_ASSIGN_OR_RETURN(Header header, readHeader(plain, full));
  // The length alone is checked; no element is touched.
  if (plain.size() - header.bytes != header.payloadBytes)
    return wrongLength(full, header, plain.size() - header.bytes);
  auto bytes = std::make_shared<StoredBytes>();
  const uint64_t begin = uint64_t(plain.data() - source.view().data()) + header.bytes;
  bytes->mapping = std::move(source);
  bytes->data = bytes->mapping.data();
  bytes->size = bytes->mapping.size();
  bytes->where = "mapped";
  return NpyArray{std::move(header), std::move(bytes), begin};
}

} // namespace graphc::data
