// graphrun explain: a folder of recordings that anybody may have written. A script's first line is
// the plan's sketch, each other one a recording, put into a half with a checksum that is right (how
// 0), or the file as it is. Lines come out, or an error in words.
#include "runtime/session/hangs/ExplainRecordings.h"
#include "test/fuzz/Protocol.h"

#include <google/protobuf/stubs/logging.h>

#include <cstdlib>

using namespace graphc;

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  return seed % 3 ? test::mutateScript(data, size, maxSize, seed,
                                       test::mutateMessage<service::Recording>)
                  : test::mutateScript(data, size, maxSize, seed, test::mutateMessage<plan::Plan>);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  google::protobuf::SetLogHandler(nullptr);
  test::Script script = test::readScript({reinterpret_cast<const char *>(data), size});
  session::FailureFiles files;
  service::Sketch sketch;
  sketch.set_fingerprint("feed");
  for (size_t i = 0; i < script.lines.size() && i < 20; ++i) {
    const test::Line &line = script.lines[i];
    if (i == 0) {
      sketch.set_plan(line.bytes);
      continue;
    }
    service::Recording recording;
    std::string &file = files.recordings[std::to_string(i) + ".rec"];
    if (line.how || !recording.ParseFromString(line.bytes)) {
      file = line.bytes;
      continue;
    }
    recording.mutable_self()->set_fingerprint("feed");
    file = session::encodeHalf(line.who, recording);
  }
  files.sketch = sketch.SerializeAsString();
  auto lines = session::explain(files, 10);
  if (lines.ok() ? lines->empty() || lines->front().empty() : lines.status().message().empty())
    abort();
  return 0;
}
