// IDX, gzip, .npy and .zip bytes made by hand.
#ifndef GRAPHC_TEST_RUNTIME_DATA_TESTFILES_H
#define GRAPHC_TEST_RUNTIME_DATA_TESTFILES_H

#include "test/runtime/common/base/TemporaryFolder.h"

#include <cstdint>
#include <string>
#include <vector>
#include <zlib.h>

namespace graphc::data {

inline std::string idxHeader(uint8_t type, const std::vector<uint32_t> &shape) {
  std::string out = {'\0', '\0', char(type), char(shape.size())};
  for (uint32_t size : shape)
    for (int shift = 24; shift >= 0; shift -= 8)
      out += char(size >> shift);
  return out;
}

inline std::string gzip(const std::string &content) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, content.size()) + 64, '\0');
  stream.next_in = (Bytef *)content.data();
  stream.avail_in = uInt(content.size());
  stream.next_out = (Bytef *)out.data();
  stream.avail_out = uInt(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string littleEndian(uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i)
    out += i < 8 ? char(value >> (8 * i)) : char(0);
  return out;
}

/// A .npy file; `shape` as NumPy writes it, "(3, 2)".
inline std::string npyFile(const std::string &descr, const std::string &shape,
                           const std::string &payload, bool fortran = false, int version = 1) {
  std::string header = "{'descr': '" + descr +
                       "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }\n";
  return std::string("\x93NUMPY") + char(version) + '\0' +
         littleEndian(header.size(), version == 1 ? 2 : 4) + header + payload;
}

inline std::string deflated(const std::string &content) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, content.size()) + 64, '\0');
  stream.next_in = (Bytef *)content.data();
  stream.avail_in = uInt(content.size());
  stream.next_out = (Bytef *)out.data();
  stream.avail_out = uInt(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// A zip archive of (name, content); `wide`: with 64-bit sizes.
inline std::string zipFile(const std::vector<std::pair<std::string, std::string>> &entries,
                           bool compress, bool wide = false) {
  std::string out, directory;
  for (const auto &[name, content] : entries) {
    const std::string packed = compress ? deflated(content) : content;
    const uint32_t crc = uint32_t(crc32(0, (const Bytef *)content.data(), uInt(content.size())));
    const uint64_t at = out.size();
    const std::string both = littleEndian(wide ? UINT32_MAX : packed.size(), 4) +
                             littleEndian(wide ? UINT32_MAX : content.size(), 4) +
                             littleEndian(name.size(), 2);
    const std::string extra = wide ? littleEndian(1, 2) + littleEndian(24, 2) +
                                         littleEndian(content.size(), 8) +
                                         littleEndian(packed.size(), 8) + littleEndian(at, 8)
                                   : "";
    const std::string middle = littleEndian(20, 2) + littleEndian(0, 2) +
                               littleEndian(compress ? 8 : 0, 2) + littleEndian(0, 4) +
                               littleEndian(crc, 4) + both + littleEndian(extra.size(), 2);
    out += littleEndian(0x04034b50, 4) + middle + name + extra + packed;
    directory += littleEndian(0x02014b50, 4) + littleEndian(20, 2) + middle + littleEndian(0, 10) +
                 littleEndian(wide ? UINT32_MAX : at, 4) + name + extra;
  }
  return out + directory + littleEndian(0x06054b50, 4) + littleEndian(0, 4) +
         littleEndian(entries.size(), 2) + littleEndian(entries.size(), 2) +
         littleEndian(directory.size(), 4) + littleEndian(out.size(), 4) + littleEndian(0, 2);
}

} // namespace graphc::data
#endif
