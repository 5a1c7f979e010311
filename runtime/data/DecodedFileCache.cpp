#include "runtime/data/DecodedFileCache.h"

#include "runtime/common/base/Crc32c.h"
#include "runtime/common/base/Sha256.h"
#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::data {
namespace {

/// In front of the payload in a cache file. The layout is this machine's own; another one cannot
/// share the folder's files unless it is alike, and `magic` differs by byte order.
struct CacheHeader {
  char magic[8];
  uint64_t order;
  uint8_t type, dimensions, reserved[6];
  uint32_t shape[8];
  uint64_t reserved2, payloadBytes;
  uint8_t key[32];
  uint32_t payloadCrc; ///< CRC-32C of what follows the header
  uint8_t padding[20];
};
static_assert(sizeof(CacheHeader) == 128);
constexpr char cacheMagic[8] = {'g', 'c', 'i', 'd', 'x', '0', '0', '3'};
constexpr uint64_t cacheOrder = 0x0102030405060708;

CacheHeader makeHeader(const ArrayHeader &array, const base::Sha256Digest &key) {
  CacheHeader header = {};
  memcpy(header.magic, cacheMagic, 8);
  header.order = cacheOrder;
  header.type = static_cast<uint8_t>(array.type);
  header.dimensions = static_cast<uint8_t>(array.shape.size());
  std::copy(array.shape.begin(), array.shape.end(), header.shape);
  header.payloadBytes = array.payloadBytes;
  memcpy(header.key, key.data(), 32);
  return header;
}

/// The folder, made where it is missing; "" where it cannot be used. A folder that others may write
/// is not trusted.
std::string usableCacheDir(const DatasetSearchPath &search) {
  std::string folder = search.cacheDir.empty() ? defaultCacheDir() : search.cacheDir;
  if (!search.useCache || folder.empty() || !base::makeDirectories(folder, 0700).ok())
    return "";
  struct stat info;
  if (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
      (info.st_mode & 0022))
    return "";
  return folder;
}

/// Maps the cache file if it is whole, of this source and as it was written: changed bytes would
/// train to other weights in silence.
bool mapCache(const std::string &path, const base::Sha256Digest &key, ArrayHeader &array,
              base::MappedFile &mapping) {
  absl::StatusOr<base::MappedFile> file = base::MappedFile::open(path, base::SymlinkPolicy::Refuse);
  if (!file.ok() || file->size() < sizeof(CacheHeader))
    return false;
  CacheHeader header;
  memcpy(&header, file->data(), sizeof(header));
  if (memcmp(header.magic, cacheMagic, 8) != 0 || header.order != cacheOrder ||
      memcmp(header.key, key.data(), 32) != 0 || header.dimensions < 1 || header.dimensions > 8)
    return false;
  array.type = static_cast<StoredType>(header.type);
  array.shape.assign(header.shape, header.shape + header.dimensions);
  array.payloadBytes = header.payloadBytes;
  // The same checks as for a source: a damaged cache must not become a wild read.
  unsigned __int128 bytes = sizeOf(array.type);
  for (uint32_t size : array.shape) {
    bytes *= size;
    if (bytes > maxArrayBytes)
      return false;
  }
  if (bytes == 0 || bytes != array.payloadBytes ||
      file->size() != sizeof(header) + array.payloadBytes ||
      base::crc32c(0, file->data() + sizeof(header), array.payloadBytes) != header.payloadCrc)
    return false;
  mapping = std::move(*file);
  return true;
}

/// Removes the files not used for longest until the rest fits; `keep` stays. A file that goes while
/// a task has it mapped stays until that task ends, and one that another task is about to open is
/// decoded again.
void pruneCache(const std::string &folder, const std::string &keep, uint64_t limit) {
  struct Entry {
    std::filesystem::file_time_type used;
    uint64_t bytes;
    std::filesystem::path path;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code gone; // another task prunes too
    Entry entry{at->last_write_time(gone), at->file_size(gone), at->path()};
    if (gone || at->path().extension() != ".idx")
      continue;
    total += entry.bytes;
    if (at->path() != keep)
      entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return a.used < b.used; });
  for (const Entry &entry : entries) {
    if (total <= limit)
      return;
    std::filesystem::remove(entry.path, error);
    total -= entry.bytes;
  }
}

/// Decodes into a nameless file in the cache and links it to `path`. False: no cache (full,
/// read-only, …), which is no error; an error of the source is one.
absl::StatusOr<bool> writeCache(const ElementDecoder &decode, const base::Sha256Digest &key,
                                const std::string &folder, const std::string &path) {
  base::UniqueFd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!fd)
    return false;
  CacheHeader header = {};
  bool written = base::writeAll(fd.get(), &header, sizeof(header), path).ok();
  if (!written)
    return false;
  // Once the reader has moved, a failed write cannot fall back in place; the caller reads the
  // source again.
  uint32_t crc = 0;
  absl::StatusOr<ArrayHeader> array = decode([&](const uint8_t *data, size_t size) -> absl::Status {
    crc = base::crc32c(crc, data, size);
    written = base::writeAll(fd.get(), data, size, path).ok();
    return written ? absl::OkStatus() : absl::UnavailableError("");
  });
  if (!written)
    return false;
  if (!array.ok())
    return array.status();
  header = makeHeader(*array, key);
  header.payloadCrc = crc;
  if (pwrite(fd.get(), &header, sizeof(header), 0) != sizeof(header) || fsync(fd.get()) != 0)
    return false;
  std::string self = absl::StrCat("/proc/self/fd/", fd.get());
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return true;
    // Either another task was faster, or a damaged file is in the way; the first is found again by
    // the caller.
    if (errno != EEXIST)
      return false;
    ArrayHeader other;
    base::MappedFile mapping;
    if (mapCache(path, key, other, mapping))
      return true;
    unlink(path.c_str());
  }
  return false;
}

} // namespace

