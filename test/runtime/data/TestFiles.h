// IDX and gzip bytes made by hand, and a folder that goes away.
#ifndef GRAPHC_TEST_RUNTIME_DATA_TESTFILES_H
#define GRAPHC_TEST_RUNTIME_DATA_TESTFILES_H

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "graphc-data-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::string write(const std::string &name, const std::string &content) const {
    std::filesystem::path file = path / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file.string();
  }
  std::string operator/(const std::string &name) const { return (path / name).string(); }
  std::string str() const { return path.string(); }

private:
  std::filesystem::path path;
};

} // namespace graphc::data
#endif
