#include "runtime/common/base/ByteReader.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <zlib.h>

namespace graphc::base {
namespace {

class PlainReader : public ByteReader {
public:
  explicit PlainReader(std::string_view content) : rest(content) {}
  absl::StatusOr<size_t> read(void *out, size_t bytes) override {
    size_t count = std::min(bytes, rest.size());
    if (count)
      memcpy(out, rest.data(), count);
    rest.remove_prefix(count);
    return count;
  }

private:
  std::string_view rest;
};

/// gzip, or the bare deflate of a zip archive's entry.
class InflateReader : public ByteReader {
public:
  InflateReader(std::string_view content, std::string name, bool gzip)
      : gzip(gzip), total(content.size()), rest(content), name(std::move(name)) {}
  ~InflateReader() override {
    if (open)
      inflateEnd(&stream);
  }

  absl::Status start() {
    // 15: the largest window; + 16: gzip only, with its checks; negative: deflate alone.
    if (inflateInit2(&stream, gzip ? 15 + 16 : -15) != Z_OK)
      return absl::ResourceExhaustedError(absl::StrCat(name, ": no memory to inflate"));
    open = true;
    return absl::OkStatus();
  }

  absl::StatusOr<size_t> read(void *out, size_t bytes) override {
    size_t produced = 0;
    while (produced < bytes && !atEnd) {
      // zlib counts in 32 bits.
      size_t input = std::min<size_t>(rest.size(), 1u << 30), output = std::min<size_t>(bytes - produced, 1u << 30);
      stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(rest.data()));
      stream.avail_in = static_cast<uInt>(input);
      stream.next_out = static_cast<Bytef *>(out) + produced;
      stream.avail_out = static_cast<uInt>(output);
      int code = inflate(&stream, Z_NO_FLUSH);
      rest.remove_prefix(input - stream.avail_in);
      produced += output - stream.avail_out;
      if (code == Z_STREAM_END) {
        // Another member may follow (cat a.gz b.gz); anything else after the end is damage.
        if (rest.empty())
          atEnd = true;
        else if (!gzip || !isGzip(rest))
          return damaged(absl::StrCat(rest.size(), " bytes of something else follow the compressed data"));
        else if (inflateReset(&stream) != Z_OK)
          return damaged("cannot go on to the next member");
      } else if (code == Z_BUF_ERROR || (code == Z_OK && rest.empty() && stream.avail_out != 0)) {
        return damaged("the compressed data end early; the file is truncated");
      } else if (code != Z_OK) {
        return damaged(stream.msg ? stream.msg : "not inflatable");
      }
    }
    return produced;
  }

private:
  absl::Status damaged(std::string_view why) const {
    return absl::DataLossError(absl::StrCat(name, ": damaged ", gzip ? "gzip file" : "zip entry", " at byte ",
                                            total - rest.size(), " of ", total, ": ",
                                            absl::string_view(why.data(), why.size()), "; fetch it again"));
  }

  z_stream stream = {};
  const bool gzip;
  bool open = false, atEnd = false;
  size_t total;
  std::string_view rest;
  std::string name;
};

} // namespace

bool isGzip(std::string_view content) { return content.size() >= 2 && content[0] == '\x1f' && content[1] == '\x8b'; }

static absl::StatusOr<std::unique_ptr<ByteReader>> inflateBytes(std::string_view content, std::string name, bool gzip) {
  auto reader = std::make_unique<InflateReader>(content, std::move(name), gzip);
  if (absl::Status s = reader->start(); !s.ok())
    return s;
  return reader;
}

std::unique_ptr<ByteReader> openPlain(std::string_view content) { return std::make_unique<PlainReader>(content); }

absl::StatusOr<std::unique_ptr<ByteReader>> openBytes(std::string_view content, std::string name) {
  if (!isGzip(content))
    return openPlain(content);
  return inflateBytes(content, std::move(name), /*gzip=*/true);
}

absl::StatusOr<std::unique_ptr<ByteReader>> openDeflated(std::string_view content, std::string name) {
  return inflateBytes(content, std::move(name), /*gzip=*/false);
}

} // namespace graphc::base
