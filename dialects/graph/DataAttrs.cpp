//===- DataAttrs.cpp --------------------------------------------------------------------------===//
//
// Where samples come from, and what is done to them: text forms and checks.
//
//===------------------------------------------------------------------------------------------===//
#include "dialects/graph/AttrParameters.h"
#include "dialects/graph/DiscardableAttributes.h"

#include <cmath>

using namespace mlir;
using namespace graphc::graph;

//===------------------------------------------------------------------------------------------===//
// Sources as text
//===------------------------------------------------------------------------------------------===//

Attribute IdxAttr::parse(AsmParser &parser, Type) {
  ArrayAttr files;
  BitwiseDouble scale = 1.0, offset = 0.0;
  if (ParameterParser(parser, getMnemonic())
          .need("files", files)
          .take("scale", scale)
          .take("offset", offset)
          .parse())
    return {};
  return get(parser.getContext(), files, scale, offset);
}
void IdxAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("files", getFiles())
      .add("scale", getScale(), BitwiseDouble(1))
      .add("offset", getOffset(), BitwiseDouble(0));
}

Attribute SyntheticAttr::parse(AsmParser &parser, Type) {
  int64_t samples = 0;
  uint64_t seed = 0;
  ArrayAttr limits;
  if (ParameterParser(parser, getMnemonic())
          .need("samples", samples)
          .take("seed", seed)
          .take("limits", limits)
          .parse())
    return {};
  return get(parser.getContext(), samples, seed, limits);
}
void SyntheticAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("samples", getSamples())
      .add("seed", getSeed(), uint64_t(0))
      .add("limits", getLimits(), ArrayAttr());
}

Attribute NpyAttr::parse(AsmParser &parser, Type) {
  ArrayAttr files;
  BitwiseDouble scale = 1.0, offset = 0.0;
  if (ParameterParser(parser, getMnemonic())
          .need("files", files)
          .take("scale", scale)
          .take("offset", offset)
          .parse())
    return {};
  return get(parser.getContext(), files, scale, offset);
}
void NpyAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("files", getFiles())
      .add("scale", getScale(), BitwiseDouble(1))
      .add("offset", getOffset(), BitwiseDouble(0));
}

Attribute Cifar10Attr::parse(AsmParser &parser, Type) {
  ArrayAttr files;
  BitwiseDouble scale = 1.0, offset = 0.0;
  if (ParameterParser(parser, getMnemonic())
          .need("files", files)
          .take("scale", scale)
          .take("offset", offset)
          .parse())
    return {};
  return get(parser.getContext(), files, scale, offset);
}
void Cifar10Attr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("files", getFiles())
      .add("scale", getScale(), BitwiseDouble(1))
      .add("offset", getOffset(), BitwiseDouble(0));
}

Attribute CsvAttr::parse(AsmParser &parser, Type) {
  std::string file, separator = ",";
  ArrayAttr columns;
  bool header = true;
  FloatAttr missing;
  ParameterParser parameters(parser, getMnemonic());
  parameters.need("file", file)
      .take("columns", columns)
      .take("header", header)
      .take("separator", separator)
      .take("missing", missing);
  if (parameters.parse())
    return {};
  return get(parser.getContext(), file, columns, header, separator, missing);
}
void CsvAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("file", getFile())
      .add("columns", getColumns(), ArrayAttr())
      .add("header", getHeader(), true)
      .add("separator", getSeparator(), StringRef(","))
      .add("missing", getMissing(), FloatAttr());
}

Attribute TextAttr::parse(AsmParser &parser, Type) {
  std::string file, vocabulary;
  int64_t stride = 0, begin = 0, end = 0;
  ParameterParser parameters(parser, getMnemonic());
  parameters.need("file", file)
      .take("vocabulary", vocabulary)
      .take("stride", stride)
      .take("begin", begin)
      .take("end", end);
  if (parameters.parse())
    return {};
  return get(parser.getContext(), file, vocabulary, stride, begin, end);
}
void TextAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("file", getFile())
      .add("vocabulary", getVocabulary(), StringRef())
      .add("stride", getStride(), int64_t(0))
      .add("begin", getBegin(), int64_t(0))
      .add("end", getEnd(), int64_t(0));
}

//===------------------------------------------------------------------------------------------===//
// Sources fit components
//===------------------------------------------------------------------------------------------===//

static LogicalResult expectUsable(StringRef what, double value,
                                  function_ref<InFlightDiagnostic()> emitError) {
  if (std::isfinite(value))
    return success();
  return emitError() << what << " must be finite, got " << value;
}

