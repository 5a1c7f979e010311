#include "passes/emit/DatasetEmitter.h"

#include "passes/emit/PlanTables.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace graphc {

static void writeFiles(ArrayAttr files, google::protobuf::RepeatedPtrField<std::string> &out) {
  for (auto file : files.getAsRange<StringAttr>())
    out.Add(file.str());
}

static LogicalResult writeSource(graph::DatasetOp op, plan::Dataset &out) {
  return TypeSwitch<Attribute, LogicalResult>(op.getSource())
      .Case([&](graph::IdxAttr idx) {
        writeFiles(idx.getFiles(), *out.mutable_idx()->mutable_files());
        return success();
      })
      .Case([&](graph::NpyAttr npy) {
        writeFiles(npy.getFiles(), *out.mutable_npy()->mutable_files());
        return success();
      })
      .Case([&](graph::Cifar10Attr cifar10) {
        writeFiles(cifar10.getFiles(), *out.mutable_cifar10()->mutable_files());
        return success();
      })
      .Case([&](graph::CsvAttr csv) {
        plan::Dataset::Csv &source = *out.mutable_csv();
        source.set_file(csv.getFile().str());
        source.set_header(csv.getHeader());
        source.set_separator(uint32_t(static_cast<unsigned char>(csv.getSeparator().front())));
        if (csv.getMissing())
          source.set_missing(csv.getMissing().getValueAsDouble());
        for (Attribute column :
             csv.getColumns() ? csv.getColumns().getValue() : ArrayRef<Attribute>())
          if (auto name = dyn_cast<StringAttr>(column))
            source.add_columns()->set_name(name.str());
          else
            source.add_columns()->set_number(uint32_t(cast<IntegerAttr>(column).getInt()));
        return success();
      })
      .Case([&](graph::TextAttr text) {
        plan::Dataset::Text &source = *out.mutable_text();
        source.set_file(text.getFile().str());
        source.set_vocabulary(text.getVocabulary().str());
        source.set_stride(uint64_t(text.getStride()));
        source.set_begin(uint64_t(text.getBegin()));
        source.set_end(uint64_t(text.getEnd()));
        return success();
      })
      .Case([&](graph::SyntheticAttr synthetic) {
        plan::Dataset::Synthetic &source = *out.mutable_synthetic();
        source.set_seed(synthetic.getSeed());
        source.set_samples(uint64_t(synthetic.getSamples()));
        for (size_t i = 0; i < op.getComponentTypes().size(); ++i)
          source.add_limits(
              synthetic.getLimits() ? cast<IntegerAttr>(synthetic.getLimits()[i]).getInt() : 0);
        return success();
      })
      .Default([&](Attribute source) -> LogicalResult {
        return op.emitOpError("has a source that plans do not know: ") << source;
      });
}

static void writeTransform(Attribute transform, plan::Dataset::Component &out) {
  const int rank = out.sample().shape_size();
  auto place = [](int64_t dimension, int last) {
    return uint32_t(dimension == -1 ? last : dimension);
  };
  TypeSwitch<Attribute>(transform)
      .Case([&](graph::RandomCropAttr crop) {
        out.mutable_crop()->set_padding(uint32_t(crop.getPadding()));
        out.mutable_crop()->set_dimension(place(crop.getDimension(), rank - 2));
      })
      .Case([&](graph::RandomFlipAttr flip) {
        out.mutable_flip()->set_dimension(place(flip.getDimension(), rank - 1));
      })
      .Case([&](graph::NormalizeAttr normalize) {
        for (auto mean : normalize.getMean().getAsRange<FloatAttr>())
          out.mutable_normalize()->add_mean(mean.getValueAsDouble());
        for (auto stddev : normalize.getStddev().getAsRange<FloatAttr>())
          out.mutable_normalize()->add_stddev(stddev.getValueAsDouble());
        out.mutable_normalize()->set_dimension(
            normalize.getMean().size() > 1 ? place(normalize.getDimension(), 0) : 0);
      });
}

LogicalResult writeDataset(graph::DatasetOp op, plan::Dataset &out) {
  out.set_name(op.getSymName().str());
  out.set_shuffle(op.getShuffle());
  out.set_seed(uint64_t(op.getSeed()));
  if (failed(writeSource(op, out)))
    return failure();
  auto [scale, offset] =
      TypeSwitch<Attribute, std::pair<double, double>>(op.getSource())
          .Case<graph::IdxAttr, graph::NpyAttr, graph::Cifar10Attr>([](auto source) {
            return std::pair<double, double>(source.getScale(), source.getOffset());
          })
          .Default([](Attribute) { return std::pair(1.0, 0.0); });
  for (RankedTensorType type : op.getComponentTypes()) {
    plan::Dataset::Component *component = out.add_components();
    setType(type, *component->mutable_sample());
    bool isFloat = isa<FloatType>(type.getElementType());
    component->set_scale(isFloat ? scale : 1);
    component->set_offset(isFloat ? offset : 0);
  }
  for (Attribute transform : op.getTransforms().value_or(ArrayAttr::get(op.getContext(), {})))
    writeTransform(transform, *out.mutable_components(int(
                                  cast<graph::TransformAttrInterface>(transform).getComponent())));
  return success();
}

} // namespace graphc
