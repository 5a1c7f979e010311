#include "runtime/checkpoint/ValuesFile.h"

#include "runtime/checkpoint/NpyFormat.h"
#include "runtime/common/base/Crc32c.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace graphc::checkpoint {
namespace {
constexpr std::string_view npz = ".npz", npy = ".npy", safetensors = ".safetensors";
/// More than models have variables; a directory of them fits in memory.
constexpr size_t mostTensors = 1 << 17;
constexpr size_t pieceBytes = 1 << 20;
} // namespace

bool ValuesFile::isNamedSo(std::string_view path) {
  return path.ends_with(npz) || path.ends_with(safetensors);
}

absl::StatusOr<ValuesFile> ValuesFile::open(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(base::MappedFile mapping, base::MappedFile::open(path));
  GRAPHC_ASSIGN_OR_RETURN(ValuesFile file, parse(mapping.view(), path));
  file.mapping_ = std::move(mapping); // the bytes stay where they are
  return file;
}

absl::StatusOr<ValuesFile> ValuesFile::parse(std::string_view content, std::string path) {
  if (!isNamedSo(path))
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": a file of values is FILE.npz or FILE.safetensors, by its name"));
  ValuesFile file;
  file.zip_ = std::string_view(path).ends_with(npz);
  file.path_ = std::move(path);
  file.content_ = content;
  GRAPHC_RETURN_IF_ERROR(file.readDirectory());
  return file;
}

absl::Status ValuesFile::readDirectory() {
  if (!zip_) {
    GRAPHC_ASSIGN_OR_RETURN(std::vector<TensorEntry> entries,
                            decodeForeignSafetensors(content_, path_));
    for (TensorEntry &entry : entries) {
      const std::string name = entry.name;
      GRAPHC_RETURN_IF_ERROR(add(name, {{}, std::move(entry)}));
    }
    return absl::OkStatus();
  }
  absl::Status added;
  GRAPHC_RETURN_IF_ERROR(base::forEachInZip(content_, path_, [&](const base::ZipListed &listed) {
    std::string_view name = listed.name;
    if (name.ends_with(npy)) // else nothing of NumPy's
      added = add(name.substr(0, name.size() - npy.size()), {listed, {}});
    return added.ok();
  }));
  return added;
}

/// Programs do not agree which of two is meant, nor where a name with a NUL ends.
absl::Status ValuesFile::add(std::string_view name, Tensor tensor) {
  if (name.find('\0') != std::string_view::npos)
    return absl::DataLossError(absl::StrCat(path_, ": a name with a NUL: ", base::quoteJson(name)));
  if (tensors_.size() == mostTensors)
    return absl::DataLossError(absl::StrCat(path_, ": more than ", mostTensors, " tensors"));
  if (!tensors_.emplace(name, std::move(tensor)).second)
    return absl::DataLossError(absl::StrCat(path_, ": ", base::quoteJson(name), " is there twice"));
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> ValuesFile::crc32c() const {
  const uint32_t crc = base::crc32c(content_);
  return mapping_.cut() ? absl::StatusOr<uint32_t>(absl::DataLossError(
                              absl::StrCat(path_, ": it was cut short while it was read")))
                        : crc;
}

std::vector<std::string> ValuesFile::names() const {
  std::vector<std::string> names;
  for (const auto &[name, tensor] : tensors_)
    names.push_back(name);
  return names;
}

/// Its header, and the length that follows from it. A deflated entry that has more bytes than that
/// is never inflated further.
absl::StatusOr<ValuesFile::Array> ValuesFile::openArray(std::string_view name,
                                                        const Tensor &tensor) const {
  const std::string full = absl::StrCat(path_, ":", base::foreignText(name));
  GRAPHC_ASSIGN_OR_RETURN(base::ZipEntry entry, base::locateInZip(content_, tensor.listed, full));
  Array array;
  GRAPHC_ASSIGN_OR_RETURN(array.reader, base::openEntry(entry, full));
  array.begin.resize(std::min<uint64_t>(base::npyMostHeaderBytes, entry.bytes));
  GRAPHC_ASSIGN_OR_RETURN(size_t got, array.reader->read(array.begin.data(), array.begin.size()));
  array.begin.resize(got);
  const auto bad = [&](const absl::Status &why) {
    return absl::InvalidArgumentError(
        absl::StrCat(full, ": not a usable .npy: ", base::foreignText(std::string(why.message()))));
  };
  absl::StatusOr<base::NpyHeader> header = base::parseNpyHeader(array.begin);
  if (!header.ok())
    return bad(header.status());
  absl::StatusOr<plan::TensorType> type = npyType(*header);
  if (!type.ok())
    return bad(type.status());
  array.type = *std::move(type);
  const std::optional<uint64_t> bytes = plan::tensorBytes(array.type);
  if (!bytes || entry.bytes - header->bytes != *bytes)
    return absl::DataLossError(absl::StrCat(
        full, ": its shape needs ", bytes ? absl::StrCat(*bytes) : "more bytes than there can be",
        " bytes, its elements have ", entry.bytes - header->bytes));
  array.begin.erase(0, header->bytes);
  return array;
}

absl::StatusOr<plan::TensorType> ValuesFile::typeOf(std::string_view name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end())
    return absl::NotFoundError(absl::StrCat(path_, " has no ", base::foreignText(name)));
  if (zip_) {
    GRAPHC_ASSIGN_OR_RETURN(Array array, openArray(name, found->second));
    return array.type;
  }
  const TensorEntry &entry = found->second.entry;
  if (entry.type.dtype() == plan::DATA_TYPE_INVALID)
    return absl::InvalidArgumentError(absl::StrCat(
        path_, ":", base::foreignText(name), ": elements of type ",
        base::foreignText(entry.dtype, 32),
        "; known are BOOL I8 U8 I32 U32 I64 F32 F64 BF16; save tensor.to(…) of one of them"));
  return entry.type;
}

