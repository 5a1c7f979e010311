//===- ShowReaders.h - what graphrun show reads, and how it is printed --------------*- C++ -*-===//
//
// A reader makes one JSON object of a file or a folder. It is printed as it is, or as text: members
// that are plain as "name: value", objects and arrays of objects as tables under their name,
// numbers whose name ends in "bytes" as people read them.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_SHOW_SHOWREADERS_H
#define GRAPHC_TOOLS_GRAPHRUN_SHOW_SHOWREADERS_H

#include "absl/status/statusor.h"
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace graphc::graphrun {

struct ShowResult {
  nlohmann::ordered_json json;
  /// what of it is not whole, a line each: the exit status says so as well
  std::vector<std::string> damaged;
};

/// One that knows a kind of file or folder.
struct ShowReader {
  const char *what; ///< "a plan"
  bool (*knows)(const std::string &path, bool isFolder,
                std::string_view begin); ///< by its name, and a file's first bytes
  absl::StatusOr<ShowResult> (*read)(const std::string &path);
};

absl::StatusOr<ShowResult> showPlan(const std::string &path);
/// --checkpoint_dir: all of its checkpoints
absl::StatusOr<ShowResult> showCheckpointFolder(const std::string &path);
/// DIR/step-N, or its manifest.json
absl::StatusOr<ShowResult> showCheckpoint(const std::string &path);
absl::StatusOr<ShowResult> showTensors(const std::string &path); ///< a .safetensors file

std::string shownText(const nlohmann::ordered_json &json);

} // namespace graphc::graphrun
#endif
