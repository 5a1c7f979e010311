#include "runtime/common/base/ByteReader.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <zlib.h>

namespace graphc::base {
namespace {

class PlainReader : public ByteReader {
public:
  explicit PlainReader(std::string_view content) : rest_(content) {}
  absl::StatusOr<size_t> read(void *out, size_t bytes) override {
    size_t count = std::min(bytes, rest_.size());
    if (count)
      memcpy(out, rest_.data(), count);
    rest_.remove_prefix(count);
    return count;
  }

private:
  std::string_view rest_;
};

/// gzip, or the bare deflate of a zip archive's entry.
class InflateReader : public ByteReader {
public:
  InflateReader(std::string_view content, std::string name, bool gzip)
      : gzip_(gzip), total_(content.size()), rest_(content), name_(std::move(name)) {}
  ~InflateReader() override {
    if (open_)
      inflateEnd(&stream_);
  }

  absl::Status start() {
    // 15: the largest window; + 16: gzip only, with its checks; negative: deflate alone.
    if (inflateInit2(&stream_, gzip_ ? 15 + 16 : -15) != Z_OK)
      return absl::ResourceExhaustedError(absl::StrCat(name_, ": no memory to inflate"));
    open_ = true;
    return absl::OkStatus();
  }

  absl::StatusOr<size_t> read(void *out, size_t bytes) override {
    size_t produced = 0;
    while (produced < bytes && !atEnd_) {
      // zlib counts in 32 bits.
      size_t input = std::min<size_t>(rest_.size(), 1u << 30),
             output = std::min<size_t>(bytes - produced, 1u << 30);
      stream_.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(rest_.data()));
      stream_.avail_in = static_cast<uInt>(input);
      stream_.next_out = static_cast<Bytef *>(out) + produced;
      stream_.avail_out = static_cast<uInt>(output);
      int code = inflate(&stream_, Z_NO_FLUSH);
      rest_.remove_prefix(input - stream_.avail_in);
      produced += output - stream_.avail_out;
      if (code == Z_STREAM_END) {
        // Another member may follow (cat a.gz b.gz); anything else after the end is damage.
        if (rest_.empty())
          atEnd_ = true;
        else if (!gzip_ || !isGzip(rest_))
          return damaged(
              absl::StrCat(rest_.size(), " bytes of something else follow the compressed data"));
        else if (inflateReset(&stream_) != Z_OK)
          return damaged("cannot go on to the next member");
      } else if (code == Z_BUF_ERROR || (code == Z_OK && rest_.empty() && stream_.avail_out != 0)) {
        return damaged("the compressed data end early; the file is truncated");
      } else if (code != Z_OK) {
        return damaged(stream_.msg ? stream_.msg : "not inflatable");
      }
    }
    return produced;
  }

private:
  absl::Status damaged(std::string_view why) const {
    return absl::DataLossError(absl::StrCat(
        name_, ": damaged ", gzip_ ? "gzip file" : "zip entry", " at byte ", total_ - rest_.size(),
        " of ", total_, ": ", absl::string_view(why.data(), why.size()), "; fetch it again"));
  }

  z_stream stream_ = {};
  const bool gzip_;
  bool open_ = false, atEnd_ = false;
  size_t total_;
  std::string_view rest_;
  std::string name_;
};

} // namespace

bool isGzip(std::string_view content) {
  return content.size() >= 2 && content[0] == '\x1f' && content[1] == '\x8b';
}

static absl::StatusOr<std::unique_ptr<ByteReader>> inflateBytes(std::string_view content,
                                                                std::string name, bool gzip) {
  auto reader = std::make_unique<InflateReader>(content, std::move(name), gzip);
  if (absl::Status s = reader->start(); !s.ok())
    return s;
  return reader;
}

std::unique_ptr<ByteReader> openPlain(std::string_view content) {
  return std::make_unique<PlainReader>(content);
}

absl::StatusOr<std::unique_ptr<ByteReader>> openBytes(std::string_view content, std::string name) {
  if (!isGzip(content))
    return openPlain(content);
  return inflateBytes(content, std::move(name), /*gzip=*/true);
}

absl::StatusOr<std::unique_ptr<ByteReader>> openDeflated(std::string_view content,
                                                         std::string name) {
  return inflateBytes(content, std::move(name), /*gzip=*/false);
}

} // namespace graphc::base