static LogicalResult expectFileName(StringRef name, function_ref<InFlightDiagnostic()> emitError) {
  std::string defect = findNameDefect(name);
  return defect.empty() ? success() : LogicalResult(emitError() << "file name " << defect);
}

/// Names of files, and numbers to compute with.
static LogicalResult expectFiles(ArrayAttr files, BitwiseDouble scale, BitwiseDouble offset,
                                 function_ref<InFlightDiagnostic()> emitError) {
  for (Attribute file : files) {
    auto name = dyn_cast<StringAttr>(file);
    if (!name)
      return emitError() << "expected file names in quotes, got " << file;
    if (failed(expectFileName(name, emitError)))
      return failure();
  }
  return success(succeeded(expectUsable("scale", scale, emitError)) &&
                 succeeded(expectUsable("offset", offset, emitError)));
}

static LogicalResult expectFileEach(ArrayAttr files, size_t components,
                                    function_ref<InFlightDiagnostic()> emitError) {
  if (files.size() == components)
    return success();
  return emitError() << "expected one file a component, got " << files.size() << " files and "
                     << components << " components";
}

/// A file for each component.
LogicalResult IdxAttr::verifyFor(ArrayRef<RankedTensorType> components,
                                 function_ref<InFlightDiagnostic()> emitError) const {
  if (failed(expectFiles(getFiles(), getScale(), getOffset(), emitError)))
    return failure();
  return expectFileEach(getFiles(), components.size(), emitError);
}

/// An array for each component.
LogicalResult NpyAttr::verifyFor(ArrayRef<RankedTensorType> components,
                                 function_ref<InFlightDiagnostic()> emitError) const {
  if (failed(expectFiles(getFiles(), getScale(), getOffset(), emitError)))
    return failure();
  for (auto file : getFiles().getAsRange<StringAttr>())
    if (auto [archive, array] = file.getValue().split(".npz:");
        archive.empty() || file.getValue().ends_with(".npz:"))
      return emitError() << "expected FILE.npy or FILE.npz:NAME, the name of an array in it, got "
                         << file;
    else if (file.getValue().ends_with(".npz"))
      return emitError() << "expected the name of an array, " << file << " as \"" << file.getValue()
                         << ":NAME\"";
  return expectFileEach(getFiles(), components.size(), emitError);
}

/// An image and a label.
LogicalResult Cifar10Attr::verifyFor(ArrayRef<RankedTensorType> components,
                                     function_ref<InFlightDiagnostic()> emitError) const {
  if (failed(expectFiles(getFiles(), getScale(), getOffset(), emitError)))
    return failure();
  constexpr size_t most = 1024; // as many as a plan's data set has
  if (getFiles().empty() || getFiles().size() > most)
    return emitError() << "expected 1 to " << most << " files, got " << getFiles().size();
  constexpr int64_t image[] = {3, 32, 32};
  if (components.empty() || components.size() > 2 ||
      (components[0].getShape() != ArrayRef(image) &&
       components[0].getShape() != ArrayRef<int64_t>{3072}))
    return emitError() << "expected an image of 3x32x32 and at most a label, got "
                       << components.size() << " components, the first " << components.front();
  if (components.size() == 2 &&
      (components[1].getRank() != 0 || !isa<IntegerType>(components[1].getElementType())))
    return emitError() << "expected a label of tensor<i32>, got " << components[1];
  return success();
}

/// A column for each element.
LogicalResult CsvAttr::verifyFor(ArrayRef<RankedTensorType> components,
                                 function_ref<InFlightDiagnostic()> emitError) const {
  if (failed(expectFileName(getFile(), emitError)))
    return failure();
  if (getSeparator().size() != 1 || StringRef("\"\r\n+-.0123456789eE").contains(getSeparator()))
    return emitError() << "expected a separator of one character that is in no number, got \""
                       << getSeparator() << "\"";
  if (getMissing() && failed(expectUsable("missing", getMissing().getValueAsDouble(), emitError)))
    return failure();
  constexpr int64_t most = 1 << 20;
  int64_t elements = 0;
  for (RankedTensorType component : components) {
    elements += std::min(component.getNumElements(), most + 1);
    double missing = getMissing() ? getMissing().getValueAsDouble() : 0;
    const bool hasSign =
        !component.getElementType().isInteger(1) && !component.getElementType().isUnsignedInteger();
    double bound = std::ldexp(1, int(component.getElementTypeBitWidth()) - int(hasSign));
    bool holds =
        missing == std::trunc(missing) && (hasSign ? -bound : 0) <= missing && missing < bound;
    if (isa<IntegerType>(component.getElementType()) && !holds)
      return emitError() << "missing = " << missing << " is no value of a component " << component;
  }
  if (elements > most)
    return emitError() << "expected at most 2^20 columns";
  if (!getColumns())
    return success();
  if (int64_t(getColumns().size()) != elements)
    return emitError() << "expected a column for each of the " << elements
                       << " elements of a sample, got " << getColumns().size();
  for (Attribute column : getColumns()) {
    auto name = dyn_cast<StringAttr>(column);
    auto number = dyn_cast<IntegerAttr>(column);
    if (!name && (!number || number.getInt() < 0 || number.getInt() >= most))
      return emitError() << "expected names of columns or numbers from 0 on, got " << column;
    if (std::string defect = name ? findNameDefect(name) : ""; !defect.empty())
      return emitError() << "the name of a column " << defect;
    if (name && !getHeader())
      return emitError()
             << "column " << name
             << " has a name, but the file has none with header = false; expected a number from 0 on";
  }
  return success();
}

