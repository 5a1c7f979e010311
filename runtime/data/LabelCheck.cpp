#include "runtime/data/LabelCheck.h"

#include "absl/strings/str_cat.h"

namespace graphc::data {
namespace {

template <typename T> LabelStrays find(const T *labels, size_t count, uint64_t classes) {
  // A negative one is beyond all classes as well. Nearly always none is, so that is counted first,
  // by a loop without a branch.
  auto stray = [&](T label) { return uint64_t(int64_t(label)) >= classes; };
  LabelStrays found;
  for (size_t i = 0; i < count; ++i)
    found.count += stray(labels[i]);
  if (found.count == 0)
    return found;
  while (!stray(labels[found.first]))
    ++found.first;
  found.value = labels[found.first];
  return found;
}

} // namespace

LabelStrays findStrays(plan::DataType type, const void *labels, size_t count, uint64_t classes) {
  switch (type) {
  case plan::I1:
  case plan::U8:
    return find(static_cast<const uint8_t *>(labels), count, classes);
  case plan::I8:
    return find(static_cast<const int8_t *>(labels), count, classes);
  case plan::I32:
    return find(static_cast<const int32_t *>(labels), count, classes);
  case plan::I64:
    return find(static_cast<const int64_t *>(labels), count, classes);
  default:
    return {}; // no integers: verifyPlan refuses classes of them
  }
}

absl::Status straysError(const std::string &dataset, const std::string &where,
                         const LabelStrays &strays, uint64_t labels, uint64_t sample,
                         uint64_t classes) {
  return absl::OutOfRangeError(absl::StrCat(
      "data set ", dataset, ": ", strays.count, " of the ", labels, " numbers in ", where,
      strays.count == 1 ? " is" : " are", " none of 0 to ", classes - 1,
      ", the classes of a loss or the rows of a table that takes them: ",
      strays.count == 1 ? "it" : "the first", " is ", strays.value, ", of sample ", sample,
      "; correct the data, or give the loss as many classes, or the table as many rows"));
}

} // namespace graphc::data
