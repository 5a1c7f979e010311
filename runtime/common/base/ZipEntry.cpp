#include "runtime/common/base/ZipEntry.h"

#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <optional>
#include <zlib.h>

namespace graphc::base {
namespace {

constexpr uint32_t endMagic = 0x06054b50, end64Magic = 0x06064b50, locatorMagic = 0x07064b50,
                   entryMagic = 0x02014b50, localMagic = 0x04034b50;
constexpr size_t endBytes = 22, locatorBytes = 20, end64Bytes = 56, entryBytes = 46,
                 localBytes = 30;
constexpr size_t mostComment = 65535;
constexpr uint16_t encrypted = 1, stored = 0, deflated = 8;

/// `width` bytes at `at`, little endian; the caller has looked that they are there.
uint64_t number(std::string_view bytes, size_t at, int width) {
  uint64_t value = 0;
  for (int i = 0; i < width; ++i)
    value |= uint64_t(static_cast<uint8_t>(bytes[at + size_t(i)])) << (8 * i);
  return value;
}

struct Directory {
  uint64_t begin = 0, bytes = 0;
};

absl::StatusOr<Directory> findDirectory(std::string_view archive, const std::string &name) {
  auto bad = [&](const char *why) {
    return absl::DataLossError(absl::StrCat(name, ": not a whole .npz: ", why));
  };
  if (archive.size() < endBytes)
    return bad("it is shorter than the end of a zip archive");
  size_t at = archive.size() - endBytes, least = at - std::min(at, mostComment);
  while (number(archive, at, 4) != endMagic ||
         number(archive, at + 20, 2) != archive.size() - at - endBytes)
    if (at-- == least)
      return bad("it has no directory at its end; fetch it again");
  Directory found{number(archive, at + 16, 4), number(archive, at + 12, 4)};
  if (found.begin == UINT32_MAX || found.bytes == UINT32_MAX ||
      number(archive, at + 10, 2) == UINT16_MAX) {
    if (at < locatorBytes || number(archive, at - locatorBytes, 4) != locatorMagic)
      return bad("its 64-bit directory is not there");
    uint64_t where = number(archive, at - locatorBytes + 8, 8);
    if (where > archive.size() - endBytes || archive.size() - where < end64Bytes ||
        number(archive, where, 4) != end64Magic)
      return bad("its 64-bit directory is not where it says");
    found = {number(archive, where + 48, 8), number(archive, where + 40, 8)};
  }
  if (found.begin > at || found.bytes > at - found.begin)
    return bad("its directory is not where it says");
  return found;
}

/// Sizes and offset of an entry that do not fit in 32 bits, in the order that they have in its
/// extra fields.
bool readWide(std::string_view extra, std::initializer_list<uint64_t *> numbers) {
  while (extra.size() >= 4) {
    size_t id = number(extra, 0, 2), bytes = number(extra, 2, 2);
    if (bytes > extra.size() - 4)
      return false;
    if (id == 1) {
      std::string_view rest = extra.substr(4, bytes);
      for (uint64_t *one : numbers)
        if (*one == UINT32_MAX) {
          if (rest.size() < 8)
            return false;
          *one = number(rest, 0, 8);
          rest.remove_prefix(8);
        }
      return true;
    }
    extra.remove_prefix(4 + bytes);
  }
  return std::none_of(numbers.begin(), numbers.end(),
                      [](uint64_t *one) { return *one == UINT32_MAX; });
}

/// Whatever zlib inflates, no more than was promised, and at its end the sum.
class CheckedReader : public ByteReader {
public:
  CheckedReader(std::unique_ptr<ByteReader> source, const ZipEntry &entry, std::string name)
      : source_(std::move(source)), left_(entry.bytes), expected_(entry.crc),
        name_(std::move(name)) {}

  absl::StatusOr<size_t> read(void *out, size_t bytes) override {
    GRAPHC_ASSIGN_OR_RETURN(size_t count, source_->read(out, std::min<uint64_t>(bytes, left_)));
    crc_ = uint32_t(crc32_z(crc_, static_cast<const Bytef *>(out), count));
    left_ -= count;
    if (count < bytes && left_ > 0)
      return damaged("ends early");
    if (left_ == 0 && !checked_) {
      uint8_t extra;
      GRAPHC_ASSIGN_OR_RETURN(size_t more, source_->read(&extra, 1));
      if (more)
        return damaged("has more bytes than its directory says");
      if (crc_ != expected_)
        return damaged("does not have the sum that its directory has");
      checked_ = true;
    }
    return count;
  }

private:
  absl::Status damaged(const char *why) const {
    return absl::DataLossError(absl::StrCat(name_, ": the entry ", why, "; fetch it again"));
  }