/// One window, or it and the next one's.
LogicalResult TextAttr::verifyFor(ArrayRef<RankedTensorType> components,
                                  function_ref<InFlightDiagnostic()> emitError) const {
  if (failed(expectFileName(getFile(), emitError)) ||
      (!getVocabulary().empty() && failed(expectFileName(getVocabulary(), emitError))))
    return failure();
  if (components.empty() || components.size() > 2 || components[0].getRank() != 1 ||
      !isa<IntegerType>(components[0].getElementType()) ||
      components[0].getElementType().isInteger(1) ||
      (components.size() == 2 && components[1] != components[0]))
    return emitError()
           << "expected one component of integers, tensor<LENGTHxi32>, or two of one type";
  if (getStride() < 0 || getBegin() < 0 || getEnd() < 0 ||
      (getEnd() != 0 && getEnd() <= getBegin()))
    return emitError()
           << "expected a stride, begin and end of at least 0, and an end behind the begin, got "
           << getStride() << ", " << getBegin() << " and " << getEnd();
  return success();
}

/// Samples to give, and a limit for each integer component.
LogicalResult SyntheticAttr::verifyFor(ArrayRef<RankedTensorType> components,
                                       function_ref<InFlightDiagnostic()> emitError) const {
  if (getSamples() < 1 || getSamples() > kMaxSamples)
    return emitError() << "expected 1 to 2^46 samples, got " << getSamples();
  if (getLimits() && getLimits().size() != components.size())
    return emitError() << "expected one limit a component, got " << getLimits().size()
                       << " limits and " << components.size() << " components";
  for (auto [index, type] : llvm::enumerate(components)) {
    auto limit = getLimits() ? dyn_cast<IntegerAttr>(getLimits()[index]) : IntegerAttr();
    if (getLimits() && !limit)
      return emitError() << "expected integer limits, got " << getLimits()[index];
    if (isa<FloatType>(type.getElementType()) ? limit && limit.getInt() != 0
                                              : !limit || limit.getInt() < 1)
      return emitError() << "component " << index << " of type " << type << " needs a limit "
                         << (isa<FloatType>(type.getElementType()) ? "of 0" : "of at least 1");
    // The largest one that leaves every draw a value of the type.
    unsigned bits = type.getElementTypeBitWidth();
    int64_t most = bits == 1    ? 2
                   : bits == 32 ? int64_t(1) << 31
                                : std::numeric_limits<int64_t>::max();
    if (limit && limit.getInt() > most)
      return emitError() << "limit " << limit.getInt() << " of component " << index
                         << " does not fit " << type.getElementType() << ", which takes at most "
                         << most;
  }
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Transforms
//===------------------------------------------------------------------------------------------===//

Attribute RandomCropAttr::parse(AsmParser &parser, Type) {
  int64_t component = 0, padding = 0, dimension = -1;
  ParameterParser parameters(parser, getMnemonic());
  if (parameters.take("component", component)
          .need("padding", padding)
          .take("dimension", dimension)
          .parse())
    return {};
  return get(parser.getContext(), component, padding, dimension);
}
void RandomCropAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("component", getComponent(), int64_t(0))
      .add("padding", getPadding())
      .add("dimension", getDimension(), int64_t(-1));
}

Attribute RandomFlipAttr::parse(AsmParser &parser, Type) {
  int64_t component = 0, dimension = -1;
  if (ParameterParser(parser, getMnemonic())
          .take("component", component)
          .take("dimension", dimension)
          .parse())
    return {};
  return get(parser.getContext(), component, dimension);
}
void RandomFlipAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("component", getComponent(), int64_t(0))
      .add("dimension", getDimension(), int64_t(-1));
}

