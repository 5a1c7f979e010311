// .npy, safetensors, manifests, what says that training is over, and files of values of other
// programs (.npz, safetensors): the first byte says which. What is accepted must come back the
// same.
#include "runtime/checkpoint/CheckpointManifest.h"
#include "runtime/checkpoint/NpyFormat.h"
#include "runtime/checkpoint/SafetensorsFile.h"
#include "runtime/checkpoint/TrainingEndMarker.h"
#include "runtime/checkpoint/ValuesFile.h"
#include "runtime/common/base/Sha256.h"
#include "runtime/common/plan/PlanTypes.h"

#include <cstdlib>

using namespace graphc;

namespace {

void npy(std::string_view text) {
  auto array = checkpoint::decodeNpy(text, "fuzz");
  if (!array.ok())
    return;
  auto file = checkpoint::encodeNpy(array->type, array->data.data(), array->data.size());
  if (!file.ok())
    abort();
  auto again = checkpoint::decodeNpy(*file, "fuzz");
  if (!again.ok() || again->data != array->data)
    abort();
}

void safetensors(std::string_view text) {
  auto entries = checkpoint::decodeSafetensors(text, "fuzz");
  if (!entries.ok())
    return;
  for (const checkpoint::TensorEntry &entry : *entries)
    if (entry.offset > text.size() || entry.bytes > text.size() - entry.offset)
      abort();
}

void manifest(std::string_view text) {
  (void)checkpoint::decodeManifest(text, "fuzz");
  (void)checkpoint::decodeShard(text);
  // The same with its checksum made right, so that what lies behind is reached.
  constexpr size_t tail = 83; // ,\n  "sha256": "…"\n}\n
  if (text.size() < tail)
    return;
  std::string body(text.substr(0, text.size() - tail));
  std::string fixed = body + ",\n  \"sha256\": \"" + base::toHex(base::sha256(body)) + "\"\n}\n";
  auto decoded = checkpoint::decodeManifest(fixed, "fuzz");
  if (decoded.ok() &&
      !checkpoint::decodeManifest(checkpoint::encodeManifest(*decoded), "fuzz").ok())
    abort();
}

/// Every tensor, all of it and rows of it; the sanitizer looks where they are written to.
void values(std::string_view text, const char *path) {
  auto file = checkpoint::ValuesFile::parse(text, path);
  if (!file.ok())
    return;
  for (const std::string &name : file->names()) {
    auto type = file->typeOf(name);
    const uint64_t bytes = type.ok() ? plan::tensorBytes(*type).value() : 0;
    if (!type.ok() || !file->read({name, *type}).ok() || bytes > 1 << 22)
      continue;
    std::string whole(bytes, '\0'), part(bytes / 2, '\0');
    if (!file->read({name, *type, whole.data(), whole.size()}).ok() ||
        !file->read({name, *type, part.data(), part.size(), bytes / 4}).ok() ||
        whole.substr(bytes / 4, bytes / 2) != part)
      abort();
  }
}

void finished(std::string_view text) {
  auto decoded = checkpoint::decodeFinished(text, "fuzz");
  if (!decoded.ok())
    return;
  const std::string written = checkpoint::encodeFinished(*decoded);
  auto again = checkpoint::decodeFinished(written, "fuzz");
  if (!again.ok() || checkpoint::encodeFinished(*again) != written)
    abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return -1;
  std::string_view text(reinterpret_cast<const char *>(data + 1), size - 1);
  switch (data[0]) {
  case 'n':
    npy(text);
    return 0;
  case 's':
    safetensors(text);
    return 0;
  case 'z':
    values(text, "fuzz.npz");
    return 0;
  case 'v':
    values(text, "fuzz.safetensors");
    return 0;
  case 'm':
    manifest(text);
    return 0;
  case 'f':
    finished(text);
    return 0;
  default:
    return -1; // not kept
  }
}