std::string defaultCacheDir() {
  const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (xdg && xdg[0] == '/')
    return absl::StrCat(xdg, "/graphc");
  if (home && home[0] == '/')
    return absl::StrCat(home, "/.cache/graphc");
  return "";
}

absl::StatusOr<DecodedArray> decodeInMemory(const ElementDecoder &decode) {
  auto bytes = std::make_shared<StoredBytes>();
  GRAPHC_ASSIGN_OR_RETURN(ArrayHeader header, decode([&](const uint8_t *data, size_t size) {
                            bytes->memory.insert(bytes->memory.end(), data, data + size);
                            return absl::OkStatus();
                          }));
  bytes->data = bytes->memory.data();
  bytes->size = bytes->memory.size();
  bytes->where = "memory";
  return DecodedArray{std::move(header), std::move(bytes)};
}

absl::StatusOr<DecodedArray> decodeOnce(const std::string &path, const std::string &how,
                                        const DatasetSearchPath &search,
                                        const ElementDecoder &decode) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return base::errnoStatus(path, errno);
  std::string folder = usableCacheDir(search);
  if (folder.empty())
    return decodeInMemory(decode);
  std::error_code error;
  std::string real = std::filesystem::canonical(path, error).string();
  base::Sha256Digest key = base::sha256(
      absl::StrCat(error ? path : real, "\n", info.st_size, "\n", info.st_mtim.tv_sec, ".",
                   info.st_mtim.tv_nsec, "\n", info.st_dev, ":", info.st_ino, "\n", how));
  std::string cached = absl::StrCat(folder, "/", base::toHex(key).substr(0, 32), ".idx");
  auto bytes = std::make_shared<StoredBytes>();
  ArrayHeader header;
  if (mapCache(cached, key, header, bytes->mapping)) {
    utimensat(AT_FDCWD, cached.c_str(), nullptr, 0); // used now; pruning goes by it
    bytes->where = "cache";
  } else {
    GRAPHC_ASSIGN_OR_RETURN(bool wrote, writeCache(decode, key, folder, cached));
    const bool mapped = wrote && mapCache(cached, key, header, bytes->mapping);
    pruneCache(folder, cached, search.cacheLimit);
    if (!mapped)
      return decodeInMemory(decode);
    bytes->where = "decoded into the cache";
  }
  bytes->data = bytes->mapping.data() + sizeof(CacheHeader);
  bytes->size = header.payloadBytes;
  return DecodedArray{std::move(header), std::move(bytes)};
}

absl::Status tooLarge(uint64_t limit, const std::string &name) {
  return absl::ResourceExhaustedError(
      absl::StrCat(name, ": decodes to more than the ", limit >> 20,
                   " MiB that --data_cache_mb allows; raise that, or store it "
                   "uncompressed"));
}

ElementSink atMost(uint64_t limit, const std::string &name, ElementSink sink) {
  return [limit, name, sink = std::move(sink), total = uint64_t(0)](const uint8_t *data,
                                                                    size_t size) mutable {
    total += size;
    if (total > limit)
      return tooLarge(limit, name);
    return sink(data, size);
  };
}

absl::StatusOr<std::shared_ptr<const StoredBytes>> openContent(const std::string &path,
                                                               const DatasetSearchPath &search) {
  GRAPHC_ASSIGN_OR_RETURN(base::MappedFile source, base::MappedFile::open(path));
  if (!base::isGzip(source.view())) {
    auto bytes = std::make_shared<StoredBytes>();
    bytes->mapping = std::move(source);
    bytes->data = bytes->mapping.data();
    bytes->size = bytes->mapping.size();
    bytes->where = "mapped";
    return bytes;
  }
  auto decode = [&](const ElementSink &sink) -> absl::StatusOr<ArrayHeader> {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<base::ByteReader> reader,
                            base::openBytes(source.view(), path));
    GRAPHC_ASSIGN_OR_RETURN(uint64_t size,
                            passOn(*reader, UINT64_MAX, atMost(search.cacheLimit, path, sink)));
    return makeList(StoredType::U8, size, 1, path);
  };
  GRAPHC_ASSIGN_OR_RETURN(DecodedArray array, decodeOnce(path, "content", search, decode));
  return array.bytes;
}

absl::StatusOr<uint64_t> passOn(base::ByteReader &reader, uint64_t most, const ElementSink &sink) {
  std::vector<uint8_t> buffer(1 << 18);
  uint64_t total = 0;
  while (total < most) {
    const size_t wanted = std::min<uint64_t>(buffer.size(), most - total);
    GRAPHC_ASSIGN_OR_RETURN(size_t count, reader.read(buffer.data(), wanted));
    if (count)
      GRAPHC_RETURN_IF_ERROR(sink(buffer.data(), count));
    total += count;
    if (count < wanted)
      break;
  }
  return total;
}

absl::StatusOr<ArrayHeader> makeList(StoredType type, uint64_t rows, uint64_t elements,
                                     const std::string &name) {
  if (rows == 0)
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": it is empty, expected at least one sample"));
  if (rows > UINT32_MAX || elements > UINT32_MAX || rows > maxArrayBytes / sizeOf(type) / elements)
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": ", rows, " samples decoded, expected at most ", UINT32_MAX, " and 1 TiB"));
  ArrayHeader header{type, {uint32_t(rows)}, rows * elements * sizeOf(type)};
  if (elements > 1)
    header.shape.push_back(uint32_t(elements));
  return header;
}

} // namespace graphc::data
