#include "runtime/data/IdxFile.h"

#include "runtime/base/Crc32c.h"
#include "runtime/base/Sha256.h"
#include "runtime/base/Status.h"

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

/// In front of the payload in a cache file. The layout is this machine's own; another one cannot share the folder's
/// files unless it is alike, and `magic` differs by byte order.
struct CacheHeader {
  char magic[8];
  uint64_t order;
  uint8_t type, dimensions, reserved[6];
  uint32_t shape[8];
  uint64_t headerBytes, payloadBytes;
  uint8_t key[32];
  uint32_t payloadCrc; ///< CRC-32C of what follows the header
  uint8_t padding[20];
};
static_assert(sizeof(CacheHeader) == 128);
constexpr char cacheMagic[8] = {'g', 'c', 'i', 'd', 'x', '0', '0', '2'};
constexpr uint64_t cacheOrder = 0x0102030405060708;

CacheHeader makeHeader(const IdxHeader &idx, const base::Digest &key) {
  CacheHeader header = {};
  memcpy(header.magic, cacheMagic, 8);
  header.order = cacheOrder;
  header.type = static_cast<uint8_t>(idx.type);
  header.dimensions = static_cast<uint8_t>(idx.shape.size());
  std::copy(idx.shape.begin(), idx.shape.end(), header.shape);
  header.headerBytes = idx.headerBytes;
  header.payloadBytes = idx.payloadBytes;
  memcpy(header.key, key.data(), 32);
  return header;
}

/// The folder, made where it is missing; "" where it cannot be used. A folder that others may write is not trusted.
std::string usableCacheDir(const DataSearch &search) {
  std::string folder = search.cacheDir.empty() ? defaultCacheDir() : search.cacheDir;
  if (!search.useCache || folder.empty() || !base::makeDirectories(folder, 0700).ok())
    return "";
  struct stat info;
  if (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 0022))
    return "";
  return folder;
}

/// Maps the cache file if it is whole, of this source and as it was written: changed bytes would train to other weights in silence.
bool mapCache(const std::string &path, const base::Digest &key, IdxHeader &idx, base::MappedFile &mapping) {
  absl::StatusOr<base::MappedFile> file = base::MappedFile::open(path, base::Links::Refuse);
  if (!file.ok() || file->size() < sizeof(CacheHeader))
    return false;
  CacheHeader header;
  memcpy(&header, file->data(), sizeof(header));
  if (memcmp(header.magic, cacheMagic, 8) != 0 || header.order != cacheOrder ||
      memcmp(header.key, key.data(), 32) != 0 || header.dimensions < 1 || header.dimensions > 8)
    return false;
  idx.type = static_cast<StoredType>(header.type);
  idx.shape.assign(header.shape, header.shape + header.dimensions);
  idx.headerBytes = header.headerBytes;
  idx.payloadBytes = header.payloadBytes;
  // The same checks as for a source: a damaged cache must not become a wild read.
  unsigned __int128 bytes = sizeOf(idx.type);
  for (uint32_t size : idx.shape) {
    bytes *= size;
    if (bytes > maxIdxPayload)
      return false;
  }
  if (bytes == 0 || bytes != idx.payloadBytes || file->size() != sizeof(header) + idx.payloadBytes ||
      base::crc32c(0, file->data() + sizeof(header), idx.payloadBytes) != header.payloadCrc)
    return false;
  mapping = std::move(*file);
  return true;
}

/// Removes the files not used for longest until the rest fits; `keep` stays. A file that goes while a task has it mapped stays
/// until that task ends, and one that another task is about to open is decoded again.
void pruneCache(const std::string &folder, const std::string &keep, uint64_t limit) {
  struct Entry {
    std::filesystem::file_time_type used;
    uint64_t bytes;
    std::filesystem::path path;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone; // another task prunes too
    Entry entry{at->last_write_time(gone), at->file_size(gone), at->path()};
    if (gone || at->path().extension() != ".idx")
      continue;
    total += entry.bytes;
    if (at->path() != keep)
      entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return a.used < b.used; });
  for (const Entry &entry : entries) {
    if (total <= limit)
      return;
    std::filesystem::remove(entry.path, error);
    total -= entry.bytes;
  }
}

