//===- VerifyDatasets.cpp - what a plan says of its data sets ---------------------------------===//

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyHelpers.h"
#include "runtime/common/plan/VerifyPlan.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace graphc::plan {

namespace {

using detail::invalid;

constexpr uint64_t csvColumns = 1 << 20;

bool isFloatType(DataType type) { return type == F32 || type == F64 || type == BF16; }

/// A name that a file can have.
absl::Status checkFile(const std::string &file, absl::string_view what) {
  if (file.empty() || file.size() > size_t(PlanLimits::nameBytes) ||
      file.find('\0') != std::string::npos)
    return invalid(what, ": an empty or impossible file name");
  return absl::OkStatus();
}

/// As many files as `expected`, or where that is 0 any number but none.
template <typename Files>
absl::Status checkFiles(const Files &files, int expected, absl::string_view what) {
  if (expected ? files.size() != expected : files.empty() || files.size() > 1024)
    return invalid(what, ": ", files.size(), " files",
                   expected ? absl::StrCat(" for ", expected, " components") : "");
  for (const std::string &file : files)
    GRAPHC_RETURN_IF_ERROR(checkFile(file, what));
  return absl::OkStatus();
}

/// Each component has a limit that its type can hold; floats have none, which is 0.
absl::Status checkSynthetic(const Dataset &d, absl::string_view what) {
  if (d.synthetic().samples() == 0 || d.synthetic().samples() > PlanLimits::bytes)
    return invalid(what, ": ", d.synthetic().samples(), " samples");
  if (d.synthetic().limits_size() != d.components_size())
    return invalid(what, ": ", d.synthetic().limits_size(), " limits for ", d.components_size(),
                   " components");
  for (int i = 0; i < d.components_size(); ++i) {
    DataType type = d.components(i).sample().dtype();
    int64_t limit = d.synthetic().limits(i);
    int64_t most = type == I1    ? 2
                   : type == I8  ? 128
                   : type == U8  ? 256
                   : type == I32 ? int64_t(1) << 31
                                 : INT64_MAX;
    if (isFloatType(type) ? limit != 0 : (limit <= 0 || limit > most))
      return invalid(what, ": limit ", limit, " of component ", i, " does not fit ",
                     dataTypeName(type));
  }
  return absl::OkStatus();
}

/// Either no columns are listed, or one for each element of a sample; names of columns need a
/// header.
absl::Status checkCsv(const Dataset &d, absl::string_view what) {
  const Dataset::Csv &csv = d.csv();
  GRAPHC_RETURN_IF_ERROR(checkFile(csv.file(), what));
  uint64_t elements = 0;
  for (const Dataset::Component &c : d.components())
    elements += std::min<uint64_t>(*elementCount(c.sample()), csvColumns + 1);
  if (elements > csvColumns || (csv.columns_size() && uint64_t(csv.columns_size()) != elements))
    return invalid(what, ": ", csv.columns_size(), " columns for ", elements,
                   " elements of a sample, at most ", csvColumns);
  for (const Dataset::Csv::Column &column : csv.columns())
    if (column.has_name() ? !csv.header() || column.name().size() > size_t(PlanLimits::nameBytes)
                          : column.number() >= csvColumns)
      return invalid(what, ": a column that no file has");
  if (csv.separator() == 0 || csv.separator() > 255 || csv.separator() == '"' ||
      csv.separator() == '\n' || csv.separator() == '\r')
    return invalid(what, ": the separator ", csv.separator());
  if (!std::isfinite(csv.missing()))
    return invalid(what, ": what is missing is not finite");
  return absl::OkStatus();
}

/// The components are one or two windows of integers, both of the same type; stride, begin and end
/// fit some file.
absl::Status checkText(const Dataset &d, absl::string_view what) {
  GRAPHC_RETURN_IF_ERROR(checkFile(d.text().file(), what));
  if (!d.text().vocabulary().empty())
    GRAPHC_RETURN_IF_ERROR(checkFile(d.text().vocabulary(), what));
  const TensorType &window = d.components(0).sample();
  if (d.components_size() > 2 || window.shape_size() != 1 || isFloatType(window.dtype()) ||
      window.dtype() == I1)
    return invalid(what, ": a text gives one or two windows of integers");
  if (d.components_size() == 2 && typeText(d.components(1).sample()) != typeText(window))
    return invalid(what, ": windows of two types");
  const uint64_t most = PlanLimits::bytes;
  if (d.text().stride() > most || d.text().begin() > most || d.text().end() > most ||
      (d.text().end() && d.text().end() <= d.text().begin()))
    return invalid(what, ": a stride, begin or end that no file has");
  return absl::OkStatus();
}

/// The first component is the image of a record; a second one is the image's label.
absl::Status checkCifar10(const Dataset &d, absl::string_view what) {
  GRAPHC_RETURN_IF_ERROR(checkFiles(d.cifar10().files(), 0, what));
  if (d.components_size() > 2 || *elementCount(d.components(0).sample()) != 3 * 32 * 32 ||
      (d.components_size() == 2 && *elementCount(d.components(1).sample()) != 1))
    return invalid(what, ": components that are no image of 3x32x32 and no label");
  return absl::OkStatus();
}

/// What is done to a component fits it.
absl::Status checkTransforms(const Dataset &d, const Dataset::Component &c,
                             absl::string_view what) {
  const auto &shape = c.sample().shape();
  const bool isStored = d.has_idx() || d.has_npy() || d.has_cifar10();
  if ((c.has_crop() || c.has_flip()) && !isStored)
    return invalid(what, ": crops or flips what is no image of a file");
  if (c.has_crop() &&
      (uint64_t(c.crop().dimension()) + 1 >= uint64_t(shape.size()) || c.crop().padding() == 0 ||
       int64_t(c.crop().padding()) >
           std::min(shape[int(c.crop().dimension())], shape[int(c.crop().dimension()) + 1])))
    return invalid(what, ": a crop that does not fit ", typeText(c.sample()));
  if (c.has_flip() && c.flip().dimension() >= uint32_t(shape.size()))
    return invalid(what, ": a flip that does not fit ", typeText(c.sample()));
  if (!c.has_normalize())
    return absl::OkStatus();
  const Dataset::Normalize &n = c.normalize();
  if (c.sample().dtype() != F32 && c.sample().dtype() != F64)
    return invalid(what, ": normalizes ", typeText(c.sample()));
  if (n.mean_size() != n.stddev_size() ||
      (n.mean_size() != 1 &&
       (n.dimension() >= uint32_t(shape.size()) || n.mean_size() != shape[int(n.dimension())])))
    return invalid(what, ": ", n.mean_size(), " means and ", n.stddev_size(), " deviations for ",
                   typeText(c.sample()));
  for (int i = 0; i < n.mean_size(); ++i)
    if (!std::isfinite(n.mean(i)) || !std::isfinite(n.stddev(i)) || !(n.stddev(i) > 0))
      return invalid(
          what, ": normalizes by numbers that are not finite, or a deviation that is not above 0");
  return absl::OkStatus();
}

} // namespace