Attribute NormalizeAttr::parse(AsmParser &parser, Type) {
  int64_t component = 0, dimension = 0;
  ArrayAttr mean, stddev;
  ParameterParser parameters(parser, getMnemonic());
  parameters.take("component", component)
      .need("mean", mean)
      .need("stddev", stddev)
      .take("dimension", dimension);
  if (parameters.parse())
    return {};
  // 1 is as good as 1.0.
  auto asNumbers = [&](ArrayAttr list) {
    return parser.getBuilder().getArrayAttr(
        llvm::map_to_vector(list, [&](Attribute element) -> Attribute {
          auto whole = dyn_cast<IntegerAttr>(element);
          return whole ? parser.getBuilder().getF64FloatAttr(double(whole.getInt())) : element;
        }));
  };
  return get(parser.getContext(), component, asNumbers(mean), asNumbers(stddev), dimension);
}
void NormalizeAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("component", getComponent(), int64_t(0))
      .add("mean", getMean())
      .add("stddev", getStddev())
      .add("dimension", getDimension(), int64_t(0));
}

/// A place of the sample's shape; -1 is `last`.
static FailureOr<int64_t> expectDimension(RankedTensorType component, int64_t dimension,
                                          int64_t last, int64_t width,
                                          function_ref<InFlightDiagnostic()> emitError) {
  const int64_t found = dimension == -1 ? last : dimension;
  if (found >= 0 && found <= component.getRank() - width)
    return found;
  return emitError() << "dimension " << dimension << " is none of the component " << component
                     << (width == 2
                             ? ", or is its last one; expected the height, which the width follows"
                             : "");
}

static LogicalResult expectStored(Attribute source, StringRef what,
                                  function_ref<InFlightDiagnostic()> emitError) {
  if (isa<IdxAttr, NpyAttr, Cifar10Attr>(source))
    return success();
  return emitError() << what
                     << " is for images, of #graph.idx, #graph.npy or #graph.cifar10, not of "
                     << source;
}

/// Height and width are there, and more than is moved.
LogicalResult RandomCropAttr::verifyFor(RankedTensorType component, Attribute source,
                                        function_ref<InFlightDiagnostic()> emitError) const {
  FailureOr<int64_t> height =
      expectDimension(component, getDimension(), component.getRank() - 2, 2, emitError);
  if (failed(height) || failed(expectStored(source, "random_crop", emitError)))
    return failure();
  int64_t least = std::min(component.getDimSize(*height), component.getDimSize(*height + 1));
  if (getPadding() < 1 || getPadding() > std::min<int64_t>(least, 1 << 15))
    return emitError() << "expected a padding of 1 to the smaller of height and width, " << least
                       << ", got " << getPadding();
  return success();
}

LogicalResult RandomFlipAttr::verifyFor(RankedTensorType component, Attribute source,
                                        function_ref<InFlightDiagnostic()> emitError) const {
  if (failed(expectDimension(component, getDimension(), component.getRank() - 1, 1, emitError)))
    return failure();
  return expectStored(source, "random_flip", emitError);
}

/// Finite numbers, one or as many as channels.
LogicalResult NormalizeAttr::verifyFor(RankedTensorType component, Attribute,
                                       function_ref<InFlightDiagnostic()> emitError) const {
  if (!isa<Float32Type, Float64Type>(component.getElementType()))
    return emitError() << "normalize needs a component of f32 or f64, got " << component;
  if (getMean().size() != getStddev().size() || getMean().empty())
    return emitError() << "expected as many means as deviations, got " << getMean().size()
                       << " and " << getStddev().size();
  if (getMean().size() > 1) {
    FailureOr<int64_t> channels = expectDimension(component, getDimension(), 0, 1, emitError);
    if (failed(channels))
      return failure();
    if (int64_t(getMean().size()) != component.getDimSize(*channels))
      return emitError() << "expected one mean, or one for each of the "
                         << component.getDimSize(*channels) << " places along dimension "
                         << *channels << " of " << component << ", got " << getMean().size();
  }
  for (auto [list, isDeviation] : {std::pair(getMean(), false), std::pair(getStddev(), true)})
    for (Attribute element : list) {
      auto value = dyn_cast<FloatAttr>(element);
      if (!value || !std::isfinite(value.getValueAsDouble()) ||
          (isDeviation && value.getValueAsDouble() <= 0))
        return emitError() << "expected finite means, and finite deviations above 0, got "
                           << element;
    }
  return success();
}