  std::unique_ptr<ByteReader> source_;
  uint64_t left_;
  uint32_t crc_ = 0, expected_;
  bool checked_ = false;
  std::string name_;
};

} // namespace

static absl::Status unusable(const std::string &name, std::string_view why) {
  return absl::DataLossError(absl::StrCat(name, ": not a usable .npz: ", view(why)));
}

absl::Status forEachInZip(std::string_view archive, const std::string &name,
                          const std::function<bool(const ZipListed &)> &take) {
  GRAPHC_ASSIGN_OR_RETURN(Directory directory, findDirectory(archive, name));
  std::string_view rest = archive.substr(directory.begin, directory.bytes);
  while (!rest.empty()) {
    if (rest.size() < entryBytes || number(rest, 0, 4) != entryMagic)
      return unusable(name, "its directory is damaged; fetch it again");
    const uint64_t nameBytes = number(rest, 28, 2), extraBytes = number(rest, 30, 2),
                   comment = number(rest, 32, 2);
    if (rest.size() - entryBytes < nameBytes + extraBytes + comment)
      return unusable(name, "its directory ends within an entry; fetch it again");
    const ZipListed listed{.name = rest.substr(entryBytes, nameBytes),
                           .extra = rest.substr(entryBytes + nameBytes, extraBytes),
                           .crc = uint32_t(number(rest, 16, 4)),
                           .flags = number(rest, 8, 2),
                           .method = number(rest, 10, 2),
                           .packed = number(rest, 20, 4),
                           .bytes = number(rest, 24, 4),
                           .begin = number(rest, 42, 4)};
    if (!take(listed))
      break;
    rest.remove_prefix(entryBytes + nameBytes + extraBytes + comment);
  }
  return absl::OkStatus();
}

absl::StatusOr<ZipEntry> locateInZip(std::string_view archive, const ZipListed &listed,
                                     const std::string &name) {
  uint64_t packed = listed.packed, bytes = listed.bytes, begin = listed.begin;
  if (!readWide(listed.extra, {&bytes, &packed, &begin}))
    return unusable(name, "the entry has no 64-bit sizes where it needs them");
  if (listed.flags & encrypted)
    return unusable(name, "the entry is encrypted");
  if (listed.method != stored && listed.method != deflated)
    return unusable(
        name, absl::StrCat(
                  "the entry is compressed by method ", listed.method,
                  "; expected stored or deflated, as numpy.savez and numpy.savez_compressed do"));
  if (begin > archive.size() || archive.size() - begin < localBytes ||
      number(archive, begin, 4) != localMagic)
    return unusable(name, "the entry is not where the directory says");
  const uint64_t data =
      begin + localBytes + number(archive, begin + 26, 2) + number(archive, begin + 28, 2);
  if (data > archive.size() || packed > archive.size() - data)
    return unusable(
        name, absl::StrCat("the entry's ", packed, " bytes are not all there; fetch it again"));
  if (listed.method == stored && packed != bytes)
    return unusable(name, "the entry is stored with another size than it has");
  return ZipEntry{archive.substr(data, packed), listed.method == deflated, bytes, listed.crc};
}

absl::StatusOr<ZipEntry> findInZip(std::string_view archive, std::string_view entry,
                                   const std::string &name) {
  std::string others;
  int named = 0;
  std::optional<ZipListed> found;
  GRAPHC_RETURN_IF_ERROR(forEachInZip(archive, name, [&](const ZipListed &listed) {
    if (listed.name == entry)
      found = listed;
    else if (++named <= 8)
      absl::StrAppend(&others, named > 1 ? ", " : "",
                      view(listed.name.substr(0, listed.name.rfind(".npy"))));
    return !found;
  }));
  if (found)
    return locateInZip(archive, *found, name);
  return absl::NotFoundError(
      absl::StrCat(name, ": no such array; the archive has ", named ? others : "none",
                   named > 8 ? absl::StrCat(" and ", named - 8, " more") : ""));
}

absl::StatusOr<std::unique_ptr<ByteReader>> openEntry(const ZipEntry &entry,
                                                      const std::string &name) {
  std::unique_ptr<ByteReader> source;
  if (entry.deflated) {
    GRAPHC_ASSIGN_OR_RETURN(source, openDeflated(entry.content, name));
  } else {
    source = openPlain(entry.content);
  }
  return std::make_unique<CheckedReader>(std::move(source), entry, name);
}

} // namespace graphc::base
