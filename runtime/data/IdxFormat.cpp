#include "runtime/data/IdxFormat.h"

#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <bit>

namespace graphc::data {

absl::StatusOr<IdxHeader> readIdxHeader(base::ByteReader &reader, const std::string &name) {
  auto bad = [&](std::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": not an IDX file: ", absl::string_view(why.data(), why.size())));
  };
  uint8_t start[4];
  GRAPHC_ASSIGN_OR_RETURN(size_t count, reader.read(start, 4));
  if (count < 4)
    return bad(absl::StrCat("it has only ", count, " bytes"));
  if (start[0] || start[1])
    return bad(
        absl::StrFormat("it starts with bytes %02x %02x, expected 00 00", start[0], start[1]));
  IdxHeader header;
  header.type = static_cast<StoredType>(start[2]);
  if (start[2] > uint8_t(StoredType::F64) || sizeOf(header.type) == 0)
    return bad(absl::StrFormat("unknown element type 0x%02x, expected 08, 09, 0b, 0c, 0d or 0e",
                               start[2]));
  if (start[3] < 1 || start[3] > 8)
    return bad(absl::StrCat("it has ", int(start[3]), " dimensions, expected 1 to 8"));
  header.headerBytes = 4 + 4 * uint64_t(start[3]);
  uint64_t bytes = sizeOf(header.type);
  for (int i = 0; i < start[3]; ++i) {
    uint8_t b[4];
    GRAPHC_ASSIGN_OR_RETURN(size_t got, reader.read(b, 4));
    if (got < 4)
      return bad("it ends within its header");
    uint32_t size = uint32_t(b[0]) << 24 | uint32_t(b[1]) << 16 | uint32_t(b[2]) << 8 | b[3];
    if (size == 0)
      return bad(absl::StrCat("dimension ", i, " is 0"));
    // Both factors are below 2^41 and 2^32, so this cannot overflow.
    unsigned __int128 product = (unsigned __int128)bytes * size;
    if (product > maxArrayBytes)
      return bad("its dimensions make more than 1 TiB");
    bytes = uint64_t(product);
    header.shape.push_back(size);
  }
  header.payloadBytes = bytes;
  return header;
}

absl::Status readIdxPayload(base::ByteReader &reader, const IdxHeader &header,
                            const std::string &name,
                            const std::function<absl::Status(const uint8_t *, size_t)> &sink) {
  constexpr size_t piece = 1 << 18; // a multiple of every element size
  std::vector<uint8_t> buffer(std::min<uint64_t>(piece, header.payloadBytes));
  size_t width = sizeOf(header.type);
  uint64_t left = header.payloadBytes;
  while (left > 0) {
    size_t wanted = std::min<uint64_t>(buffer.size(), left);
    GRAPHC_ASSIGN_OR_RETURN(size_t count, reader.read(buffer.data(), wanted));
    if (count < wanted)
      return absl::DataLossError(absl::StrCat(
          name, ": truncated: its header promises ", header.payloadBytes,
          " bytes of elements, found ", header.payloadBytes - left + count, "; fetch it again"));
    if (width > 1 && std::endian::native == std::endian::little)
      for (size_t i = 0; i < count; i += width)
        std::reverse(buffer.begin() + i, buffer.begin() + i + width);
    GRAPHC_RETURN_IF_ERROR(sink(buffer.data(), count));
    left -= count;
  }
  uint8_t extra;
  GRAPHC_ASSIGN_OR_RETURN(size_t more, reader.read(&extra, 1));
  if (more)
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": more bytes follow than the ", header.payloadBytes, " that its header promises"));
  return absl::OkStatus();
}

} // namespace graphc::data