/// All of it, piece by piece; what the archive promises of the sum of it is checked by the time it
/// has ended.
absl::Status ValuesFile::pass(std::string_view name, const Tensor &tensor,
                              const plan::TensorType &type, const Sink &sink) const {
  if (!zip_) {
    sink(0, content_.substr(tensor.entry.offset, tensor.entry.bytes));
    return absl::OkStatus();
  }
  GRAPHC_ASSIGN_OR_RETURN(Array array, openArray(name, tensor));
  const uint64_t bytes = plan::tensorBytes(type).value_or(0);
  uint64_t at = array.begin.size();
  sink(0, array.begin);
  std::string piece(std::min<uint64_t>(pieceBytes, bytes - at), '\0');
  while (at < bytes) {
    GRAPHC_ASSIGN_OR_RETURN(
        size_t got, array.reader->read(piece.data(), std::min<uint64_t>(piece.size(), bytes - at)));
    if (!got)
      return absl::DataLossError(
          absl::StrCat(path_, ":", base::foreignText(name), ": it ends early"));
    sink(at, std::string_view(piece).substr(0, got));
    at += got;
  }
  return absl::OkStatus();
}

absl::Status ValuesFile::read(const RestoreTarget &target) const {
  GRAPHC_ASSIGN_OR_RETURN(const plan::TensorType type, typeOf(target.name));
  if (!plan::sameType(type, target.type))
    return absl::FailedPreconditionError(absl::StrCat(path_, ": ", target.name, " is ",
                                                      plan::typeText(type), ", the plan has ",
                                                      plan::typeText(target.type)));
  bool booleans = true; // where they are some
  GRAPHC_RETURN_IF_ERROR(
      pass(target.name, tensors_.find(target.name)->second, type,
           [&](uint64_t at, std::string_view piece) {
             const uint64_t begin = std::max(at, target.offset);
             const uint64_t end = std::min(at + piece.size(), target.offset + target.bytes);
             if (begin < end)
               memcpy(static_cast<uint8_t *>(target.data) + (begin - target.offset),
                      piece.data() + (begin - at), end - begin);
             if (type.dtype() == plan::I1)
               booleans = booleans && std::all_of(piece.begin(), piece.end(),
                                                  [](char c) { return c == 0 || c == 1; });
           }));
  if (mapping_.cut())
    return absl::DataLossError(absl::StrCat(path_, ": it was cut short while it was read"));
  return booleans ? absl::OkStatus()
                  : absl::InvalidArgumentError(absl::StrCat(path_, ":", target.name,
                                                            ": a boolean that is neither 0 nor 1"));
}

} // namespace graphc::checkpoint
