//===- TemporaryFolder.h - a folder of one test, which goes away with it ------------*- C++ -*-===//
#ifndef GRAPHC_TEST_RUNTIME_COMMON_BASE_TEMPORARYFOLDER_H
#define GRAPHC_TEST_RUNTIME_COMMON_BASE_TEMPORARYFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace graphc {

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "graphc-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  /// Writes a file, and the folders that lead to it; returns its path.
  std::string write(const std::string &name, const std::string &content) const {
    std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file.string();
  }
  std::string operator/(const std::string &name) const { return (path_ / name).string(); }
  std::string str() const { return path_.string(); }

private:
  std::filesystem::path path_;
};

} // namespace graphc
#endif
