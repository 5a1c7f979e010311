#include "runtime/checkpoint/SafetensorsFile.h"

#include "runtime/common/base/Json.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <bit>

namespace graphc::checkpoint {
namespace {

static_assert(std::endian::native == std::endian::little,
              "tensors are written as they lie in memory");

using base::JsonValue;

struct Name {
  plan::DataType type;
  const char *text;
};
constexpr Name names[] = {{plan::I1, "BOOL"}, {plan::I8, "I8"},     {plan::U8, "U8"},
                          {plan::I32, "I32"}, {plan::I64, "I64"},   {plan::F32, "F32"},
                          {plan::F64, "F64"}, {plan::BF16, "BF16"}, {plan::U32, "U32"}};
constexpr uint64_t maxHeader = 64 << 20;

const char *nameOf(plan::DataType type) {
  for (const Name &name : names)
    if (name.type == type)
      return name.text;
  return nullptr;
}

} // namespace

absl::Status encodeSafetensors(std::vector<TensorView> tensors,
                               const std::function<absl::Status(const void *, size_t)> &sink) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorView &a, const TensorView &b) {
    uint32_t wide = plan::elementBytes(a.type.dtype()), narrow = plan::elementBytes(b.type.dtype());
    return wide != narrow ? wide > narrow : a.name < b.name;
  });
  std::string header = "{";
  uint64_t offset = 0;
  for (const TensorView &tensor : tensors) {
    std::optional<uint64_t> bytes = plan::tensorBytes(tensor.type);
    const char *dtype = nameOf(tensor.type.dtype());
    if (!bytes || *bytes != tensor.bytes || !dtype)
      return absl::InternalError(absl::StrCat(tensor.name, " of type ", plan::typeText(tensor.type),
                                              " does not have ", tensor.bytes, " bytes"));
    absl::StrAppend(&header, header.size() > 1 ? "," : "", base::quoteJson(tensor.name),
                    ":{\"dtype\":\"", dtype, "\",\"shape\":[",
                    absl::StrJoin(tensor.type.shape(), ","), "],\"data_offsets\":[", offset, ",",
                    offset + tensor.bytes, "]}");
    offset += tensor.bytes;
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  uint64_t length = header.size();
  GRAPHC_RETURN_IF_ERROR(sink(&length, 8));
  GRAPHC_RETURN_IF_ERROR(sink(header.data(), header.size()));
  for (const TensorView &tensor : tensors)
    if (tensor.bytes)
      GRAPHC_RETURN_IF_ERROR(sink(tensor.data, tensor.bytes));
  return absl::OkStatus();
}

/// `foreign`: unknown elements may be there, whose size is not checked; and a header has fewer
/// values, since memory of those is many times its bytes.
static absl::StatusOr<std::vector<TensorEntry>> decode(std::string_view file, std::string_view name,
                                                       bool foreign) {
  auto bad = [&](std::string_view why) {
    return absl::DataLossError(
        absl::StrCat(base::view(name), ": not a usable safetensors file: ", base::view(why)));
  };
  uint64_t length = 0;
  if (file.size() < 8)
    return bad("it has fewer than 8 bytes");
  for (int i = 7; i >= 0; --i)
    length = length << 8 | static_cast<uint8_t>(file[i]);
  if (length > maxHeader || length > file.size() - 8)
    return bad("its header is longer than the file or 64 MiB");
  base::JsonLimits limits{.bytes = maxHeader, .depth = 4, .values = foreign ? 1u << 20 : 1u << 24};
  absl::StatusOr<JsonValue> root = base::parseJson(file.substr(8, length), name, limits);
  if (!root.ok())
    return bad(std::string_view(root.status().message().data(), root.status().message().size()));
  if (!root->is(JsonValue::Kind::Object))
    return bad("its header is not an object");

  uint64_t dataStart = 8 + length, dataBytes = file.size() - dataStart;
  std::vector<TensorEntry> entries;
  for (const base::JsonMember &member : root->members) {
    if (member.key == "__metadata__")
      continue;
    TensorEntry entry;
    entry.name = member.key;
    const JsonValue *dtype = member.value.find("dtype"), *shape = member.value.find("shape"),
                    *offsets = member.value.find("data_offsets");
    if (!dtype || !shape || !offsets || !dtype->is(JsonValue::Kind::String) ||
        !shape->is(JsonValue::Kind::Array) || !offsets->is(JsonValue::Kind::Array) ||
        offsets->elements.size() != 2)
      return bad(absl::StrCat("tensor ", base::quoteJson(member.key),
                              " lacks dtype, shape or data_offsets"));
    entry.dtype = dtype->string;
    for (const Name &known : names)
      if (dtype->string == known.text)
        entry.type.set_dtype(known.type);
    for (const JsonValue &size : shape->elements) {
      if (!size.is(JsonValue::Kind::Integer) || size.integer < 0 || shape->elements.size() > 32)
        return bad(absl::StrCat("tensor ", base::quoteJson(member.key), " has a malformed shape"));
      entry.type.add_shape(size.integer);
    }
    const JsonValue &from = offsets->elements[0], &to = offsets->elements[1];
    std::optional<uint64_t> bytes = plan::tensorBytes(entry.type);
    if (foreign && entry.type.dtype() == plan::DATA_TYPE_INVALID &&
        from.is(JsonValue::Kind::Integer) && to.is(JsonValue::Kind::Integer))
      bytes = uint64_t(to.integer) - uint64_t(from.integer);
    if (!bytes || !from.is(JsonValue::Kind::Integer) || !to.is(JsonValue::Kind::Integer) ||
        from.integer < 0 || to.integer < from.integer || uint64_t(to.integer) > dataBytes ||
        uint64_t(to.integer - from.integer) != *bytes)
      return bad(
          absl::StrCat("tensor ", base::quoteJson(member.key),
                       " has an unknown dtype, or offsets that do not fit its shape and the file"));
    entry.offset = dataStart + uint64_t(from.integer);
    entry.bytes = *bytes;
    entries.push_back(std::move(entry));
  }
  // No byte belongs to two tensors or to none.
  std::sort(entries.begin(), entries.end(), [](const TensorEntry &a, const TensorEntry &b) {
    return a.offset != b.offset ? a.offset < b.offset : a.bytes < b.bytes;
  });
  uint64_t expected = dataStart;
  for (const TensorEntry &entry : entries) {
    if (entry.offset != expected)
      return bad(absl::StrCat("tensor ", base::quoteJson(entry.name),
                              " overlaps another or leaves a gap"));
    expected += entry.bytes;
  }
  if (expected != file.size())
    return bad("bytes follow its last tensor");
  return entries;
}

absl::StatusOr<std::vector<TensorEntry>> decodeSafetensors(std::string_view file,
                                                           std::string_view name) {
  return decode(file, name, /*foreign=*/false);
}

absl::StatusOr<std::vector<TensorEntry>> decodeForeignSafetensors(std::string_view file,
                                                                  std::string_view name) {
  return decode(file, name, /*foreign=*/true);
}

} // namespace graphc::checkpoint
