#include "runtime/session/results/FetchPrinter.h"

#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace graphc::session {
namespace {
constexpr uint64_t kWhole = 1000; ///< elements printed without abridging
constexpr int64_t kEdge = 3;

template <class T> std::string shortest(T value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char text[64];
  auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

std::string element(plan::DataType type, const void *data, uint64_t index) {
  switch (type) {
  case plan::F32:
    return shortest(loadElement<float>(data, index));
  case plan::F64:
    return shortest(loadElement<double>(data, index));
  case plan::I32:
    return absl::StrCat(loadElement<int32_t>(data, index));
  case plan::I64:
    return absl::StrCat(loadElement<int64_t>(data, index));
  case plan::U32:
    return absl::StrCat(loadElement<uint32_t>(data, index));
  case plan::BF16:
    return shortest(std::bit_cast<float>(uint32_t(loadElement<uint16_t>(data, index)) << 16));
  case plan::I8:
    return absl::StrCat(loadElement<int8_t>(data, index));
  case plan::U8:
    return absl::StrCat(loadElement<uint8_t>(data, index));
  case plan::I1:
    return loadElement<uint8_t>(data, index) ? "true" : "false";
  default:
    return "?";
  }
}

void append(std::string &out, const plan::TensorType &type, const void *data, int dimension,
            uint64_t first, bool abridge) {
  if (dimension == type.shape_size()) {
    out += element(type.dtype(), data, first);
    return;
  }
  uint64_t stride = 1;
  for (int d = dimension + 1; d < type.shape_size(); ++d)
    stride *= static_cast<uint64_t>(type.shape(d));
  int64_t size = type.shape(dimension);
  out += '[';
  for (int64_t i = 0; i < size; ++i) {
    if (i)
      out += ' ';
    if (abridge && size > 2 * kEdge && i == kEdge) {
      out += "... ";
      i = size - kEdge;
    }
    append(out, type, data, dimension + 1, first + static_cast<uint64_t>(i) * stride, abridge);
  }
  out += ']';
}

} // namespace

std::string formatTensor(const plan::TensorType &type, const void *data) {
  std::string out;
  append(out, type, data, 0, 0, plan::elementCount(type).value_or(0) > kWhole);
  return out;
}

std::string formatFetched(const FetchedTensor &value) {
  return absl::StrCat(value.task, value.task.empty() ? "" : " ", value.name, " ",
                      formatTensor(value.type, value.data.data()));
}

FetchPrinter::FetchPrinter(const plan::Plan &plan, std::vector<std::string> names,
                           std::function<void(const std::string &)> print, uint64_t mostWaiting)
    : FetchCollector(
          plan, std::move(names),
          [print = std::move(print)](const FetchedTensor &value) { print(formatFetched(value)); },
          mostWaiting) {}

} // namespace graphc::session