/// Decodes into a nameless file in the cache and links it to `path`. False: no cache (full, read-only, …), which is no
/// error; an error of the source is one.
absl::StatusOr<bool> writeCache(ByteReader &reader, const IdxHeader &idx, const base::Digest &key,
                                const std::string &name, const std::string &folder, const std::string &path) {
  base::UniqueFd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!fd)
    return false;
  CacheHeader header = makeHeader(idx, key);
  bool written = base::writeAll(fd.get(), &header, sizeof(header), path).ok();
  if (!written)
    return false;
  // Once the reader has moved, a failed write cannot fall back in place; the caller reads the source again.
  absl::Status status = readIdxPayload(reader, idx, name, [&](const uint8_t *data, size_t size) -> absl::Status {
    header.payloadCrc = base::crc32c(header.payloadCrc, data, size);
    written = base::writeAll(fd.get(), data, size, path).ok();
    return written ? absl::OkStatus() : absl::UnavailableError("");
  });
  if (!written)
    return false;
  GRAPHC_RETURN_IF_ERROR(status);
  if (pwrite(fd.get(), &header, sizeof(header), 0) != sizeof(header) || fsync(fd.get()) != 0)
    return false;
  std::string self = absl::StrCat("/proc/self/fd/", fd.get());
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return true;
    // Either another task was faster, or a damaged file is in the way; the first is found again by the caller.
    if (errno != EEXIST)
      return false;
    IdxHeader other;
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

absl::StatusOr<IdxFile> IdxFile::decode(std::string_view content, const std::string &name) {
  IdxFile file;
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<ByteReader> reader, openBytes(content, name));
  GRAPHC_ASSIGN_OR_RETURN(file.head, readIdxHeader(*reader, name));
  GRAPHC_RETURN_IF_ERROR(readIdxPayload(*reader, file.head, name, [&](const uint8_t *data, size_t size) {
    file.memory.insert(file.memory.end(), data, data + size);
    return absl::OkStatus();
  }));
  file.bytes = file.memory.data();
  file.where = "memory";
  return file;
}

absl::StatusOr<IdxFile> IdxFile::open(const std::string &path, const DataSearch &search) {
  GRAPHC_ASSIGN_OR_RETURN(base::MappedFile source, base::MappedFile::open(path));
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return base::errnoStatus(path, errno);

  IdxFile file;
  if (!isGzip(source.view())) {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<ByteReader> reader, openBytes(source.view(), path));
    GRAPHC_ASSIGN_OR_RETURN(file.head, readIdxHeader(*reader, path));
    if (sizeOf(file.head.type) == 1) {
      // Checks the length only; no byte of the payload is touched.
      uint64_t found = source.size() - file.head.headerBytes;
      if (found != file.head.payloadBytes)
        return absl::DataLossError(absl::StrCat(path, ": its header promises ", file.head.payloadBytes,
                                                " bytes of elements, found ", found, "; fetch it again"));
      file.mapping = std::move(source);
      file.bytes = file.mapping.data() + file.head.headerBytes;
      file.where = "mapped";
      return file;
    }
  }

  std::string folder = usableCacheDir(search);
  if (!folder.empty()) {
    std::error_code error;
    std::string real = std::filesystem::canonical(path, error).string();
    base::Digest key = base::sha256(absl::StrCat(error ? path : real, "\n", info.st_size, "\n", info.st_mtim.tv_sec,
                                                 ".", info.st_mtim.tv_nsec, "\n", info.st_dev, ":", info.st_ino));
    std::string cached = absl::StrCat(folder, "/", base::toHex(key).substr(0, 32), ".idx");
    bool hit = mapCache(cached, key, file.head, file.mapping);
    if (!hit) {
      GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<ByteReader> reader, openBytes(source.view(), path));
      GRAPHC_ASSIGN_OR_RETURN(IdxHeader header, readIdxHeader(*reader, path));
      GRAPHC_ASSIGN_OR_RETURN(bool wrote, writeCache(*reader, header, key, path, folder, cached));
      if (wrote && mapCache(cached, key, file.head, file.mapping))
        file.where = "decoded into the cache";
      pruneCache(folder, cached, search.cacheLimit);
    } else {
      utimensat(AT_FDCWD, cached.c_str(), nullptr, 0); // used now; pruning goes by it
      file.where = "cache";
    }
    if (file.where[0]) {
      file.bytes = file.mapping.data() + sizeof(CacheHeader);
      return file;
    }
  }
  return decode(source.view(), path);
}

} // namespace graphc::data
