// What a call of the library's convolutions looks like; ConvolutionKernel.cpp makes and runs them.
#include "runtime/common/base/OpCount.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/kernels/ConvolutionKernel.h"
#include "runtime/kernels/LibraryCallReader.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace graphc::kernels {
namespace {

/// The operands and the result by what they are to the convolution, and where in the call they
/// stand.
struct Roles {
  const char *kernel;
  size_t input, filter, result; ///< the last of the call is the one that is computed
};
constexpr Roles roles[] = {{"convolution", 0, 1, 2},
                           {"convolution_input_grad", 2, 1, 0},
                           {"convolution_filter_grad", 0, 2, 1}};

class ConvolutionReader : CallReader {
public:
  explicit ConvolutionReader(const LibraryCall &call) : CallReader(call) {}

  absl::StatusOr<GraphcConvolutionDesc> read(uint32_t kind) {
    desc_.kind = kind;
    desc_.groups = 1;
    const Roles &role = roles[kind];
    if (!call.postOps.empty())
      return invalid("the post-op '", call.postOps.front(), "'; a convolution has none");
    if (call.operands.size() != 3)
      return invalid(call.operands.size(), " operands, expected 3");
    desc_.space = int64_t(call.operands[0].shape.size()) - 2;
    if (desc_.space < 1 || desc_.space > 3)
      return invalid("an operand of ", call.operands[0].shape.size(),
                     " dimensions, expected 3 to 5");
    for (size_t i = 0; i < 3; ++i)
      GRAPHC_RETURN_IF_ERROR(checkOperand(i));
    for (const CallAttribute &attribute : call.attributes)
      GRAPHC_RETURN_IF_ERROR(readAttribute(attribute));
    for (const int64_t *entries : {desc_.stride, desc_.dilation})
      if (entries[0] == 0)
        return invalid("window_strides or rhs_dilation is missing");
    readShapes(call.operands[role.input].shape, call.operands[role.filter].shape,
               call.operands[role.result].shape);
    GRAPHC_RETURN_IF_ERROR(checkGeometry());
    return desc_;
  }

private:
  absl::Status checkOperand(size_t i) const {
    const CallOperand &operand = call.operands[i];
    if (int64_t(operand.shape.size()) != desc_.space + 2)
      return invalid("operand ", i, " has ", operand.shape.size(), " dimensions, expected ",
                     desc_.space + 2);
    return checkFloats(i, i == 2 ? GRAPHC_WRITE : GRAPHC_READ);
  }

  absl::Status readAttribute(const CallAttribute &attribute) {
    if (!attribute.numbers.empty())
      return invalid(attribute.name, " is not of integers");
    const auto &given = attribute.integers;
    for (auto [name, entries, least] : {std::tuple("window_strides", desc_.stride, int64_t(1)),
                                        std::tuple("rhs_dilation", desc_.dilation, int64_t(1)),
                                        std::tuple("padding_low", desc_.low, int64_t(0)),
                                        std::tuple("padding_high", desc_.high, int64_t(0))}) {
      if (attribute.name != name)
        continue;
      if (int64_t(given.size()) != desc_.space)
        return invalid(name, " has ", given.size(), " entries, expected ", desc_.space);
      for (int64_t entry : given)
        if (entry < least || entry > kMost)
          return invalid(name, " has the entry ", entry, ", which is out of range");
      std::copy(given.begin(), given.end(), entries);
      return absl::OkStatus();
    }
    if (given.size() != 1)
      return invalid(attribute.name, " is not one integer");
    const bool isFlag = attribute.name == "nhwc" || attribute.name == "hwio";
    if (given[0] < 1 || given[0] > (isFlag ? 1 : kMost))
      return invalid(attribute.name, " is ", given[0], ", which is out of range");
    if (attribute.name == "feature_group_count")
      desc_.groups = given[0];
    else if (attribute.name == "nhwc")
      desc_.nhwc = 1;
    else if (attribute.name == "hwio")
      desc_.hwio = 1;
    else
      return invalid(
          "'", attribute.name,
          "' is none of feature_group_count, hwio, nhwc, padding_high, padding_low, rhs_dilation, window_strides");
    return absl::OkStatus();
  }