/// Each data set: components, files or limits for them, numbers that readers can compute with.
absl::Status detail::checkDatasets(const Plan &plan) {
  std::set<std::string> names;
  for (const Dataset &d : plan.datasets()) {
    GRAPHC_RETURN_IF_ERROR(checkName("a dataset", d.name(), &names));
    std::string what = absl::StrCat("dataset ", d.name());
    if (d.components_size() == 0 || d.components_size() > 64)
      return invalid(what, ": ", d.components_size(), " components, expected 1 to 64");
    for (const Dataset::Component &c : d.components()) {
      GRAPHC_RETURN_IF_ERROR(checkType(c.sample(), what));
      if (c.sample().dtype() == BF16 || c.sample().dtype() == U32)
        return invalid(what, ": a component of ", dataTypeName(c.sample().dtype()),
                       ", which no reader gives");
      if (!std::isfinite(c.scale()) || !std::isfinite(c.offset()))
        return invalid(what, ": scale or offset is not finite");
      GRAPHC_RETURN_IF_ERROR(checkTransforms(d, c, what));
    }
    absl::Status source = d.has_idx()       ? checkFiles(d.idx().files(), d.components_size(), what)
                          : d.has_npy()     ? checkFiles(d.npy().files(), d.components_size(), what)
                          : d.has_csv()     ? checkCsv(d, what)
                          : d.has_text()    ? checkText(d, what)
                          : d.has_cifar10() ? checkCifar10(d, what)
                          : d.has_synthetic() ? checkSynthetic(d, what)
                                              : invalid(what, " has no source");
    GRAPHC_RETURN_IF_ERROR(source);
  }
  return absl::OkStatus();
}

} // namespace graphc::plan
