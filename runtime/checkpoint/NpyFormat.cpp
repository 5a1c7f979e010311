#include "runtime/checkpoint/NpyFormat.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

namespace graphc::checkpoint {
namespace {

static_assert(std::endian::native == std::endian::little,
              "tensors are written as they lie in memory");

constexpr uint64_t maxNpyBytes = uint64_t(1) << 36;

struct Descr {
  plan::DataType type;
  const char *text;
};
constexpr Descr descrs[] = {{plan::I1, "|b1"},  {plan::I8, "|i1"},  {plan::U8, "|u1"},
                            {plan::I32, "<i4"}, {plan::I64, "<i8"}, {plan::F32, "<f4"},
                            {plan::F64, "<f8"}, {plan::U32, "<u4"}};

} // namespace

absl::StatusOr<std::string> encodeNpyHeader(const plan::TensorType &type, size_t least) {
  const char *descr = nullptr;
  for (const Descr &candidate : descrs)
    if (candidate.type == type.dtype())
      descr = candidate.text;
  if (!descr)
    return absl::InvalidArgumentError(
        absl::StrCat("NumPy has no element type ", plan::dataTypeName(type.dtype())));
  std::string shape;
  for (int64_t size : type.shape())
    absl::StrAppend(&shape, size, type.shape_size() == 1 ? "," : ", ");
  if (type.shape_size() > 1)
    shape.resize(shape.size() - 2);
  std::string header =
      absl::StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (", shape, "), }");
  // Magic, version and length are 10 bytes; the data starts at a multiple of 64.
  size_t total = std::max((10 + header.size() + 1 + 63) / 64 * 64, least);
  header.append(total - 10 - header.size() - 1, ' ');
  header += '\n';
  std::string out(base::npyMagic);
  out += '\1';
  out += '\0';
  out += static_cast<char>(header.size() & 0xFF);
  out += static_cast<char>(header.size() >> 8);
  return out + header;
}

plan::TensorType asF32(plan::TensorType type) {
  type.set_dtype(plan::F32);
  return type;
}

std::string widened(const void *data, uint64_t bytes) {
  std::string elements(2 * bytes, '\0');
  for (uint64_t i = 0; i + 2 <= bytes; i += 2)
    std::memcpy(&elements[2 * i + 2], static_cast<const char *>(data) + i, 2);
  return elements;
}

absl::StatusOr<std::string> encodeNpy(const plan::TensorType &type, const void *data,
                                      uint64_t bytes) {
  if (plan::tensorBytes(type) != bytes)
    return absl::InternalError(
        absl::StrCat("a ", plan::typeText(type), " does not have ", bytes, " bytes"));
  if (type.dtype() == plan::BF16) {
    const std::string elements = widened(data, bytes);
    return encodeNpy(asF32(type), elements.data(), elements.size());
  }
  GRAPHC_ASSIGN_OR_RETURN(std::string out, encodeNpyHeader(type));
  out.append(static_cast<const char *>(data), bytes);
  return out;
}

absl::StatusOr<plan::TensorType> npyType(const base::NpyHeader &header) {
  if (header.fortran && header.shape.size() > 1)
    return absl::InvalidArgumentError("column-major order; save numpy.ascontiguousarray(array)");
  plan::TensorType type;
  for (const Descr &candidate : descrs)
    if (header.descr == candidate.text)
      type.set_dtype(candidate.type);
  if (type.dtype() == plan::DATA_TYPE_INVALID)
    return absl::InvalidArgumentError(
        absl::StrCat("element type '", header.descr,
                     "'; known are |b1 |i1 |u1 <i4 <u4 <i8 <f4 <f8; convert with array.astype(…)"));
  for (int64_t size : header.shape)
    type.add_shape(size);
  return type;
}

absl::StatusOr<NpyArray> decodeNpy(std::string_view file, std::string_view name) {
  auto bad = [&](std::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat(absl::string_view(name.data(), name.size()),
                     ": not a usable .npy: ", absl::string_view(why.data(), why.size())));
  };
  absl::StatusOr<base::NpyHeader> parsed = base::parseNpyHeader(file);
  if (!parsed.ok())
    return bad(std::string(parsed.status().message()));
  const base::NpyHeader &header = *parsed;
  absl::StatusOr<plan::TensorType> type = npyType(header);
  if (!type.ok())
    return bad(std::string(type.status().message()));
  NpyArray array{*std::move(type), {}};
  std::optional<uint64_t> bytes = plan::tensorBytes(array.type);
  uint64_t found = file.size() - header.bytes;
  if (!bytes || *bytes != found)
    return bad(absl::StrCat("its shape needs ",
                            bytes ? absl::StrCat(*bytes) : "more bytes than there can be",
                            " bytes, found ", found));
  array.data = std::string(file.substr(header.bytes));
  if (array.type.dtype() == plan::I1)
    for (char &c : array.data)
      if (c != 0 && c != 1)
        return bad("a boolean that is neither 0 nor 1");
  return array;
}

std::string npyFileName(std::string_view variable) {
  std::string file(variable);
  std::replace(file.begin(), file.end(), '/', '.');
  return file + ".npy";
}

absl::Status writeNpy(const std::string &path, const plan::TensorType &type, const void *data,
                      uint64_t bytes) {
  absl::StatusOr<std::string> content = encodeNpy(type, data, bytes);
  if (!content.ok())
    return base::annotate(content.status(), path);
  return base::writeFileAtomic(path, *content);
}

/// Behind the name of a file of which not all parts are there.
static constexpr char kPartial[] = ".partial";

absl::Status writeNpyPart(const std::string &path, const plan::TensorType &type, uint64_t offset,
                          const void *data, uint64_t bytes) {
  uint64_t all = plan::tensorBytes(type).value_or(0);
  if (offset > all || bytes > all - offset)
    return absl::InternalError(absl::StrCat(path, ": bytes ", offset, " to ", offset + bytes,
                                            " are not all within a ", plan::typeText(type)));
  if (type.dtype() == plan::BF16) {
    const std::string elements = widened(data, bytes);
    return writeNpyPart(path, asF32(type), 2 * offset, elements.data(), elements.size());
  }
  absl::StatusOr<std::string> header = encodeNpyHeader(type);
  if (!header.ok())
    return base::annotate(header.status(), path);
  base::UniqueFd fd(::open((path + kPartial).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  // Every writer makes the same file of it first, whatever was there.
  if (!fd || ftruncate(fd.get(), off_t(header->size() + all)) != 0)
    return base::errnoStatus(path, errno);
  GRAPHC_RETURN_IF_ERROR(base::writeAllAt(fd.get(), header->data(), header->size(), 0, path));
  GRAPHC_RETURN_IF_ERROR(base::writeAllAt(fd.get(), data, bytes, header->size() + offset, path));
  return ::fsync(fd.get()) == 0 ? absl::OkStatus() : base::errnoStatus(path, errno);
}

absl::Status finishNpyParts(const std::string &path) {
  if (::rename((path + kPartial).c_str(), path.c_str()) != 0) {
    const absl::Status why = base::errnoStatus(path, errno);
    ::unlink((path + kPartial).c_str());
    return why;
  }
  const size_t slash = path.rfind('/');
  return base::syncDirectory(slash == std::string::npos ? "." : path.substr(0, slash));
}

absl::StatusOr<NpyArray> readNpy(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(std::string content, base::readFile(path, maxNpyBytes));
  return decodeNpy(content, path);
}

} // namespace graphc::checkpoint