  void readShapes(const std::vector<int64_t> &input, const std::vector<int64_t> &filter,
                  const std::vector<int64_t> &result) {
    const size_t space = size_t(desc_.space);
    desc_.batch = input[0];
    desc_.inputs = desc_.nhwc ? input.back() : input[1];
    desc_.outputs = desc_.hwio ? filter.back() : filter[0];
    for (size_t i = 0; i < space; ++i) {
      desc_.input[i] = input[desc_.nhwc ? 1 + i : 2 + i];
      desc_.result[i] = result[desc_.nhwc ? 1 + i : 2 + i];
      desc_.window[i] = filter[desc_.hwio ? i : 2 + i];
    }
    filterInputs_ = desc_.hwio ? filter[space] : filter[1];
    resultBatch_ = result[0];
    resultFeatures_ = desc_.nhwc ? result.back() : result[1];
  }

  absl::Status checkGeometry() const {
    if (resultBatch_ != desc_.batch || resultFeatures_ != desc_.outputs)
      return invalid("the result has ", resultBatch_, " samples of ", resultFeatures_,
                     " features, expected ", desc_.batch, " of ", desc_.outputs);
    if (desc_.inputs % desc_.groups || desc_.outputs % desc_.groups ||
        filterInputs_ != desc_.inputs / desc_.groups)
      return invalid(desc_.groups, " groups of ", desc_.inputs, " and ", desc_.outputs,
                     " features with a filter of ", filterInputs_);
    for (int64_t i = 0; i < desc_.space; ++i) {
      // Sizes and entries are below 2^31, so that no product of two is more than 62 bits.
      const int64_t reach = (desc_.window[i] - 1) * desc_.dilation[i],
                    rest = desc_.input[i] + desc_.low[i] + desc_.high[i] - reach - 1;
      if (desc_.low[i] > reach || desc_.high[i] > reach)
        return invalid("a padding of ", std::max(desc_.low[i], desc_.high[i]),
                       " where a window reaches ", reach);
      if (rest < 0 || rest / desc_.stride[i] + 1 != desc_.result[i])
        return invalid("windows do not make the result of the input along dimension ", i,
                       " of space");
    }
    return absl::OkStatus();
  }

  GraphcConvolutionDesc desc_{};
  int64_t filterInputs_ = 0, resultBatch_ = 0, resultFeatures_ = 0;
};

class ConvolutionLibrary final : public KernelProvider {
public:
  explicit ConvolutionLibrary(uint32_t kind) : kind_(kind) {}

  absl::StatusOr<CallFacts> check(const LibraryCall &call) const override {
    GRAPHC_ASSIGN_OR_RETURN(GraphcConvolutionDesc desc, ConvolutionReader(call).read(kind_));
    auto list = [&](const int64_t *sizes) { return absl::StrJoin(sizes, sizes + desc.space, "x"); };
    const bool strided = std::any_of(desc.stride, desc.stride + desc.space,
                                     [](int64_t stride) { return stride > 1; });
    CallFacts facts;
    facts.name = absl::StrCat(call.kernel, "_", desc.batch, "x", list(desc.input), "x", desc.inputs,
                              "_to_", desc.outputs, "_by_", list(desc.window),
                              strided ? absl::StrCat("_stride_", list(desc.stride)) : "",
                              desc.groups > 1 ? absl::StrCat("_groups_", desc.groups) : "",
                              desc.nhwc ? "_nhwc" : "", desc.hwio ? "_hwio" : "");
    facts.flops = base::multiplyOps({2, multiplyAdds(desc)});
    return facts;
  }
  absl::StatusOr<uint64_t> scratchBytes(const LibraryCall &call) const override {
    GRAPHC_ASSIGN_OR_RETURN(GraphcConvolutionDesc desc, ConvolutionReader(call).read(kind_));
    return convolutionScratchBytes(desc);
  }
  absl::StatusOr<std::unique_ptr<LibraryKernel>>
  make(const LibraryCall &call, uint64_t scratchBytes, ThreadPool *pool) const override {
    GRAPHC_ASSIGN_OR_RETURN(GraphcConvolutionDesc desc, ConvolutionReader(call).read(kind_));
    return makeConvolution(desc, scratchBytes, pool);
  }
  uint32_t parts(const LibraryCall &call, uint32_t threads) const override {
    absl::StatusOr<GraphcConvolutionDesc> desc = ConvolutionReader(call).read(kind_);
    return desc.ok() && threads > 1 ? std::min(threads, convolutionBlocks(*desc)) : 1;
  }

private:
  const uint32_t kind_;
};

} // namespace

std::vector<std::pair<std::string, const KernelProvider *>> convolutionLibraries() {
  static const ConvolutionLibrary result(GRAPHC_CONVOLUTION_RESULT),
      input(GRAPHC_CONVOLUTION_INPUT), filter(GRAPHC_CONVOLUTION_FILTER);
  return {{roles[0].kernel, &result}, {roles[1].kernel, &input}, {roles[2].kernel, &filter}};
}

} // namespace graphc::kernels
